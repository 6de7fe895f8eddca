package io.sluice.channel.guest;

import io.sluice.abi.RateLimit;
import io.sluice.abi.SluiceException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.CardSlots;
import io.sluice.channel.Channel;
import io.sluice.channel.Channel.Status.Cause;
import io.sluice.channel.Gpu;
import io.sluice.channel.Refusal;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelErrors;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.table.Closing;
import io.sluice.channel.table.ControlPage;
import io.sluice.channel.table.ControlPages;
import io.sluice.channel.table.GuestRegion;
import io.sluice.channel.table.IdTable;
import io.sluice.channel.table.TransitionCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of a guest's channels, with their control pages and the errors that the listener has
 * not been told of. Guarded by the guest's lock.
 */
final class ChannelTable {
  private static final Logger log = LoggerFactory.getLogger(ChannelTable.class);

  /** Lines of the log about ends of channels: at once, and between them in the long run. */
  private static final int BURST = 16;

  private static final Duration INTERVAL = Duration.ofMillis(250);

  private final String guest;
  private final Gpu gpu;
  private final CardSlots slots;
  private final Endings endings;
  private final ControlPages pages;
  private final SpaceTable spaces;
  private final TransitionCounters transitions;
  private final IdTable<GuestChannel> channels;
  private final RateLimit lines;
  private volatile int count; // written under the lock

  /** Ends that the listener has not been told of. */
  private final List<ChannelError> errorsPending = new ArrayList<>();

  ChannelTable(
      String guest,
      Gpu gpu,
      CardSlots slots,
      Endings endings,
      ControlPages pages,
      SpaceTable spaces,
      TransitionCounters transitions) {
    this.guest = guest;
    this.gpu = gpu;
    this.slots = slots;
    this.endings = endings;
    this.pages = pages;
    this.spaces = spaces;
    this.transitions = transitions;
    channels = new IdTable<>("channels", gpu.info().maxChannels());
    lines = new RateLimit(BURST, INTERVAL, gpu::timeNs);
  }

  /** The channel of an id; ENOENT. */
  GuestChannel get(int cid) {
    GuestChannel channel = channels.get(cid);
    if (channel == null) {
      throw Refusal.noChannel(cid);
    }
    return channel;
  }

  /** How many there are; may be asked without the lock. */
  int count() {
    return count;
  }

  /** All channels by ascending id; a copy. */
  List<GuestChannel> all() {
    return channels.values();
  }

  /** Ids of all channels, ascending. */
  List<Integer> ids() {
    return all().stream().map(GuestChannel::id).toList();
  }

  /**
   * @param id the id wanted, when restoring
   */
  GuestChannel create(GuestSpace space, OptionalInt id, int generation) {
    channels.nextId();
    slots.takeChannel(guest);
    Channel created;
    try {
      created = space.backend.createChannel(id);
    } catch (SluiceException e) {
      slots.giveChannel(guest);
      throw e;
    }
    int cid = created.id();
    ControlPage page = pages.page(cid);
    ChannelTransitions life =
        new ChannelTransitions(guest, cid, transitions, (_, to) -> tell(page, to));
    GuestChannel channel = new GuestChannel(created, space, life);
    channels.put(cid, channel);
    count = channels.size();
    space.channels++;
    page.publish(generation, created.doorbellToken(), ChannelState.NEW.code());
    return channel;
  }

  /** The guest is told of an end together with its reason, and not before. */
  private static void tell(ControlPage page, ChannelState state) {
    if (state != ChannelState.DEAD) {
      page.setState(state.code());
    }
  }

  void free(GuestChannel channel) {
    channels.remove(channel.id());
    count = channels.size();
    pages.page(channel.id()).withdraw();
    channel.life.transition(ChannelState.FREED, "freed");
    endings.add(
        () -> Closing.close(channel.backend::close, "channel"), () -> slots.giveChannel(guest));
    channel.space.channels--;
    spaces.releaseIfUnused(channel.space);
  }

  void freeAll() {
    all().forEach(this::free);
  }

  /** {@link Channel#progress} of the channels that tell, by id. */
  Map<Integer, Long> progress() {
    Map<Integer, Long> all = new HashMap<>();
    for (GuestChannel channel : all()) {
      channel.backend.progress().ifPresent(value -> all.put(channel.id(), value));
    }
    return all;
  }

  /**
   * Suspends every channel that takes entries.
   *
   * @param suspended receives each as it is done: the caller resumes them, whatever happens
   */
  void suspendRunning(List<GuestChannel> suspended, String reason) {
    for (GuestChannel channel : all()) {
      if (channel.life.state() == ChannelState.RUNNING) {
        channel.suspend(reason);
        suspended.add(channel);
      }
    }
  }

  void kill(GuestChannel channel, int reason, int info) {
    if (channel.life.state() != ChannelState.DEAD) {
      channel.backend.kill(reason, info);
      noteDeath(channel, channel.backend.status());
    }
  }

  /** {@link Channel#look}; an end is noted. */
  Channel.Status look(GuestChannel channel) {
    Channel.Status status = channel.backend.look();
    noteDeath(channel, status);
    return status;
  }

  /** Takes a draining channel further; whether it is detached. */
  boolean drain(GuestChannel channel) {
    return channel.noteProgress(look(channel));
  }

  /**
   * {@link Channel#status}, with what of the channel's life is ours to say. It changes nothing: an
   * end that was not noted yet is told as the backend knows it, and left to the next event or look.
   */
  Channel.Status query(GuestChannel channel) {
    return told(channel, channel.backend.status());
  }

  /** As {@link #query}, of a look. */
  Channel.Status watch(GuestChannel channel) {
    return told(channel, look(channel));
  }

  private static Channel.Status told(GuestChannel channel, Channel.Status status) {
    if (status.state() == ChannelState.DEAD && channel.life.state() != ChannelState.DEAD) {
      return status;
    }
    ChannelError error = channel.error();
    return new Channel.Status(
        channel.life.state(),
        error == null ? Cause.NONE : new Cause(error.reason(), error.info(), error.address()),
        status.progress(),
        status.usage());
  }

  /**
   * An event told of an end. It may be older than the channel that has this id now: the backend
   * knows.
   */
  void noteEvent(ChannelError error) {
    GuestChannel channel = channels.get(error.channelId());
    if (channel != null && channel.backend.status().state() == ChannelState.DEAD) {
      noteDeath(channel, error);
    }
  }

  /** Some channels ended with a region: the backend knows the byte in it, we the bus address. */
  void noteRevoked(GuestRegion region) {
    for (GuestChannel channel : all()) {
      Channel.Status status = channel.backend.status();
      if (status.cause().reason() == GuestAbi.ERROR_REVOKED) {
        long busAddress = region.iova.value() + status.cause().address();
        noteDeath(
            channel,
            new ChannelError(channel.id(), GuestAbi.ERROR_REVOKED, 0, busAddress, gpu.timeNs()));
      } else {
        noteDeath(channel, status);
      }
    }
  }

  /** A channel that had ended where it was: the guest knows. */
  void restoreDeath(GuestChannel channel, ChannelError error) {
    channel.backend.kill(error.reason(), error.info());
    channel.noteDeath(error);
    pages.page(channel.id()).setError(error);
  }

  private void noteDeath(GuestChannel channel, Channel.Status status) {
    if (status.state() == ChannelState.DEAD) {
      noteDeath(
          channel,
          new ChannelError(
              channel.id(),
              status.cause().reason(),
              status.cause().info(),
              status.cause().address(),
              gpu.timeNs()));
    }
  }

  private void noteDeath(GuestChannel channel, ChannelError error) {
    if (!channel.noteDeath(error)) {
      return;
    }
    pages.page(channel.id()).setError(error);
    errorsPending.add(error);
    if (!lines.tryTake()) {
      return; // a guest may make channels that end as fast as it likes
    }
    log.atInfo()
        .addKeyValue("guest", guest)
        .addKeyValue("cid", error.channelId())
        .addKeyValue("error", ChannelErrors.name(error.reason()))
        .addKeyValue("info", Integer.toHexString(error.info()))
        .addKeyValue("address", Long.toHexString(error.address()))
        .log("channel ended");
  }

  /** The ends that nobody was told of, oldest first; they count as told now. */
  List<ChannelError> takeErrors() {
    if (errorsPending.isEmpty()) {
      return List.of();
    }
    List<ChannelError> taken = List.copyOf(errorsPending);
    errorsPending.clear();
    return taken;
  }

  /** How often one began to run, or went on. */
  long starts() {
    return transitions.entered(ChannelState.RUNNING);
  }
}

package io.sluice.channel.guest;

import io.sluice.abi.Iova;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Capability;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.record.ChannelRecord.RingRecord;
import io.sluice.channel.record.GuestRecord;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.StateRecord;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.table.Capabilities;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The move of a guest: its memory while it changes, its channels taken back and given again as a
 * whole, its state records. Methods may be called from any thread.
 */
public final class GuestMove {
  private final GuestLock lock;
  private final GuestGpu backend;
  private final GuestState state;
  private final Capabilities capabilities;
  private final GuestListener listener;

  GuestMove(
      GuestLock lock,
      GuestGpu backend,
      GuestState state,
      Capabilities capabilities,
      GuestListener listener) {
    this.lock = lock;
    this.backend = backend;
    this.state = state;
    this.capabilities = capabilities;
    this.listener = listener;
  }

  /** A range of a buffer in guest memory. */
  public record BusRange(Iova start, long bytes) {}

  /** The progress of a drain. */
  public sealed interface Drain {
    /** Nothing runs; what waits on an acquire is parked and moves so. */
    record Drained(int parked) implements Drain {}

    /**
     * Something runs.
     *
     * @param channelId one that does
     * @param runningNs how long its command has run
     */
    record Draining(int channelId, long runningNs) implements Drain {}
  }

  /** The guest as a whole, now. */
  public GuestRecord guest() {
    return lock.call(state::record);
  }

  /**
   * All that another guest must be told to become this one, but the bytes of its memory. EBUSY
   * while a channel runs or drains, or is within a command; EOPNOTSUPP when a channel has started
   * and its state cannot be had.
   */
  public List<StateRecord> snapshot() {
    return lock.callSettled(state::snapshot);
  }

  /**
   * Becomes what records say. The guest must be empty and know the guest memory that the records
   * name. Channels that had started are suspended; each has one more suspend than its record says,
   * so that one {@link GuestChannels#resume} lets it go on. The generation is another one than the
   * records'.
   *
   * @throws io.sluice.abi.RefusedException when the records do not fit together, or not here; the
   *     guest is then as empty as before
   */
  public void restore(List<StateRecord> records) {
    try (MemorySharing.Reservation room = lock.sharing().makeRoom()) {
      lock.runSettled(() -> state.restore(records));
      room.restored();
    }
    lock.call(state.channels::ids).forEach(listener::onChannelCreated);
  }

  /** Every buffer there is now, oldest first. */
  public List<MemoryRecord> buffers() {
    return lock.call(() -> state.buffers.all().stream().map(SnapshotWriter::record).toList());
  }

  /**
   * Which pages of a buffer the GPU wrote; see {@link GuestGpu.GpuMemory#readDirty}.
   *
   * @param serial of the buffer
   * @return false when it is gone
   */
  public boolean readDirty(
      long serial, long firstPage, int pages, boolean clear, MemorySegment bitmap) {
    return lock.call(() -> {
      capabilities.require(Capability.DIRTY_TRACKING, "asking for written pages");
      GuestBuffer memory = state.buffers.find(serial);
      if (memory == null) {
        return false;
      }
      memory.backend.readDirty(firstPage, pages, clear, bitmap);
      return true;
    });
  }

  /**
   * Opens a window onto the guest's video memory, for {@link #read} and {@link GuestRestore#write}.
   * Needs {@link Capability#BUFFER_COPIES}.
   */
  public MemoryWindow openWindow(long bytes, Kernel kernel) {
    return lock.call(() -> {
      capabilities.require(Capability.BUFFER_COPIES, "a window onto video memory");
      return MemoryWindow.open(backend, bytes, kernel);
    });
  }

  /**
   * Has the GPU copy a part of a buffer into a window.
   *
   * @param serial of the buffer
   * @return false when it is gone
   */
  public boolean read(long serial, long offset, MemoryWindow window, long at, long bytes) {
    return lock.call(() -> {
      GuestBuffer memory = state.buffers.find(serial);
      if (memory == null) {
        return false;
      }
      backend.copy(memory.backend, offset, window.memory(), at, bytes);
      return true;
    });
  }

  /**
   * Has the GPU compute fingerprints of a buffer's pages; see {@link GuestGpu#fingerprint}.
   *
   * @param serial of the buffer
   * @param at where in the window the first one goes
   * @return false when it is gone
   */
  public boolean fingerprint(
      long serial, long firstPage, int pages, long[] key, MemoryWindow window, long at) {
    return lock.call(() -> {
      GuestBuffer memory = state.buffers.find(serial);
      if (memory == null) {
        return false;
      }
      backend.fingerprint(memory.backend, firstPage, pages, key, window.memory(), at);
      return true;
    });
  }

  /** Where pages of a registered buffer are on the guest's bus; nothing for those that are gone. */
  public List<BusRange> busRanges(long serial, long offset, long bytes) {
    return lock.call(() -> {
      List<BusRange> found = new ArrayList<>();
      GuestBuffer memory = state.buffers.find(serial);
      for (GuestBuffer.BackedPart part :
          memory == null ? List.<GuestBuffer.BackedPart>of() : memory.partsIn(offset, bytes)) {
        long first = Math.max(part.offset(), offset);
        long end = Math.min(part.offset() + part.bytes(), offset + bytes);
        if (first < end) {
          long at = part.region().iova.value() + part.regionOffset() + first - part.offset();
          found.add(new BusRange(new Iova(at), end - first));
        }
      }
      return found;
    });
  }

  /**
   * The work that a guest has under way.
   *
   * @param channels that take entries
   * @param running of them, those of which a command runs now
   * @param entries of their rings that were put and are not done with
   * @param longestNs for how long the longest command that runs now has run; 0 when none does
   */
  public record InFlight(int channels, int running, long entries, long longestNs) {}

  /** Looks at every channel for what the guest has under way now; notes an end. */
  public InFlight look() {
    return lock.call(() -> {
      int taking = 0;
      int running = 0;
      long entries = 0;
      long longestNs = 0;
      for (GuestChannel channel : state.channels.all()) {
        Channel.Status status = state.channels.look(channel);
        longestNs = Math.max(longestNs, status.usage().runningNs());
        RingRecord ring = channel.ring();
        if (channel.life.state() == ChannelState.RUNNING && ring != null) {
          taking++;
          running += status.usage().runningNs() > 0 ? 1 : 0;
          entries +=
              status.progress().gpPut() - status.progress().gpGet() & (1 << ring.order()) - 1;
        }
      }
      return new InFlight(taking, running, entries, longestNs);
    });
  }

  /**
   * How often a channel began to run, or went on. While that stays what it was when the guest was
   * seen drained, its GPU has written nothing since.
   */
  public long starts() {
    return lock.call(state.channels::starts);
  }

  /** Detaches every channel that takes entries; how many. */
  public int detachAll(String reason) {
    return lock.call(() -> {
      capabilities.require(Capability.DETACH, "detaching channels");
      int detached = 0;
      for (GuestChannel channel : state.channels.all()) {
        if (channel.life.state() == ChannelState.RUNNING) {
          channel.detach(reason);
          detached++;
        }
      }
      return detached;
    });
  }

  /**
   * Looks how far the drain after {@link #detachAll} is, which goes on by itself. When nothing of
   * what was submitted is left but channels that wait on an acquire, which only the guest itself
   * can release, those are parked: they take their wait along. Channels that started since are
   * detached too.
   *
   * @throws io.sluice.abi.RefusedException when the last step of it was refused
   */
  public Drain drain(String reason) {
    return lock.call(() -> {
      backend.requireDrainGoesOn();
      List<GuestChannel> waiting = new ArrayList<>();
      Drain.Draining busy = null;
      for (GuestChannel channel : state.channels.all()) {
        if (channel.life.state() == ChannelState.RUNNING) {
          channel.detach(reason);
        }
      }
      for (GuestChannel channel : state.channels.all()) {
        Channel.Status status = state.channels.look(channel);
        if (channel.life.state() == ChannelState.DRAINING && !channel.noteProgress(status)) {
          if (status.progress().waiting()) {
            waiting.add(channel);
          } else {
            busy = new Drain.Draining(channel.id(), status.usage().runningNs());
          }
        } else if (channel.life.state() == ChannelState.SUSPENDED
            && status.usage().runningNs() > 0) {
          busy = new Drain.Draining(channel.id(), status.usage().runningNs());
        }
      }
      return busy == null ? park(waiting, reason) : busy;
    });
  }

  /**
   * Ends the channels that keep {@link #drain} from ending: the guest is told which, and why.
   *
   * @param reason SLUICE_ERROR_*
   * @return how many
   */
  public int endBusy(int reason) {
    return lock.call(() -> {
      capabilities.require(Capability.KILL, "ending a channel that does not drain");
      int ended = 0;
      for (GuestChannel channel : state.channels.all()) {
        Channel.Status status = state.channels.look(channel);
        boolean drains =
            channel.life.state() == ChannelState.DRAINING
                && !channel.noteProgress(status)
                && !status.progress().waiting();
        boolean runs =
            channel.life.state() == ChannelState.SUSPENDED && status.usage().runningNs() > 0;
        if (drains || runs) {
          state.channels.kill(channel, reason, (int) (status.usage().runningNs() / 1_000_000));
          ended++;
        }
      }
      return ended;
    });
  }

  /** Parked first, looked at again after: a release may have come between. */
  private Drain park(List<GuestChannel> waiting, String reason) {
    Drain.Draining busy = null;
    for (GuestChannel channel : waiting) {
      channel.park(reason);
    }
    for (GuestChannel channel : waiting) {
      Channel.Status status = state.channels.look(channel);
      if (!status.progress().waiting() && !status.progress().drained()) {
        busy = new Drain.Draining(channel.id(), status.usage().runningNs());
      }
    }
    if (busy != null) {
      waiting.forEach(channel -> channel.unpark(reason));
      return busy;
    }
    waiting.forEach(channel -> channel.parked(reason));
    return new Drain.Drained(waiting.size());
  }

  /**
   * Undoes {@link #detachAll} and {@link #drain}: everything goes on here; how many channels. When
   * one of them fails the others go on all the same, and it may be called again.
   */
  public int attachAll(String reason) {
    return lock.call(() -> {
      List<GuestChannel> detached =
          state.channels.all().stream()
              .filter(channel -> channel.life.state().isDetached())
              .toList();
      forEach(detached, channel -> channel.attach(reason));
      return detached.size();
    });
  }

  /** Whatever fails with one of them, it is done with all; what failed first is thrown then. */
  private static void forEach(Iterable<GuestChannel> channels, Consumer<GuestChannel> action) {
    RuntimeException exception = null;
    Error error = null;
    for (GuestChannel channel : channels) {
      try {
        action.accept(channel);
      } catch (RuntimeException e) {
        exception = exception == null ? e : exception;
      } catch (Error e) {
        error = error == null ? e : error;
      }
    }
    if (error != null) {
      throw error;
    }
    if (exception != null) {
      throw exception;
    }
  }

  /**
   * After a restore: every channel that had run goes on. When one of them fails the others go on
   * all the same, and it may be called again: what goes on already is left alone then.
   */
  public void resumeAll(String reason) {
    lock.run(() -> forEach(state.channels.all(), channel -> channel.resumeRestored(reason)));
  }

  /**
   * Begins to become what another guest is: buffers first, as they are told; the rest at once.
   * EBUSY when the guest is not empty.
   */
  public GuestRestore receive() {
    return new GuestRestore(lock, backend, state, listener);
  }
}

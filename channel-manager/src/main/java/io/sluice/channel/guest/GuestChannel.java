package io.sluice.channel.guest;

import io.sluice.channel.Channel;
import io.sluice.channel.Refusal;
import io.sluice.channel.record.ChannelRecord;
import io.sluice.channel.record.ChannelRecord.EngineObject;
import io.sluice.channel.record.ChannelRecord.RingRecord;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.state.GuestLimits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A channel of a guest: the backend's channel, its life, and what a move must know of it. Guarded
 * by the guest's lock.
 */
final class GuestChannel {
  private static final int[] NO_WORDS = new int[0];

  final Channel backend;
  final GuestSpace space;
  final ChannelTransitions life;
  private final List<EngineObject> objects = new ArrayList<>(1);
  private int suspends;
  private @Nullable RingRecord ring;
  private @Nullable ChannelError error;
  private int[] setupSegment = NO_WORDS;

  /** Detached within an acquire, and kept from going on by a suspend of the backend. */
  private boolean parked;

  /** Restored and suspended for that, until {@link #resumeRestored}. */
  private boolean restored;

  GuestChannel(Channel backend, GuestSpace space, ChannelTransitions life) {
    this.backend = backend;
    this.space = space;
    this.life = life;
  }

  int id() {
    return backend.id();
  }

  List<EngineObject> objects() {
    return objects;
  }

  int suspends() {
    return suspends;
  }

  @Nullable RingRecord ring() {
    return ring;
  }

  @Nullable ChannelError error() {
    return error;
  }

  int[] setupSegment() {
    return setupSegment.clone();
  }

  void setupSegment(int[] words) {
    backend.setupSegment(words);
    setupSegment = words.clone();
  }

  void declareObject(EngineObject object) {
    if (objects.size() == ChannelRecord.MAX_OBJECTS && !objects.contains(object)) {
      throw Refusal.full("engine objects of a channel", ChannelRecord.MAX_OBJECTS);
    }
    backend.declareObject(object.handle(), object.objectClass(), object.flags());
    if (!objects.contains(object)) {
      objects.add(object);
    }
  }

  void start(RingRecord wanted) {
    ChannelState next = suspends > 0 ? ChannelState.SUSPENDED : ChannelState.RUNNING;
    life.require(next, "giving a channel its ring");
    backend.start(wanted.start(), wanted.order(), wanted.slimask());
    ring = wanted;
    life.transition(next, "ring given");
  }

  /** Counted; the first one reaches the GPU, unless the page is a shadow: then attach does it. */
  void suspend(String reason) {
    if (life.state() == ChannelState.DEAD) {
      throw Refusal.busy("the channel has ended, cid=" + id(), "");
    }
    if (suspends == GuestLimits.MAX_SUSPENDS) {
      throw Refusal.full("suspends of a channel", GuestLimits.MAX_SUSPENDS);
    }
    if (suspends == 0 && !life.state().isDetached()) {
      backend.suspend();
      if (life.state() == ChannelState.RUNNING) {
        life.transition(ChannelState.SUSPENDED, reason);
      }
    }
    suspends++;
  }

  void resume(String reason) {
    if (suspends == 0) {
      throw Refusal.invalid("the channel is not suspended, cid=" + id());
    }
    if (suspends == 1 && !life.state().isDetached() && life.state() != ChannelState.DEAD) {
      backend.resume();
      if (life.state() == ChannelState.SUSPENDED) {
        life.transition(ChannelState.RUNNING, reason);
      }
    }
    suspends--;
  }

  /** Takes back the suspend of a restore, once, however often it is called. */
  void resumeRestored(String reason) {
    if (restored && life.state() == ChannelState.SUSPENDED) {
      resume(reason);
    }
    restored = false;
  }

  void detach(String reason) {
    life.require(ChannelState.DRAINING, "detaching");
    backend.detach();
    life.transition(ChannelState.DRAINING, reason);
  }

  /**
   * It is detached once a look has found that nothing is unfinished that was put before.
   *
   * @return whether it is
   */
  boolean noteProgress(Channel.Status status) {
    if (life.state() == ChannelState.DRAINING && status.progress().drained()) {
      life.transition(ChannelState.DETACHED, "drained");
    }
    return life.state() == ChannelState.DETACHED;
  }

  void attach(String reason) {
    ChannelState next = suspends > 0 ? ChannelState.SUSPENDED : ChannelState.RUNNING;
    if (!life.state().isDetached()) {
      throw Refusal.busy("the channel is not detached, cid=" + id() + " state=" + life.state(), "");
    }
    if (suspends > 0 && !parked) {
      backend.suspend();
      parked = true; // known if the rest fails, and is tried again
    }
    backend.attach();
    if (suspends == 0 && parked) {
      backend.resume();
    }
    parked = false;
    life.transition(next, reason);
  }

  /** Keeps a draining channel that waits on an acquire from going on. */
  void park(String reason) {
    life.require(ChannelState.DETACHED, "parking, " + reason);
    backend.suspend();
  }

  /** The acquire was released just before. */
  void unpark(String reason) {
    life.require(ChannelState.DETACHED, "going on, " + reason);
    backend.resume();
  }

  /** It will not go on here: its wait is part of its state. */
  void parked(String reason) {
    life.transition(ChannelState.DETACHED, reason);
    parked = true;
  }

  /**
   * Becomes what a record says, on a channel just made. What had started is suspended once more
   * than it was: one resume lets it go on.
   */
  void restore(ChannelRecord record) {
    record.objects().forEach(this::declareObject);
    setupSegment(record.setupSegment().toArray());
    ring = record.ring().orElse(null);
    boolean started = record.state().isStarted();
    Refusal.unless(
        started == !record.engineState().isEmpty() && (!started || ring != null),
        "a channel that started has a ring and a state, cid=" + id());
    if (started) {
      backend.restoreState(record.engineState().bytes());
      suspends = 1;
      restored = true;
      life.transition(ChannelState.SUSPENDED, "restored");
    }
    for (int i = 0; i < record.suspends(); i++) {
      suspend("restored");
    }
  }

  /** It has ended; false when that is no news. */
  boolean noteDeath(ChannelError why) {
    if (life.state() == ChannelState.DEAD) {
      return false;
    }
    error = why;
    life.transition(ChannelState.DEAD, "error " + why.reason());
    return true;
  }
}

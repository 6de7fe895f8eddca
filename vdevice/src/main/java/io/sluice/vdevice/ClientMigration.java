package io.sluice.vdevice;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.Errno;
import io.sluice.abi.ErrorEntry;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.channel.Capability;
import io.sluice.channel.guest.GuestMove;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.state.StateTransfers;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * VFIO's migration protocol for one device: the state, and what is done on each arc. The thread
 * that serves the client uses it; {@link #state} may be read by any.
 *
 * <p>A request that fails leaves the device in the last state that it reached, except that data
 * which is no device's leads to ERROR.
 */
final class ClientMigration implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientMigration.class);

  /**
   * Longest time that a request to stop waits for what was submitted: QEMU gives up a request after
   * 5 s.
   */
  static final int DRAIN_MS = 4000;

  private static final int DRAIN_LOOK_MS = 1;

  /** What a GPU must be able to do. */
  static final ImmutableSet<Capability> NEEDED =
      immutableEnumSet(Capability.DETACH, Capability.STATE_SAVE, Capability.VRAM_APERTURE);

  /** The device of which this is the migration. */
  interface MigratingDevice extends StateTransfers.Device {
    /** What is told about the guest. */
    GuestLog log();

    /** No call begins and no interrupt is delivered until it is released. */
    void hold();

    /** Ends {@link #hold} where it began. */
    void release();

    /** Frees everything the guest holds, as a reset does. */
    void empty();
  }

  private final MigratingDevice owner;
  private final StateTransfers transfers;
  private final int drainMs;
  private volatile DeviceMigrationState state = DeviceMigrationState.RUNNING;
  private volatile boolean asking;
  private StateTransfers.@Nullable StateOutput saving;

  /** Kept from RESUMING until the device runs. */
  private StateTransfers.@Nullable StateInput resuming;

  ClientMigration(MigratingDevice owner, StateTransfers transfers, int drainMs) {
    this.owner = owner;
    this.transfers = transfers;
    this.drainMs = drainMs;
  }

  /** Where it stands. */
  DeviceMigrationState state() {
    return state;
  }

  /**
   * Goes to a state.
   *
   * @param number VFIO_DEVICE_STATE_*
   * @throws RefusedException EINVAL no such state, or no way to it; or why an arc on the way failed
   */
  void set(int number) {
    DeviceMigrationState wanted = DeviceMigrationState.of(number);
    if (wanted == null || wanted == DeviceMigrationState.ERROR) {
      throw refused(DeviceCode.NO_SUCH_STATE, Errno.EINVAL, "no state to ask for, state=" + number);
    }
    asking = true; // before anybody is asked whether it may be
    try {
      while (state != wanted) {
        DeviceMigrationState next = state.next(wanted);
        if (next == null) {
          throw refused(DeviceCode.NO_WAY, Errno.EINVAL, "no way from " + state + " to " + wanted);
        }
        arc(next);
        transition(next, "asked for " + wanted);
      }
    } finally {
      asking = false;
    }
  }

  /** Whether the client moves the device, or is just asking to. */
  boolean isActive() {
    return asking || state != DeviceMigrationState.RUNNING;
  }

  /**
   * Looks whether the client may watch what the GPU writes.
   *
   * @throws RefusedException EBUSY
   */
  void admit() {
    transfers.admit(owner);
  }

  private void arc(DeviceMigrationState next) {
    switch (state) {
      case RUNNING -> {
        transfers.admit(owner);
        if (next == DeviceMigrationState.PRE_COPY) {
          saving = transfers.save(owner);
        } else {
          quiesce();
        }
      }
      case PRE_COPY -> {
        if (next == DeviceMigrationState.STOP_COPY) {
          quiesce();
          Objects.requireNonNull(saving).stopped();
        } else {
          endSaving();
        }
      }
      case STOP -> leaveStop(next);
      case STOP_COPY -> endSaving();
      case RESUMING -> finishResuming();
      case ERROR -> throw new AssertionError(next);
    }
  }

  private void leaveStop(DeviceMigrationState next) {
    switch (next) {
      case RUNNING -> run();
      case STOP_COPY -> {
        StateTransfers.StateOutput begun = transfers.save(owner);
        saving = begun;
        begun.stopped();
      }
      case RESUMING -> {
        endResuming();
        owner.empty();
        resuming = transfers.resume(owner);
      }
      case STOP, PRE_COPY, ERROR -> throw new AssertionError(next);
    }
  }

  private void transition(DeviceMigrationState next, String reason) {
    owner
        .log()
        .at(LOG, Level.INFO)
        .addKeyValue("from", state)
        .addKeyValue("to", next)
        .addKeyValue("reason", reason)
        .log("the client's migration");
    state = next;
  }

  // ---- stopping and running ----

  /** When this returns nothing of the guest runs; when it fails, everything does. */
  private void quiesce() {
    owner.hold();
    boolean still = false;
    try {
      drain();
      still = true;
    } finally {
      if (!still) {
        resumeHere();
      }
    }
  }

  private void drain() {
    GuestMove move = owner.guest().move();
    int _ = move.detachAll("the client stops the device");
    long left = TimeUnit.MILLISECONDS.toNanos(drainMs);
    while (move.drain("the client stops the device") instanceof GuestMove.Drain.Draining busy) {
      if (left <= 0) {
        throw new RefusedException(
            DeviceCode.STILL_WORKS,
            Errno.ETIMEDOUT,
            "a channel's work does not end, cid="
                + busy.channelId()
                + " runningMs="
                + busy.runningNs() / 1_000_000,
            "Ask again, or end what runs.");
      }
      left -= pause();
    }
  }

  /** A moment; how long it was, in nanoseconds. */
  private static long pause() {
    ReentrantLock lock = new ReentrantLock();
    Condition never = lock.newCondition();
    long step = TimeUnit.MILLISECONDS.toNanos(DRAIN_LOOK_MS);
    lock.lock();
    try {
      return step - never.awaitNanos(step);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Long.MAX_VALUE / 2;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    StateTransfers.StateInput resumed = resuming;
    if (resumed != null) {
      resumed.run();
      resuming = null;
      resumed.close();
    } else {
      resumeHere();
    }
  }

  private void resumeHere() {
    int _ = owner.guest().move().attachAll("the client goes on");
    owner.release();
  }

  // ---- data ----

  /**
   * MIG_DATA_READ.
   *
   * @return bytes read; fewer than asked for when there are no more, in PRE_COPY: none now
   * @throws RefusedException EINVAL in a state that does not save
   */
  int read(MemorySegment into) {
    StateTransfers.StateOutput from = saving;
    if (!state.saves() || from == null) {
      throw refused(DeviceCode.NO_DATA, Errno.EINVAL, "no data to be read, state=" + state);
    }
    return from.read(into);
  }

  /**
   * MIG_DATA_WRITE.
   *
   * @throws RefusedException EINVAL in another state than RESUMING; EPROTO data of no device
   */
  void write(MemorySegment from) {
    StateTransfers.StateInput into = resuming;
    if (state != DeviceMigrationState.RESUMING || into == null) {
      throw refused(
          DeviceCode.TAKES_NO_DATA, Errno.EINVAL, "no data to be written, state=" + state);
    }
    into.write(from);
  }

  private void finishResuming() {
    boolean complete = false;
    try {
      Objects.requireNonNull(resuming).finish();
      complete = true;
    } finally {
      if (!complete) {
        endResuming();
        transition(DeviceMigrationState.ERROR, "what was received is no device");
      }
    }
  }

  private void endSaving() {
    StateTransfers.StateOutput ended = saving;
    saving = null;
    if (ended != null) {
      ended.close();
    }
  }

  private void endResuming() {
    StateTransfers.StateInput ended = resuming;
    resuming = null;
    if (ended != null) {
      ended.close();
    }
  }

  /** Resets the device: ends whatever is under way, frees everything, and it runs. */
  void reset() {
    boolean held = state != DeviceMigrationState.RUNNING && state != DeviceMigrationState.PRE_COPY;
    close();
    owner.empty();
    if (held) {
      owner.release();
    }
    if (state != DeviceMigrationState.RUNNING) {
      transition(DeviceMigrationState.RUNNING, "reset");
    }
  }

  /** Ends what is under way; the device is about to go. */
  @Override
  public void close() {
    try {
      endSaving();
      endResuming();
    } catch (SluiceException e) {
      owner.log().at(LOG, Level.WARN).log("a transfer did not end well", e);
    }
  }

  private static RefusedException refused(ErrorEntry code, Errno errno, String what) {
    return new RefusedException(code, errno, what, "");
  }
}

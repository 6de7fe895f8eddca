package io.sluice.migrate.sim;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.machine.TargetMachine;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A machine that migrates as QEMU does, with times of the test's: which side runs, what it says,
 * and that it can fail.
 */
final class SimMachine {
  private final LongSupplier clock;
  private final long copyNs;
  private final long stepNs;
  boolean runsAtSource = true;
  boolean runsAtTarget;
  boolean targetEnded;

  /** The one at the target takes nothing any more, without a word. */
  boolean frozen;

  /** The device of the one at the target never becomes what it was, and nobody says so. */
  boolean stuck;

  /** It begins, and fails on the way. */
  boolean startFails;

  /** The one at the target cannot be ended. */
  boolean targetStays;

  /** So often letting the one at the target run fails. */
  int resumeFails;

  /** So often letting the one at the source go on fails. */
  int abortFails;

  /** The source's cannot be looked at any more. */
  boolean lookFails;

  /** What it was asked to write to its own memory is not done yet. */
  boolean writing;

  private State source = State.IDLE;
  private State target = State.IDLE;
  private long since;
  private boolean asked; // to hold still
  private boolean cutOff;
  private boolean stopAllowed;
  private boolean stopForced;
  private @Nullable String failure;

  SimMachine(LongSupplier clock, long copyNs, long stepNs) {
    this.clock = clock;
    this.copyNs = copyNs;
    this.stepNs = stepNs;
  }

  /** Its own migration fails: before both sides are complete the source's machine goes on. */
  void fail() {
    if (source != State.COMPLETED && source != State.IDLE && !runsAtTarget) {
      failure = "the machine's migration failed";
      source = State.FAILED;
      target = State.FAILED;
      runsAtSource = true;
    }
  }

  /**
   * The one at the target has ended, and so has the way to it, which is all that the source's
   * knows.
   */
  void cutOff() {
    failTarget();
    source = State.FAILED;
    runsAtSource = true;
    cutOff = true;
  }

  /** The one at the target ends after all has arrived. */
  void failTarget() {
    failure = "the machine at the target has ended";
    target = State.FAILED;
  }

  private void look() {
    long waited = clock.getAsLong() - since;
    if (source == State.COPYING && (stopForced || stopAllowed && waited >= copyNs)) {
      source = State.STOPPED;
      runsAtSource = false;
    } else if (source == State.SWITCHING && waited >= stepNs && !frozen) {
      source = State.COMPLETED;
      target = State.COMPLETED;
    }
  }

  private MachineProgress progress(State state) {
    long left = source == State.COPYING ? Math.max(0, copyNs - (clock.getAsLong() - since)) : 0;
    return new MachineProgress(state, 0, 0, left, 0, failure == null ? "" : failure);
  }

  final SourceMachine sourceSide =
      new SourceMachine() {
        @Override
        public List<Blocker> blockers() {
          return List.of();
        }

        @Override
        public boolean standsStill() {
          return copyNs % 2 == 0;
        }

        @Override
        public ByteBuffer describe() {
          return ByteBuffer.wrap(new byte[] {1, 2, 3});
        }

        @Override
        public void start(ByteBuffer answer) {
          if (answer.remaining() != 1) {
            throw new AssertionError("not what the other side said");
          }
          source = State.COPYING;
          target = State.COPYING;
          since = clock.getAsLong();
          if (startFails) {
            throw new RefusedException("SLU-MIG-902", Errno.EIO, "it begins, and fails", "");
          }
        }

        @Override
        public boolean destinationMayKnowWhy() {
          return cutOff;
        }

        @Override
        public void allowStop() {
          stopAllowed = true;
        }

        @Override
        public void forceStop() {
          stopForced = true;
        }

        @Override
        public MachineProgress progress() {
          look();
          return cutOff && source == State.FAILED
              ? new MachineProgress(State.FAILED, 0, 0, 0, 0, "the way has ended")
              : SimMachine.this.progress(source);
        }

        @Override
        public boolean redirty(List<PageRange> pages) {
          return true;
        }

        /** Answers the second time that it is asked. */
        @Override
        public boolean holdStill() {
          boolean done = asked;
          asked = true;
          return done;
        }

        @Override
        public List<ByteBuffer> save() {
          if (!asked) {
            throw new AssertionError("a device that is not held is saved");
          }
          return List.of(ByteBuffer.wrap(new byte[] {9}));
        }

        @Override
        public void switchOver() {
          if (runsAtSource) {
            throw new AssertionError("a machine that runs is switched over");
          }
          source = State.SWITCHING;
          since = clock.getAsLong();
        }

        @Override
        public void poll() {
          if (lookFails) {
            throw new RefusedException("SLU-MIG-903", Errno.EIO, "it has gone", "");
          }
        }

        @Override
        public void abort() {
          if (abortFails > 0) {
            abortFails--;
            throw new OutOfMemoryError("by the test");
          }
          source = State.IDLE;
          runsAtSource = true;
        }

        @Override
        public boolean isSettled() {
          return !writing;
        }

        @Override
        public void finish() {
          runsAtSource = false;
        }

        @Override
        public void setWaker(Runnable waker) {}

        @Override
        public void close() {}
      };

  final TargetMachine targetSide =
      new TargetMachine() {
        @Override
        public ByteBuffer prepare(ByteBuffer described) {
          if (described.remaining() != 3) {
            throw new AssertionError("not what the source said");
          }
          return ByteBuffer.wrap(new byte[] {4});
        }

        @Override
        public MachineProgress progress() {
          look();
          return SimMachine.this.progress(target);
        }

        @Override
        public boolean restore(List<ByteBuffer> device) {
          if (device.size() != 1 || device.getFirst().get(0) != 9) {
            throw new AssertionError("not what was saved");
          }
          return target != State.FAILED && !stuck;
        }

        @Override
        public void resume() {
          if (resumeFails > 0) {
            resumeFails--;
            throw new OutOfMemoryError("by the test");
          }
          runsAtTarget = true;
        }

        @Override
        public void abort() {
          targetEnded = true;
          if (targetStays) {
            throw new IllegalStateException("it cannot be ended");
          }
        }

        @Override
        public void setWaker(Runnable waker) {}

        @Override
        public void close() {}
      };
}

package io.sluice.vdevice;

import com.google.common.primitives.ImmutableIntArray;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.guest.CallSlot;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.vdevice.state.DeviceState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The executor of the calls of one guest, in the order in which they were rung, on one thread.
 *
 * <p>A slot is copied once; what the guest does to it afterwards changes nothing. Each new sequence
 * number is executed once. Results are published in this order: arguments, status, then the
 * sequence number (release); then vector 0 is raised.
 */
final class CallExecutor implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CallExecutor.class);

  /** What the reset register rings: the entry behind the last slot. */
  static final int RESET = DeviceState.RESET_CALL;

  private static final int NONE = -1;

  /** The session, as the executor uses it. */
  interface CallSession {
    /** Executes a call on a private copy of its arguments. */
    void execute(int command, MemorySegment args);

    /** A call has finished and its results are published. */
    void done(boolean refused);

    /** The guest asked for everything to be freed. */
    void resetByGuest();
  }

  private final MemorySegment slots;
  private final CallQueue queue;
  private final CallSession session;
  private final GuestLog log;

  /** Held while a call runs; what must not overlap with one takes it. */
  private final ReentrantLock running = new ReentrantLock();

  private final Condition released = running.newCondition();

  @GuardedBy("running")
  private final int[] executed = new int[GuestAbi.MAX_SLOTS];

  @GuardedBy("running")
  private boolean stopped;

  @GuardedBy("running")
  private boolean held;

  /** Taken while held. */
  @GuardedBy("running")
  private int waiting = NONE;

  /**
   * @param callArea BAR 1
   * @param log what is told about the guest
   */
  CallExecutor(MemorySegment callArea, CallQueue queue, CallSession session, GuestLog log) {
    this.log = log;
    slots = callArea.asSlice(GuestAbi.BAR1_SLOTS, GuestAbi.MAX_SLOTS * CallSlot.SIZE);
    this.queue = queue;
    this.session = session;
  }

  /** Executes calls until the queue is closed. */
  @Override
  public void run() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(CallSlot.SIZE, 8);
      MemorySegment args = copy.asSlice(CallSlot.ARGS.offset(), GuestAbi.SLOT_ARGS);
      int entry = queue.take();
      while (entry != CallQueue.CLOSED) {
        execute(entry, copy, args);
        entry = queue.take();
      }
    }
  }

  /** Runs an action while no call does. */
  void exclusively(Runnable action) {
    running.lock();
    try {
      action.run();
    } finally {
      running.unlock();
    }
  }

  /** Whether a call runs just now. */
  boolean isExecuting() {
    return running.isLocked();
  }

  /** Forgets what was executed: the slots were cleared. Call inside {@link #exclusively}. */
  void forget() {
    running.lock();
    try {
      Arrays.fill(executed, 0);
    } finally {
      running.unlock();
    }
  }

  /** No call begins until {@link #release}; the one that runs has ended when this returns. */
  void hold() {
    running.lock();
    try {
      held = true;
    } finally {
      running.unlock();
    }
  }

  /** Ends {@link #hold}. */
  void release() {
    running.lock();
    try {
      held = false;
      released.signalAll();
    } finally {
      running.unlock();
    }
  }

  /** Sequence numbers of what was executed. Call while held. */
  ImmutableIntArray executed() {
    running.lock();
    try {
      return ImmutableIntArray.copyOf(executed);
    } finally {
      running.unlock();
    }
  }

  /** What was rung and not executed, in order. Call while held, when nobody rings. */
  ImmutableIntArray waiting() {
    running.lock();
    try {
      ImmutableIntArray.Builder entries = ImmutableIntArray.builder();
      int taken = waiting;
      if (taken != NONE) {
        entries.add(taken);
      }
      // What was taken was marked as rung again only if it was.
      queue.entries().filter(entry -> entry != taken).forEach(entries::add);
      return entries.build();
    } finally {
      running.unlock();
    }
  }

  /** Takes over what another executor had done. Call inside {@link #exclusively}. */
  void restore(ImmutableIntArray others) {
    running.lock();
    try {
      for (int slot = 0; slot < executed.length; slot++) {
        executed[slot] = others.get(slot);
      }
    } finally {
      running.unlock();
    }
  }

  /** Whether {@link #stop} was called. Call inside {@link #exclusively}. */
  boolean isStopped() {
    running.lock();
    try {
      return stopped;
    } finally {
      running.unlock();
    }
  }

  /** Ends {@link #run}; no call begins any more. Call inside {@link #exclusively}. */
  void stop() {
    running.lock();
    try {
      stopped = true;
      released.signalAll();
      queue.close();
    } finally {
      running.unlock();
    }
  }

  private void execute(int entry, MemorySegment copy, MemorySegment args) {
    running.lock();
    try {
      while (held && !stopped) {
        waiting = entry;
        released.awaitUninterruptibly();
      }
      waiting = NONE;
      if (stopped) {
        return;
      }
      if (entry == RESET) {
        session.resetByGuest();
      } else {
        executeSlot(entry, copy, args);
      }
    } catch (RuntimeException | Error e) {
      // A bug of ours, or a host that fails: the thread stays for the calls that come.
      log.at(LOG, Level.ERROR).addKeyValue("entry", entry).log("failed", e);
    } finally {
      running.unlock();
    }
  }

  @GuardedBy("running")
  private void executeSlot(int slot, MemorySegment copy, MemorySegment args) {
    long at = slot * CallSlot.SIZE;
    int seq = CallSlot.SEQ.bitsAcquire(slots, at);
    if (seq == 0 || seq == executed[slot]) {
      return;
    }
    MemorySegment.copy(slots, at, copy, 0, CallSlot.SIZE);
    executed[slot] = seq;
    int errno = run(CallSlot.COMMAND.bits(copy), args);
    if (errno == 0) {
      MemorySegment.copy(args, 0, slots, at + CallSlot.ARGS.offset(), GuestAbi.SLOT_ARGS);
    }
    CallSlot.STATUS.setBits(
        slots, at, errno == 0 ? GuestAbi.STATUS_OK : GuestAbi.STATUS_ERROR | errno);
    CallSlot.DONE_SEQ.setRelease(slots, at, seq);
    session.done(errno != 0);
  }

  private int run(int command, MemorySegment args) {
    try {
      session.execute(command, args);
      return 0;
    } catch (RefusedException e) {
      LOG.debug("call {} refused: {} {}", command, e.getMessage(), e.remedy());
      return e.errno().number();
    } catch (SyscallException e) {
      log.at(LOG, Level.WARN).addKeyValue("call", command).log("failed", e);
      return e.errno();
    } catch (RuntimeException | Error e) {
      // A bug of ours, or a host without memory. The guest must not wait for ever, and the next
      // call may well work.
      log.at(LOG, Level.ERROR).addKeyValue("call", command).log("failed", e);
      return Errno.EIO.number();
    }
  }
}

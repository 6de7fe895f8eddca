package io.sluice.vdevice;

import static io.sluice.abi.guest.GuestAbi.EVENT_ENTRIES;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.guest.EventQueue;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.guest.GuestEvent;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The host's end of the event queue in BAR 1.
 *
 * <p>The host's own words are kept here and never read back from memory that the guest can write.
 * The guest's word, the tail, decides only whether there is room: whatever it says, the worst is
 * that the guest loses events.
 */
final class GuestEventQueue {
  private final MemorySegment queue;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private int head;

  @GuardedBy("lock")
  private int lost;

  /**
   * @param callArea BAR 1
   */
  GuestEventQueue(MemorySegment callArea) {
    queue = callArea.asSlice(GuestAbi.BAR1_EVENTS, EventQueue.SIZE);
  }

  /** Appends an event, or counts it as lost when the queue is full; whether it was appended. */
  boolean post(int kind, int id, int code, int info, long address, long timeNs) {
    lock.lock();
    try {
      int used = head - EventQueue.TAIL.bitsAcquire(queue, 0);
      if (Integer.compareUnsigned(used, EVENT_ENTRIES) >= 0) {
        lost++;
        EventQueue.LOST.setBits(queue, lost);
        return false;
      }
      long entry = EventQueue.ENTRIES.offset() + (head & (EVENT_ENTRIES - 1)) * GuestEvent.SIZE;
      GuestEvent.KIND.setBits(queue, entry, kind);
      GuestEvent.ID.setBits(queue, entry, id);
      GuestEvent.CODE.setBits(queue, entry, code);
      GuestEvent.INFO.setBits(queue, entry, info);
      GuestEvent.ADDRESS.set(queue, entry, address);
      GuestEvent.TIME_NS.set(queue, entry, timeNs);
      head++;
      EventQueue.HEAD.setRelease(queue, 0, head);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The code of the last SLUICE_EVENT_TOUCH that the guest says it has done. */
  int touched() {
    return EventQueue.TOUCHED.bitsAcquire(queue, 0);
  }

  /** Events dropped because the guest did not take them. */
  int lost() {
    lock.lock();
    try {
      return lost;
    } finally {
      lock.unlock();
    }
  }

  /** Events posted so far, as the guest counts them. */
  int head() {
    lock.lock();
    try {
      return head;
    } finally {
      lock.unlock();
    }
  }

  /** Goes on where another queue stood, whose memory was copied here. */
  void restore(int newHead, int newLost) {
    lock.lock();
    try {
      head = newHead;
      lost = newLost;
    } finally {
      lock.unlock();
    }
  }

  /** Starts again after BAR 1 was cleared. */
  void reset() {
    lock.lock();
    try {
      head = 0;
      lost = 0;
    } finally {
      lock.unlock();
    }
  }
}

package io.sluice.remoting.session;

import static io.sluice.remoting.session.RingLayout.HEADER_BYTES;
import static io.sluice.remoting.session.RingLayout.MESSAGE_BYTES;
import static io.sluice.remoting.session.RingLayout.RING;
import static io.sluice.remoting.session.RingLayout.RING_BYTES;
import static io.sluice.remoting.session.RingLayout.SUBMIT_HEAD;
import static io.sluice.remoting.session.RingLayout.SUBMIT_TAIL;
import static io.sluice.remoting.session.RingLayout.WORD;

import io.sluice.abi.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The host's end of a submission ring. The application writes messages and then the head; the host
 * copies a message once and then writes the tail. A message does not wrap: what is left at the end
 * of the ring is skipped by a message of call 0. That is never the whole ring: whoever wrote heads
 * for such messages again and again would keep the host here.
 *
 * <p>The tail is kept here as well: what the application writes over the host's word changes
 * nothing. Belongs to the session's thread.
 */
final class SubmissionRing implements SessionPort.CallSource {
  private final MemorySegment memory;
  private int tail;

  /**
   * @param memory segment 0
   */
  SubmissionRing(MemorySegment memory) {
    this.memory = memory;
  }

  @Override
  public int tail() {
    return tail;
  }

  @Override
  public void goOn(int taken) {
    tail = taken;
  }

  @Override
  public boolean isEmpty() {
    return (int) WORD.getAcquire(memory, SUBMIT_HEAD) == tail;
  }

  @Override
  public boolean leavesCalls() {
    return true;
  }

  @Override
  public int nextCall() {
    int ready = (int) WORD.getAcquire(memory, SUBMIT_HEAD) - tail;
    int offset = tail & (RING_BYTES - 1);
    if (ready >= HEADER_BYTES && call(offset) == 0 && ready > RING_BYTES - offset) {
      offset = 0; // the rest of the ring is skipped
    }
    return ready >= HEADER_BYTES ? call(offset) : 0;
  }

  private int call(int offset) {
    return memory.get(ValueLayout.JAVA_SHORT, RING + offset + 4) & 0xffff;
  }

  @Override
  public int take(byte[] into) {
    while (true) {
      int ready = (int) WORD.getAcquire(memory, SUBMIT_HEAD) - tail;
      if (ready == 0) {
        return 0;
      }
      int offset = tail & (RING_BYTES - 1);
      int bytes = memory.get(ValueLayout.JAVA_INT, RING + offset);
      require(ready > 0 && ready <= RING_BYTES, "the head is beyond the ring, ready=", ready);
      require(
          bytes >= HEADER_BYTES && bytes % 8 == 0 && bytes <= ready && bytes <= RING_BYTES - offset,
          "a message has a length that cannot be, bytes=",
          bytes);
      int call = call(offset);
      if (call == 0) {
        require(
            offset != 0 && bytes == RING_BYTES - offset,
            "what is skipped is not the rest of the ring, bytes=",
            bytes);
      } else {
        require(bytes <= MESSAGE_BYTES, "a message is too long, bytes=", bytes);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, RING + offset, into, 0, bytes);
      }
      tail += bytes;
      WORD.setRelease(memory, SUBMIT_TAIL, tail);
      if (call != 0) {
        return bytes;
      }
    }
  }

  private static void require(boolean condition, String what, int value) {
    if (!condition) {
      throw new ProtocolException(Errno.EPROTO, what + value);
    }
  }
}

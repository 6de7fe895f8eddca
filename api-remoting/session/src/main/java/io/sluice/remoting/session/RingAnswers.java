package io.sluice.remoting.session;

import static io.sluice.remoting.session.RingLayout.ANSWERS;
import static io.sluice.remoting.session.RingLayout.ANSWER_BYTES;
import static io.sluice.remoting.session.RingLayout.ANSWER_COUNT;
import static io.sluice.remoting.session.RingLayout.ANSWER_VALUES;
import static io.sluice.remoting.session.RingLayout.CALLERS;
import static io.sluice.remoting.session.RingLayout.CALLER_BYTES;
import static io.sluice.remoting.session.RingLayout.WORD;

import io.sluice.abi.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The answers to calls that are waited for: a slot each, chosen by the caller, with a futex word
 * that the host sets last, and a word of the caller's that says whether it sleeps. Belongs to the
 * session's thread.
 */
final class RingAnswers implements SessionPort.Answers {
  private static final int ANSWERED = 1;

  private final MemorySegment memory;
  private final SessionSignals.Wakeup application;

  RingAnswers(MemorySegment memory, SessionSignals.Wakeup application) {
    this.memory = memory;
    this.application = application;
  }

  @Override
  public Answer to(int slotPlusOne) {
    if (slotPlusOne < 0 || slotPlusOne > ANSWER_COUNT) {
      throw new ProtocolException(
          Errno.EPROTO, "there is no such answer slot, slot=" + (slotPlusOne - 1));
    }
    return slotPlusOne == 0 ? Answer.NONE : new Slot(ANSWERS + (slotPlusOne - 1) * ANSWER_BYTES);
  }

  private final class Slot implements Answer {
    private final long at;

    Slot(long at) {
      this.at = at;
    }

    @Override
    public int slotPlusOne() {
      return (int) ((at - ANSWERS) / ANSWER_BYTES) + 1;
    }

    @Override
    public boolean isWaitedFor() {
      return true;
    }

    @Override
    public void give(int status, long... values) {
      memory.set(ValueLayout.JAVA_INT, at + 4, status);
      for (int i = 0; i < Math.min(values.length, ANSWER_VALUES); i++) {
        memory.set(ValueLayout.JAVA_LONG, at + 8 + 8L * i, values[i]);
      }
      WORD.setVolatile(memory, at, ANSWERED);
      // A caller that spins does not say that it sleeps, and costs no system call.
      if ((int) WORD.getVolatile(memory, caller()) != 0) {
        application.wake(memory.asSlice(at, Integer.BYTES));
      }
    }

    private long caller() {
      return CALLERS + (slotPlusOne() - 1) * CALLER_BYTES;
    }
  }
}

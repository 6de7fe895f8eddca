package io.sluice.remoting.session;

import io.sluice.abi.sys.Kernel;
import java.lang.foreign.MemorySegment;

/**
 * The ways by which a session's calls come, are answered, and its application is told things. They
 * belong to the session's thread.
 */
public record SessionPort(CallSource calls, Answers answers, Notices notices) {
  /** The calls of an application, one after another. */
  public interface CallSource {
    /** Whether none is there. */
    boolean isEmpty();

    /**
     * Whether calls that are not taken stay with the application, where the session's next host
     * finds them.
     */
    default boolean leavesCalls() {
      return false;
    }

    /** The number of the call that the next message is of, as it is now; 0 where none is there. */
    default int nextCall() {
      return 0;
    }

    /**
     * Copies the next message.
     *
     * @return its bytes; 0 if none is there
     * @throws ProtocolException for what is no message
     */
    int take(byte[] into);

    /** Bytes ever taken. */
    int tail();

    /** Goes on where another host stopped. */
    void goOn(int taken);
  }

  /** The answers to calls. */
  public interface Answers {
    /**
     * The answer that the message just taken asks for.
     *
     * @param slotPlusOne as in its header: 0 for none
     */
    Answer to(int slotPlusOne);

    /**
     * The answer that a call of another host asks for, which is executed again.
     *
     * @param serial of the call
     */
    default Answer toOpen(long serial, int slotPlusOne) {
      return to(slotPlusOne);
    }
  }

  /** Those of segment 0. */
  static SessionPort of(MemorySegment ring, SessionSignals.Wakeup application) {
    return new SessionPort(
        new SubmissionRing(ring),
        new RingAnswers(ring, application),
        new RingNotices(ring, application));
  }

  /** Those of segment 0 of an application on this host. */
  public static SessionPort of(Kernel kernel, SharedMemory memory) {
    return of(memory.segment(0), kernel::wakeFutex);
  }
}

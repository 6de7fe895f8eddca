package io.sluice.migrate.qemu;

import java.nio.ByteBuffer;
import java.util.Optional;

/** The way across of the stream of QEMU itself, which carries the machine's memory. */
public interface RamTransport {
  /** Either end. */
  interface End extends AutoCloseable {
    /**
     * Why the way has ended, as far as is known here; empty while it lives, and when the QEMU at
     * this end has ended it.
     */
    default Optional<String> cut() {
      return Optional.empty();
    }

    @Override
    void close();
  }

  /** The source's end. */
  interface Source extends End {
    /**
     * Makes a way to the destination.
     *
     * @param target what {@link Target#address} gave there; comes from the peer
     * @return where QEMU shall send its stream: {@code unix:PATH} or {@code tcp:HOST:PORT}
     */
    String open(ByteBuffer target);

    /** Whether a QEMU is at the other end, which says whether it could load what it got. */
    default boolean isAnswered() {
      return true;
    }

    /** Whether it is known what has arrived: otherwise what follows means nothing. */
    default boolean isCounted() {
      return false;
    }

    /** Bytes taken from the source's QEMU and not yet handed to the destination's. */
    default long bytesQueued() {
      return 0;
    }

    /** Bytes handed to the destination's QEMU. */
    default long bytesCarried() {
      return 0;
    }

    /** At most so many bytes are to be queued from now on, at least 1. Any thread may ask. */
    default void limitQueue(long bytes) {}

    /** Bytes taken from the source's QEMU. */
    default long bytesTaken() {
      return 0;
    }

    /**
     * No more is to be taken from the source's QEMU than so many bytes of its stream in all, but
     * for a read of a quarter of a mebibyte; {@link Long#MAX_VALUE} for no limit. Any thread may
     * ask.
     */
    default void takeUpTo(long bytes) {}
  }

  /** The destination's end. */
  interface Target extends End {
    /** Where QEMU shall listen for its stream. */
    String uri();

    /** QEMU listens now. */
    default void listening() {}

    /** What the source's end needs to find this one. */
    ByteBuffer address();

    /** Whether all that comes by this way has come, of a way whose other end says nothing. */
    default boolean isThrough() {
      return true;
    }

    /** Why what comes by such a way is not taken; empty as long as it is. */
    default Optional<String> refusal() {
      return Optional.empty();
    }
  }

  /**
   * Behind what QEMU says of a migration that has failed.
   *
   * @param cut why the way has ended, if it has
   */
  static String ended(Optional<String> cut) {
    return cut.map(why -> ": the way of its stream was cut, " + why).orElse("");
  }
}

package io.sluice.migrate.link;

import io.sluice.abi.RefusedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The carrier of frames between the two sides of a migration, both ways, on numbered streams.
 * Frames of one stream arrive once each, in order, unchanged; of different streams in any order. An
 * implementation authenticates the peer, checks sums, limits bandwidth and mends cuts by itself;
 * what it cannot mend ends the link.
 *
 * <p>Nothing here blocks. One thread at a time uses a link, and several may only as far as each is
 * at a stream of pages of its own: at one time no two of them send, or poll, on the same stream,
 * and none does anything else but {@link #payload} and {@link #used}. A link that cannot even bear
 * that has one stream of pages. Only {@link #setWaker} leads out of others' threads.
 */
public interface MigrationLink extends AutoCloseable {
  /** The stream of everything but pages. */
  int CONTROL = 0;

  /** Most streams of pages. */
  int MAX_DATA_STREAMS = 16;

  /** How many streams of pages there are; they are numbered from 1. At least 1. */
  int dataStreams();

  /**
   * Takes a frame to be sent. On {@link #CONTROL} a frame is always taken, unless the link has
   * ended.
   *
   * @param stream {@link #CONTROL} to {@link #dataStreams}
   * @return false when the stream has too much to send already: try again when woken
   * @throws RefusedException when the link has ended
   */
  boolean send(int stream, Frame frame);

  /**
   * Room for a payload that this link sends without copying it; from position 0 to its limit. It is
   * the link's from the moment the link has taken the frame.
   */
  default ByteBuffer payload(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * The next frame that has arrived on a stream; null when there is none. What arrived before the
   * link ended is still had.
   *
   * @throws RefusedException when the link has ended and all was had
   */
  @Nullable Frame poll(int stream);

  /** Nobody looks any more at a frame that was polled. Need not be told. */
  default void used(Frame frame) {}

  /** Whether all that was taken has been acknowledged by the peer's link. */
  boolean isFlushed();

  /** Why the link ended; empty while it lives. */
  Optional<RefusedException> failure();

  /**
   * For how long nothing has been heard of the peer's host, which says something all the time, in
   * coarse steps; 0 while it is heard. It may come back: the link lives. Links whose peer cannot
   * vanish unnoticed never say anything else.
   */
  default long silenceNs() {
    return 0;
  }

  /**
   * Who is to be woken when there may be something to do: a frame has arrived, a stream takes
   * frames again, all was flushed, the peer is silent for longer, the link has ended. Called by any
   * thread; must not block.
   */
  void setWaker(Runnable waker);

  /** What was carried so far. */
  Statistics statistics();

  /** Ends the link; what was not sent is not. The peer sees the end. */
  @Override
  void close();

  /**
   * @param bytesSent heads, sums and retransmissions included, before compression
   * @param bytesReceived likewise
   * @param bytesRetransmitted sent a second time after a cut
   * @param reconnects cuts that were mended
   * @param bytesQueued taken but not yet sent
   * @param roundTripNs last measured; 0 when unknown
   */
  record Statistics(
      long bytesSent,
      long bytesReceived,
      long bytesRetransmitted,
      int reconnects,
      long bytesQueued,
      long roundTripNs) {}
}

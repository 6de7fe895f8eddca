package io.sluice.migrate.wire;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.MigrationLink;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One end of a link: its streams, and what became of it. */
final class WireLink implements MigrationLink {
  private static final Logger LOG = LoggerFactory.getLogger(WireLink.class);
  private final UUID id;
  private final String peer;
  private final ImmutableList<WireStream> streams;
  private final FrameMemory frames;
  private final Runnable onClose;
  private final AtomicReference<@Nullable RefusedException> failure = new AtomicReference<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final LongAdder bytesSent = new LongAdder();
  private final LongAdder bytesSaved = new LongAdder();
  private final LongAdder bytesReceived = new LongAdder();
  private final LongAdder bytesRetransmitted = new LongAdder();
  private final LongAdder reconnects = new LongAdder();
  private volatile Runnable waker = () -> {};

  /**
   * @param peer who is at the other end, for messages
   * @param dataStreams 1 to {@link #MAX_DATA_STREAMS}
   * @param frames payloads of pages
   * @param nowNs of the loops' clock
   * @param onClose called once, when the link has ended for whatever reason
   */
  WireLink(
      UUID id, String peer, int dataStreams, FrameMemory frames, long nowNs, Runnable onClose) {
    this.id = id;
    this.peer = peer;
    this.frames = frames;
    this.onClose = onClose;
    ImmutableList.Builder<WireStream> made = ImmutableList.builder();
    for (int i = 0; i <= dataStreams; i++) {
      made.add(new WireStream(i, this, nowNs));
    }
    streams = made.build();
  }

  UUID id() {
    return id;
  }

  FrameMemory frames() {
    return frames;
  }

  String peer() {
    return peer;
  }

  ImmutableList<WireStream> streams() {
    return streams;
  }

  @Override
  public int dataStreams() {
    return streams.size() - 1;
  }

  @Override
  public boolean send(int stream, Frame frame) {
    RefusedException why = failure.get();
    if (why != null) {
      throw why;
    }
    return streams.get(stream).offer(frame, stream == CONTROL);
  }

  @Override
  public @Nullable Frame poll(int stream) {
    Frame frame = streams.get(stream).poll();
    RefusedException why = failure.get();
    if (frame == null && why != null) {
      throw why;
    }
    return frame;
  }

  @Override
  public ByteBuffer payload(int bytes) {
    return frames.take(bytes);
  }

  @Override
  public void used(Frame frame) {
    frames.give(frame.payload());
  }

  @Override
  public boolean isFlushed() {
    return streams.stream().allMatch(stream -> stream.keptBytes() == 0);
  }

  @Override
  public Optional<RefusedException> failure() {
    return Optional.ofNullable(failure.get());
  }

  @Override
  public long silenceNs() {
    return streams.get(CONTROL).silenceNs();
  }

  @Override
  public void setWaker(Runnable newWaker) {
    waker = newWaker;
    newWaker.run();
  }

  @Override
  public Statistics statistics() {
    return new Statistics(
        bytesSent.sum(),
        bytesReceived.sum(),
        bytesRetransmitted.sum(),
        reconnects.intValue(),
        streams.stream().mapToLong(WireStream::keptBytes).sum(),
        0);
  }

  /** A frame is written. */
  void count(int bytes, boolean again) {
    bytesSent.add(bytes);
    if (again) {
      bytesRetransmitted.add(bytes);
    }
  }

  /** A frame was received. */
  void counted(int bytes) {
    bytesReceived.add(bytes);
  }

  /** Compression has spared bytes that {@link #count} has counted. */
  void saved(int bytes) {
    bytesSaved.add(bytes);
  }

  /** Bytes that compression has spared. */
  long bytesSaved() {
    return bytesSaved.sum();
  }

  /** A cut was mended. */
  void reconnected() {
    reconnects.increment();
  }

  void wake() {
    waker.run();
  }

  /** Nobody will take what has come, nor what comes yet. */
  void discard() {
    streams.forEach(WireStream::discard);
  }

  boolean isEnded() {
    return failure.get() != null;
  }

  /** Ends the link for a reason; the first one counts. */
  void fail(RefusedException why) {
    end(why, WireMessages.bye());
  }

  /** As {@link #fail}, because of what the peer has said: it is told. */
  void refuse(RefusedException why) {
    end(why, WireMessages.refused(why));
  }

  @Override
  public void close() {
    end(WireFailure.closed(), WireMessages.bye());
  }

  private void end(RefusedException why, WireSection lastWord) {
    if (failure.compareAndSet(null, why)) {
      end(lastWord);
    }
  }

  private void end(WireSection lastWord) {
    if (closed.compareAndSet(false, true)) {
      onClose.run();
      if (bytesSaved.sum() > 0) {
        LOG.atInfo()
            .addKeyValue("peer", peer)
            .addKeyValue("bytes", bytesSent.sum())
            .addKeyValue("saved", bytesSaved.sum())
            .log("pages were compressed");
      }
      streams.forEach(stream -> stream.close(lastWord));
    }
    wake();
  }
}

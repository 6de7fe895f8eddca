package io.sluice.daemon.migration;

import io.sluice.abi.Errno;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A link to a peer that accepts what it is offered, says that it is ready if it builds, and what it
 * is told to.
 */
final class PeerScript implements MigrationLink {
  /** The kinds of all frames that were sent to it. */
  final List<FrameType> told = new CopyOnWriteArrayList<>();

  private final Queue<Frame> coming = new ArrayDeque<>();
  private volatile @Nullable RefusedException ended;

  /** Whether it says that it is ready when all has come. */
  boolean builds;

  /** Thrown by the next look for a frame. */
  @Nullable Error next;

  /** What the peer says. */
  void says(Frame frame) {
    coming.add(frame);
  }

  @Override
  public int dataStreams() {
    return 1;
  }

  @Override
  public boolean send(int stream, Frame frame) {
    told.add(frame.type());
    if (frame.type() == FrameType.OFFER) {
      says(Frame.of(FrameType.ACCEPT, ByteBuffer.wrap(new FieldWriter().bits(1).toBytes())));
    }
    if (frame.type() == FrameType.RESTORE && builds) {
      coming.add(Frame.of(FrameType.READY));
    }
    return true;
  }

  @Override
  public @Nullable Frame poll(int stream) {
    Error failure = next;
    if (failure != null) {
      next = null;
      throw failure;
    }
    Frame frame = stream == CONTROL ? coming.poll() : null;
    RefusedException why = ended;
    if (frame == null && why != null) {
      throw why;
    }
    return frame;
  }

  @Override
  public boolean isFlushed() {
    return true;
  }

  @Override
  public Optional<RefusedException> failure() {
    return Optional.ofNullable(ended);
  }

  @Override
  public void setWaker(Runnable waker) {}

  @Override
  public Statistics statistics() {
    return new Statistics(0, 0, 0, 0, 0, 0);
  }

  @Override
  public void close() {
    ended = new RefusedException("SLU-MIG-900", Errno.ENOTCONN, "closed", "");
  }
}

package io.sluice.migrate.link;

import io.sluice.abi.RefusedException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A link that does what another does, for tests to change some of it. */
public class ForwardingLink implements MigrationLink {
  private final MigrationLink link;

  /**
   * @param link what does the work
   */
  protected ForwardingLink(MigrationLink link) {
    this.link = link;
  }

  @Override
  public int dataStreams() {
    return link.dataStreams();
  }

  @Override
  public boolean send(int stream, Frame frame) {
    return link.send(stream, frame);
  }

  @Override
  public ByteBuffer payload(int bytes) {
    return link.payload(bytes);
  }

  @Override
  public @Nullable Frame poll(int stream) {
    return link.poll(stream);
  }

  @Override
  public void used(Frame frame) {
    link.used(frame);
  }

  @Override
  public boolean isFlushed() {
    return link.isFlushed();
  }

  @Override
  public Optional<RefusedException> failure() {
    return link.failure();
  }

  @Override
  public long silenceNs() {
    return link.silenceNs();
  }

  @Override
  public void setWaker(Runnable waker) {
    link.setWaker(waker);
  }

  @Override
  public Statistics statistics() {
    return link.statistics();
  }

  @Override
  public void close() {
    link.close();
  }
}

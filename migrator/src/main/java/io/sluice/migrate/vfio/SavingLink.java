package io.sluice.migrate.vfio;

import io.sluice.abi.RefusedException;
import io.sluice.channel.record.Section;
import io.sluice.migrate.engine.Offer;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.phase.StateMachine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The source's end of a migration whose bytes a client fetches. It plays the destination that takes
 * the offer and then says nothing: what becomes of the bytes is the client's affair.
 */
final class SavingLink implements MigrationLink {
  /** Bytes of pages that wait for the client: then the engine does. */
  private static final int WINDOW_BYTES = 1 << 20;

  private final StateMachine<SavingLinkStage, SavingLinkStage> life =
      new StateMachine<>("stream that a client fetches", SavingLinkStage.BEGUN);
  private final Deque<ByteBuffer> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private long sections;
  private long fetchedBytes;

  SavingLink() {
    put(DeviceStream.head());
  }

  private void put(Section section) {
    ByteBuffer bytes = ByteBuffer.allocate(section.sizeBytes());
    section.write(bytes);
    waiting.add(bytes.flip());
    waitingBytes += bytes.remaining();
    sections++;
  }

  /** Whether the end was put. */
  boolean isComplete() {
    return life.stage() == SavingLinkStage.COMPLETE;
  }

  /** All frames were sent: the end follows. */
  void complete() {
    life.enter(SavingLinkStage.COMPLETE, "all was sent");
    ByteBuffer count = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    put(new Section(DeviceStream.END, DeviceStream.VERSION, count.putLong(sections).array()));
  }

  /** Moves what waits into a segment; how many bytes. */
  int fetch(MemorySegment into) {
    int done = 0;
    ByteBuffer first = waiting.peek();
    while (first != null && done < into.byteSize()) {
      int some = (int) Math.min(first.remaining(), into.byteSize() - done);
      MemorySegment.copy(first.array(), first.position(), into, ValueLayout.JAVA_BYTE, done, some);
      first.position(first.position() + some);
      done += some;
      if (!first.hasRemaining()) {
        waiting.remove();
        first = waiting.peek();
      }
    }
    waitingBytes -= done;
    fetchedBytes += done;
    return done;
  }

  @Override
  public int dataStreams() {
    return 1;
  }

  @Override
  public boolean send(int stream, Frame frame) {
    if (stream != CONTROL && waitingBytes >= WINDOW_BYTES) {
      return false;
    }
    if (frame.type() == FrameType.OFFER) {
      life.enter(SavingLinkStage.OFFERED, "the guest is offered");
    }
    if (frame.type() != FrameType.HEARTBEAT) {
      byte[] payload = new byte[frame.payload().remaining()];
      frame.reader().get(payload);
      put(new Section(frame.type().number(), frame.version(), payload));
    }
    return true;
  }

  @Override
  public @Nullable Frame poll(int stream) {
    if (stream != CONTROL || life.stage() != SavingLinkStage.OFFERED) {
      return null;
    }
    life.enter(SavingLinkStage.ANSWERED, "a client takes what it gets");
    ByteBuffer payload = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    return Frame.of(FrameType.ACCEPT, payload.putInt(Offer.VERSION).flip());
  }

  @Override
  public boolean isFlushed() {
    return waiting.isEmpty();
  }

  @Override
  public Optional<RefusedException> failure() {
    return Optional.empty();
  }

  @Override
  public void setWaker(Runnable waker) {}

  @Override
  public Statistics statistics() {
    return new Statistics(fetchedBytes + waitingBytes, 0, 0, 0, waitingBytes, 0);
  }

  @Override
  public void close() {
    waiting.clear();
    waitingBytes = 0;
  }
}

package io.sluice.migrate.vfio;

import io.sluice.abi.RefusedException;
import io.sluice.channel.record.Section;
import io.sluice.channel.record.SectionHeader;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.phase.StateMachine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The destination's end of a migration whose bytes a client brings. It plays the source that sent
 * them. Nothing of a section is believed before its sum is right, and no more is held than one
 * section and what the engine has not taken yet.
 */
final class ResumingLink implements MigrationLink {
  /** Bytes of frames that the engine has not taken: more cannot come of a good stream. */
  private static final int MAX_WAITING_BYTES = 4 << 20;

  private final StateMachine<ResumingLinkStage, ResumingLinkStage> life =
      new StateMachine<>("stream that a client brings", ResumingLinkStage.EMPTY);
  private final byte[] partial = new byte[SectionHeader.BYTES + SectionHeader.MAX_PAYLOAD_BYTES];
  private final Deque<Frame> frames = new ArrayDeque<>();
  private int partialBytes;
  private long waitingBytes;
  private long sections;
  private long receivedBytes;

  /**
   * Takes bytes.
   *
   * @throws RefusedException EPROTO
   */
  void feed(MemorySegment from) {
    receivedBytes += from.byteSize();
    long at = 0;
    while (at < from.byteSize()) {
      if (isComplete()) {
        throw DeviceStream.bad("there is something behind its end");
      }
      int some = (int) Math.min(wanted() - partialBytes, from.byteSize() - at);
      MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, partial, partialBytes, some);
      partialBytes += some;
      at += some;
      if (partialBytes == wanted() && partialBytes >= SectionHeader.BYTES) {
        Section section = Section.read(ByteBuffer.wrap(partial, 0, partialBytes));
        partialBytes = 0;
        take(section);
      }
    }
  }

  /** Bytes of the section under way, as far as is known: a head at first. */
  private int wanted() {
    return partialBytes < SectionHeader.BYTES
        ? SectionHeader.BYTES
        : SectionHeader.BYTES
            + SectionHeader.read(ByteBuffer.wrap(partial, 0, partialBytes)).length();
  }

  private void take(Section section) {
    boolean first = life.stage() == ResumingLinkStage.EMPTY;
    boolean head = section.id() == DeviceStream.HEAD;
    if (first != head) {
      throw DeviceStream.bad("it does not begin as one");
    }
    if (head) {
      checkHead(section);
      life.enter(ResumingLinkStage.COMING, "its head has come");
    } else if (section.id() == DeviceStream.END) {
      if (section.payload().remaining() != Long.BYTES || section.payload().getLong() != sections) {
        throw DeviceStream.bad("parts are missing or too many, parts=" + sections);
      }
      life.enter(isReady() ? ResumingLinkStage.WHOLE : ResumingLinkStage.ENDED, "all has come");
    } else {
      add(section);
    }
    sections++;
  }

  private static void checkHead(Section section) {
    byte[] found = new byte[section.payload().remaining()];
    section.payload().get(found);
    if (!Arrays.equals(found, DeviceStream.MAGIC.getBytes(StandardCharsets.US_ASCII))) {
      throw DeviceStream.bad("it does not begin as one");
    }
    if (section.version() != DeviceStream.VERSION) {
      throw DeviceStream.bad("it is of an unknown version, version=" + section.version());
    }
  }

  private void add(Section section) {
    FrameType type = FrameType.of(section.id());
    if (type == null) {
      throw DeviceStream.bad("a part is of no known kind, id=" + section.id());
    }
    Frame frame = new Frame(type, section.version(), section.payload());
    waitingBytes += frame.sizeBytes();
    if (waitingBytes > MAX_WAITING_BYTES) {
      throw DeviceStream.bad("it cannot be taken in, type=" + type);
    }
    frames.add(frame);
  }

  /** Whether the end has come, and all before it. */
  boolean isComplete() {
    return life.stage().isEnded();
  }

  /** Whether the engine has built the guest. */
  boolean isReady() {
    return life.stage().isBuilt();
  }

  /** The guest is this side's. */
  void commit() {
    life.enter(ResumingLinkStage.COMMITTING, "the client says so");
  }

  @Override
  public int dataStreams() {
    return 1;
  }

  @Override
  public boolean send(int stream, Frame frame) {
    if (frame.type() == FrameType.READY) {
      life.enter(isComplete() ? ResumingLinkStage.WHOLE : ResumingLinkStage.BUILT, "it is built");
    }
    return true;
  }

  @Override
  public @Nullable Frame poll(int stream) {
    if (stream == CONTROL && life.stage() == ResumingLinkStage.COMMITTING) {
      life.enter(ResumingLinkStage.COMMITTED, "the engine is told");
      return Frame.of(FrameType.COMMIT);
    }
    Frame next = frames.peek();
    if (next == null || next.isOfPages() != (stream != CONTROL)) {
      return null;
    }
    frames.remove();
    waitingBytes -= next.sizeBytes();
    return next;
  }

  @Override
  public boolean isFlushed() {
    return true;
  }

  @Override
  public Optional<RefusedException> failure() {
    return Optional.empty();
  }

  @Override
  public void setWaker(Runnable waker) {}

  @Override
  public Statistics statistics() {
    return new Statistics(0, receivedBytes, 0, 0, 0, 0);
  }

  @Override
  public void close() {
    frames.clear();
  }
}

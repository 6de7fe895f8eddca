package io.sluice.remoting.state;

import io.sluice.remoting.state.StateItem.Answered;
import io.sluice.remoting.state.StateItem.ApplicationPlace;
import io.sluice.remoting.state.StateItem.Beat;
import io.sluice.remoting.state.StateItem.Bytes;
import io.sluice.remoting.state.StateItem.Changed;
import io.sluice.remoting.state.StateItem.Complete;
import io.sluice.remoting.state.StateItem.Content;
import io.sluice.remoting.state.StateItem.Entity;
import io.sluice.remoting.state.StateItem.Failure;
import io.sluice.remoting.state.StateItem.FilePart;
import io.sluice.remoting.state.StateItem.Go;
import io.sluice.remoting.state.StateItem.Gone;
import io.sluice.remoting.state.StateItem.Head;
import io.sluice.remoting.state.StateItem.Held;
import io.sluice.remoting.state.StateItem.Hold;
import io.sluice.remoting.state.StateItem.Kept;
import io.sluice.remoting.state.StateItem.KeptCall;
import io.sluice.remoting.state.StateItem.Made;
import io.sluice.remoting.state.StateItem.Mapped;
import io.sluice.remoting.state.StateItem.MemoryRange;
import io.sluice.remoting.state.StateItem.Notice;
import io.sluice.remoting.state.StateItem.Open;
import io.sluice.remoting.state.StateItem.Prepared;
import io.sluice.remoting.state.StateItem.Ready;
import io.sluice.remoting.state.StateItem.Recall;
import io.sluice.remoting.state.StateItem.Refused;
import io.sluice.remoting.state.StateItem.Resume;
import io.sluice.remoting.state.StateItem.Ring;
import io.sluice.remoting.state.StateItem.Root;
import io.sluice.remoting.state.StateItem.Segment;
import io.sluice.remoting.state.StateItem.Sent;
import io.sluice.remoting.state.StateItem.Settled;
import io.sluice.remoting.state.StateItem.Stage;
import io.sluice.remoting.state.StateItem.Stay;
import io.sluice.remoting.state.StateItem.Wanted;
import io.sluice.remoting.state.StateItem.Writes;
import io.sluice.remoting.state.StateItem.Written;
import java.lang.foreign.MemorySegment;

/**
 * The items of a state stream as frames.
 *
 * <pre>
 * u32 bytes (of the frame, these included)   u16 type   u16 0   the item's fields
 * </pre>
 *
 * A frame that is longer than its fields, or shorter, is refused.
 */
public final class StateCodec {
  /** The first bytes of a stream, in its head. */
  static final int MAGIC = 0x53535453;

  /** The one version there is. */
  static final int VERSION = 1;

  /** Bytes before an item's fields. */
  public static final int HEADER_BYTES = 8;

  /** Most bytes of a frame. */
  public static final int FRAME_BYTES = 16 << 20;

  /** Most bytes that a program's source, or what else an object needs, may have. */
  public static final int PAYLOAD_BYTES = 8 << 20;

  /** Most bytes of a piece of content. */
  public static final int CONTENT_BYTES = 4 << 20;

  private static final int MESSAGE_BYTES = 16 << 10;
  private static final int NAMED = 4096;
  private static final int OBJECTS = 256;
  private static final int TIMES = 8;
  private static final int TEXT_BYTES = 1024;
  private static final int REASONS = 64;
  private static final int VALUES = 15;
  private static final int KINDS = 64;

  private StateCodec() {}

  /** The type of an item: its place in the table of docs/session-protocol.md. */
  private static int type(StateItem item) {
    return switch (item) {
      case Head _ -> 1;
      case Segment _ -> 2;
      case Root _ -> 3;
      case Made _ -> 4;
      case Changed _ -> 5;
      case Gone _ -> 6;
      case Content _ -> 7;
      case Settled _ -> 8;
      case Open _ -> 9;
      case Mapped _ -> 10;
      case Failure _ -> 11;
      case Ring _ -> 12;
      case Notice _ -> 13;
      case Prepared _ -> 14;
      case Complete _ -> 15;
      case Go _ -> 16;
      case Ready _ -> 17;
      case Refused _ -> 18;
      case Bytes _ -> 40;
      case Sent _ -> 41;
      case Writes _ -> 42;
      case Answered _ -> 43;
      case Written _ -> 44;
      case Wanted _ -> 45;
      case Recall _ -> 46;
      case Stay _ -> 47;
      case Stage _ -> 48;
      case Hold _ -> 49;
      case Held _ -> 50;
      case Resume _ -> 51;
      case Kept _ -> 52;
      case Beat _ -> 53;
    };
  }

  /** Appends an item. */
  static void write(StateItem item, FrameWriter out) {
    out.begin(type(item));
    switch (item) {
      case Head head -> {
        out.number(MAGIC);
        out.number(VERSION);
        out.number(head.api());
        out.number(1 + head.place().ordinal());
        out.text(head.implementation(), TEXT_BYTES);
      }
      case Segment segment -> {
        out.number(segment.index());
        out.large(segment.bytes());
        out.list(segment.parts(), part -> write(part, out));
      }
      case Root root -> {
        write(root.object(), out);
        out.text(root.name(), TEXT_BYTES);
      }
      case Made made -> {
        out.list(made.objects(), entity -> write(entity, out));
        write(made.call(), out);
        out.bytes(made.payload());
      }
      case Changed changed -> {
        out.large(changed.object());
        write(changed.call(), out);
        out.number(changed.status());
      }
      case Gone gone -> {
        out.large(gone.object());
        out.number(gone.needed() ? 1 : 0);
      }
      case Content content -> {
        out.large(content.object());
        out.large(content.position());
        out.number(content.length());
        out.bytes(content.bytes());
      }
      case Settled settled -> {
        write(settled.event(), out);
        out.large(settled.order());
        out.number(settled.status());
        out.list(settled.times(), out::large);
      }
      case Open open -> {
        write(open.call(), out);
        out.number(open.answerSlot());
        out.list(open.made(), entity -> write(entity, out));
      }
      case Mapped mapped -> {
        out.large(mapped.object());
        out.large(mapped.offset());
        out.large(mapped.bytes());
        out.large(mapped.flags());
      }
      case Failure failure -> {
        out.large(failure.object());
        out.number(failure.status());
      }
      case Ring ring -> {
        out.number(ring.submitTail());
        out.number(ring.noticeHead());
        out.large(ring.calls());
      }
      case Notice notice -> {
        out.number(notice.kind());
        out.number(notice.status());
        out.number(notice.index());
      }
      case Prepared _, Complete _, Go _, Ready _, Stay _, Hold _, Held _, Resume _ -> {}
      case Refused refused ->
          out.list(
              refused.reasons().stream().limit(REASONS).toList(),
              reason -> out.text(reason, TEXT_BYTES));
      case Bytes bytes -> {
        out.large(bytes.call());
        out.large(bytes.place());
        out.bytes(bytes.bytes());
      }
      case Sent sent -> {
        out.large(sent.number());
        out.list(sent.written(), range -> write(range, out));
        out.bytes(sent.message());
      }
      case Writes writes -> {
        out.large(writes.serial());
        out.list(writes.written(), range -> write(range, out));
      }
      case Answered answered -> {
        out.large(answered.call());
        out.number(answered.status());
        out.list(answered.values(), out::large);
      }
      case Written written -> out.large(written.call());
      case Wanted wanted -> write(wanted.range(), out);
      case Recall recall -> out.number(recall.checkOnly() ? 1 : 0);
      case Stage stage -> out.number(stage.number());
      case Kept kept -> {
        out.text(kept.error(), TEXT_BYTES);
        out.list(
            kept.reasons().stream().limit(REASONS).toList(),
            reason -> out.text(reason, TEXT_BYTES));
      }
      case Beat beat -> {
        out.list(beat.objects(), out::large);
        out.large(beat.bytes());
      }
    }
    out.end();
  }

  private static void write(FilePart part, FrameWriter out) {
    out.number(part.file());
    out.large(part.offset());
    out.large(part.bytes());
  }

  private static void write(Entity entity, FrameWriter out) {
    out.number(entity.kind());
    out.number(entity.index());
    out.large(entity.serial());
    out.number(entity.released() ? 1 : 0);
  }

  private static void write(MemoryRange range, FrameWriter out) {
    out.large(range.place());
    out.large(range.size());
  }

  private static void write(KeptCall call, FrameWriter out) {
    out.number(call.number());
    out.large(call.serial());
    out.bytes(call.message());
    out.list(call.named(), out::large);
  }

  /**
   * The item of a frame.
   *
   * @throws StateException for one that is not as the table says
   */
  static StateItem read(int type, FrameReader in) throws StateException {
    StateItem item =
        switch (type) {
          case 1 -> head(in);
          case 2 ->
              new Segment(
                  in.number(0, 63),
                  in.large(1, Long.MAX_VALUE),
                  in.list(FilePart.MOST, () -> part(in)));
          case 3 -> new Root(entity(in), in.text(TEXT_BYTES));
          case 4 -> new Made(in.list(OBJECTS, () -> entity(in)), call(in), in.bytes(PAYLOAD_BYTES));
          case 5 -> new Changed(serial(in), call(in), in.number());
          case 6 -> new Gone(serial(in), in.number(0, 1) == 1);
          case 7 -> content(in);
          case 8 ->
              new Settled(
                  entity(in),
                  in.large(0, Long.MAX_VALUE),
                  in.number(Integer.MIN_VALUE, 0),
                  in.list(TIMES, () -> in.large(Long.MIN_VALUE, Long.MAX_VALUE)));
          case 9 -> new Open(call(in), in.number(0, 64), in.list(1, () -> entity(in)));
          case 10 ->
              new Mapped(
                  serial(in),
                  in.large(0, Long.MAX_VALUE),
                  in.large(1, Long.MAX_VALUE),
                  in.large(0, Long.MAX_VALUE));
          case 11 -> new Failure(serial(in), in.number(Integer.MIN_VALUE, -1));
          case 12 -> new Ring(in.number(), in.number(), in.large(0, Long.MAX_VALUE));
          case 13 -> new Notice(in.number(), in.number(), in.number());
          case 14 -> new Prepared();
          case 15 -> new Complete();
          case 16 -> new Go();
          case 17 -> new Ready();
          case 18 -> new Refused(in.list(REASONS, () -> in.text(TEXT_BYTES)));
          case 40 -> new Bytes(number(in), in.large(0, Long.MAX_VALUE), in.bytes(CONTENT_BYTES));
          case 41 ->
              new Sent(
                  serial(in), in.list(MemoryRange.MOST, () -> range(in)), in.bytes(MESSAGE_BYTES));
          case 42 -> new Writes(serial(in), in.list(MemoryRange.MOST, () -> range(in)));
          case 43 -> new Answered(number(in), in.number(), in.list(VALUES, () -> number(in)));
          case 44 -> new Written(number(in));
          case 45 -> new Wanted(range(in));
          case 46 -> new Recall(in.number(0, 1) == 1);
          case 47 -> new Stay();
          case 48 -> new Stage(in.number(0, StateStage.values().length - 1));
          case 49 -> new Hold();
          case 50 -> new Held();
          case 51 -> new Resume();
          case 52 -> new Kept(in.text(TEXT_BYTES), in.list(REASONS, () -> in.text(TEXT_BYTES)));
          case 53 ->
              new Beat(
                  in.list(KINDS, () -> in.large(0, Long.MAX_VALUE)), in.large(0, Long.MAX_VALUE));
          default -> throw new StateException("an item of no known type, type=" + type);
        };
    in.end();
    return item;
  }

  private static Head head(FrameReader in) throws StateException {
    int magic = in.number();
    int version = in.number();
    if (magic != MAGIC || version != VERSION) {
      throw new StateException(
          "a stream of another protocol, magic=0x"
              + Integer.toHexString(magic)
              + ", version="
              + version);
    }
    return new Head(
        in.number(1, 0xffff),
        ApplicationPlace.values()[in.number(1, ApplicationPlace.values().length) - 1],
        in.text(TEXT_BYTES));
  }

  private static FilePart part(FrameReader in) throws StateException {
    return new FilePart(
        in.number(0, FilePart.MOST_FILES - 1),
        in.large(0, Long.MAX_VALUE),
        in.large(1, Long.MAX_VALUE));
  }

  private static Content content(FrameReader in) throws StateException {
    long object = serial(in);
    long position = in.large(0, Long.MAX_VALUE - CONTENT_BYTES);
    int length = in.number(1, CONTENT_BYTES);
    MemorySegment bytes = in.segment(CONTENT_BYTES);
    if (bytes.byteSize() != 0 && bytes.byteSize() != length) {
      throw new StateException("content has not its length, length=" + length);
    }
    return new Content(object, position, length, bytes);
  }

  private static Entity entity(FrameReader in) throws StateException {
    return new Entity(in.number(1, 0xffff), in.number(1, 0xffff), serial(in), in.number(0, 1) == 1);
  }

  private static KeptCall call(FrameReader in) throws StateException {
    return new KeptCall(
        in.number(1, 0xffff),
        in.large(0, Long.MAX_VALUE),
        in.bytes(MESSAGE_BYTES),
        in.list(NAMED, () -> serial(in)));
  }

  private static MemoryRange range(FrameReader in) throws StateException {
    return new MemoryRange(in.large(0, Long.MAX_VALUE), in.large(1, Long.MAX_VALUE));
  }

  private static long number(FrameReader in) throws StateException {
    return in.large(Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private static long serial(FrameReader in) throws StateException {
    return in.large(1, Long.MAX_VALUE);
  }
}

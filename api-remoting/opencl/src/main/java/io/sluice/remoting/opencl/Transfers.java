package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.ApiState.StorageMap;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Commands that move bytes between the session's memory and the device's. Each names a range of
 * that memory, and the range must hold all that the command touches.
 */
final class Transfers {
  /** Numbers of a box of two rectangles: three each, then four pitches. */
  private static final int RECT_BOX = 13;

  /** Numbers of a box of an image: origin, region, two pitches. */
  private static final int IMAGE_BOX = 8;

  private final Memo memo;
  private final Commands commands;
  private final Touched touched;
  private final Gates gates;
  private final DeviceWork work;
  private final DirectCopies direct;
  private final PinnedMemory pinned;

  Transfers(
      Memo memo,
      Commands commands,
      Touched touched,
      Gates gates,
      DeviceWork work,
      DirectCopies direct,
      PinnedMemory pinned) {
    this.memo = memo;
    this.commands = commands;
    this.touched = touched;
    this.gates = gates;
    this.work = work;
    this.direct = direct;
    this.pinned = pinned;
  }

  void readBuffer(OpenClCall.ReadBuffer c, Answer answer) {
    boolean isAlone = c.event() == 0 && c.waits().isEmpty() && !answer.expectsBytes();
    MemorySegment mapped = direct.bytes(c.queue(), c.mem(), c.offset(), c.to().byteSize(), isAlone);
    if (mapped != null) {
      work.run(c.queue(), () -> DirectCopies.copy(mapped, c.to(), c.to().byteSize()));
      answer.give(ClStatus.SUCCESS);
      return;
    }
    pinned.reach(c.queue(), c.to());
    commands.enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        c.to().byteSize(),
        (count, waits, event) ->
            OpenClLibrary.clEnqueueReadBuffer(
                c.queue().handle(),
                c.mem().handle(),
                0,
                c.offset(),
                c.to().byteSize(),
                c.to(),
                count,
                waits,
                event));
  }

  void writeBuffer(OpenClCall.WriteBuffer c, Answer answer) {
    touched.write(c.mem());
    boolean isAlone = c.event() == 0 && c.waits().isEmpty();
    MemorySegment mapped =
        direct.bytes(c.queue(), c.mem(), c.offset(), c.from().byteSize(), isAlone);
    if (mapped != null) {
      work.run(c.queue(), () -> DirectCopies.copy(c.from(), mapped, c.from().byteSize()));
      answer.give(ClStatus.SUCCESS);
      return;
    }
    pinned.reach(c.queue(), c.from());
    commands.enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        c.from().byteSize(),
        (count, waits, event) ->
            OpenClLibrary.clEnqueueWriteBuffer(
                c.queue().handle(),
                c.mem().handle(),
                0,
                c.offset(),
                c.from().byteSize(),
                c.from(),
                count,
                waits,
                event));
  }

  void readRect(OpenClCall.ReadRect c, Answer answer) {
    long[] box = c.box();
    if (!fits(box, c.to(), c.queue(), c.event(), answer)) {
      return;
    }
    pinned.reach(c.queue(), c.to());
    commands.enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        c.to().byteSize(),
        (count, waits, event) ->
            OpenClLibrary.clEnqueueReadBufferRect(
                c.queue().handle(),
                c.mem().handle(),
                0,
                memo.longs(box, 0, 3),
                memo.longs(box, 3, 3),
                memo.longs(box, 6, 3),
                box[9],
                box[10],
                box[11],
                box[12],
                c.to(),
                count,
                waits,
                event));
  }

  void writeRect(OpenClCall.WriteRect c, Answer answer) {
    long[] box = c.box();
    touched.write(c.mem());
    if (!fits(box, c.from(), c.queue(), c.event(), answer)) {
      return;
    }
    pinned.reach(c.queue(), c.from());
    commands.enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        c.from().byteSize(),
        (count, waits, event) ->
            OpenClLibrary.clEnqueueWriteBufferRect(
                c.queue().handle(),
                c.mem().handle(),
                0,
                memo.longs(box, 0, 3),
                memo.longs(box, 3, 3),
                memo.longs(box, 6, 3),
                box[9],
                box[10],
                box[11],
                box[12],
                c.from(),
                count,
                waits,
                event));
  }

  /** Whether the host's rectangle of a box lies in a range; else the command fails. */
  private boolean fits(
      long[] box, MemorySegment range, SessionObject queue, int event, Answer answer) {
    if (!commands.isLong(box, RECT_BOX, queue, event, answer)) {
      return false;
    }
    long end = Long.MAX_VALUE;
    try {
      long row = box[11] != 0 ? box[11] : box[6];
      long slice = box[12] != 0 ? box[12] : Math.multiplyExact(row, box[7]);
      long start =
          Math.addExact(
              Math.addExact(box[3], Math.multiplyExact(box[4], row)),
              Math.multiplyExact(box[5], slice));
      long piece = Images.pieceBytes(box[6], box[7], box[8], 1, row, slice);
      end = box[3] < 0 || box[4] < 0 || box[5] < 0 ? end : Math.addExact(start, piece);
    } catch (ArithmeticException _) {
      // stays beyond any range
    }
    return holds(range, end, queue, event, answer);
  }

  private boolean holds(
      MemorySegment range, long bytes, SessionObject queue, int event, Answer answer) {
    if (bytes >= 0 && bytes <= range.byteSize()) {
      return true;
    }
    commands.refuse(queue, event, answer, ClStatus.INVALID_VALUE);
    return false;
  }

  void readImage(OpenClCall.ReadImage c, Answer answer) {
    long[] box = c.box();
    if (!fitsImage(c.mem(), box, c.to(), c.queue(), c.event(), answer)) {
      return;
    }
    pinned.reach(c.queue(), c.to());
    commands.enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        c.to().byteSize(),
        (count, waits, event) ->
            OpenClLibrary.clEnqueueReadImage(
                c.queue().handle(),
                c.mem().handle(),
                0,
                memo.longs(box, 0, 3),
                memo.longs(box, 3, 3),
                box[6],
                box[7],
                c.to(),
                count,
                waits,
                event));
  }

  void writeImage(OpenClCall.WriteImage c, Answer answer) {
    long[] box = c.box();
    touched.write(c.mem());
    if (!fitsImage(c.mem(), box, c.from(), c.queue(), c.event(), answer)) {
      return;
    }
    pinned.reach(c.queue(), c.from());
    commands.enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        c.from().byteSize(),
        (count, waits, event) ->
            OpenClLibrary.clEnqueueWriteImage(
                c.queue().handle(),
                c.mem().handle(),
                0,
                memo.longs(box, 0, 3),
                memo.longs(box, 3, 3),
                box[6],
                box[7],
                c.from(),
                count,
                waits,
                event));
  }

  private boolean fitsImage(
      SessionObject mem,
      long[] box,
      MemorySegment range,
      SessionObject queue,
      int event,
      Answer answer) {
    if (!commands.isLong(box, IMAGE_BOX, queue, event, answer)) {
      return false;
    }
    if (!mem.has(Memory.ImageShape.class)) {
      commands.refuse(queue, event, answer, ClStatus.INVALID_MEM_OBJECT);
      return false;
    }
    long bytes = Images.boxBytes(mem.attachment(Memory.ImageShape.class), box);
    return holds(range, bytes, queue, event, answer);
  }

  void mapBuffer(OpenClCall.MapBuffer c, Answer answer) {
    if (!c.mem().has(Memory.MappedBuffer.class)) {
      commands.refuse(c.queue(), c.event(), answer, ClStatus.INVALID_MEM_OBJECT);
      return;
    }
    Memory.MappedBuffer buffer = c.mem().attachment(Memory.MappedBuffer.class);
    commands.enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        (count, waits, event) -> {
          MemorySegment error = memo.bytes(Integer.BYTES);
          long address =
              OpenClLibrary.clEnqueueMapBuffer(
                  c.queue().handle(),
                  c.mem().handle(),
                  0,
                  c.flags(),
                  c.offset(),
                  c.size(),
                  count,
                  waits,
                  event,
                  error);
          int status = error.get(ValueLayout.JAVA_INT, 0);
          if (status == ClStatus.SUCCESS) {
            Memory.mapped(
                buffer,
                c.offset(),
                new Memory.BufferMap(address, c.size(), c.flags(), gates.kept()));
          }
          return status;
        });
  }

  void unmapBuffer(OpenClCall.UnmapBuffer c, Answer answer) {
    Memory.BufferMap map =
        c.mem().has(Memory.MappedBuffer.class)
            ? Memory.unmapped(c.mem().attachment(Memory.MappedBuffer.class), c.offset())
            : null;
    if (map == null) {
      commands.refuse(c.queue(), c.event(), answer, ClStatus.INVALID_VALUE);
      return;
    }
    commands.enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        (count, waits, event) -> {
          Blocked call = gates.kept();
          if (call != null) {
            call.ends(new StorageMap(c.mem(), c.offset(), map.bytes(), map.flags()), map.by());
          }
          return map.address() == 0
              ? endMapThatCame(c, map, count, waits, event)
              : OpenClLibrary.clEnqueueUnmapMemObject(
                  c.queue().handle(), c.mem().handle(), map.address(), count, waits, event);
        });
  }

  /** The end of a map that the library does not have: it gets what was written there. */
  private int endMapThatCame(
      OpenClCall.UnmapBuffer c,
      Memory.BufferMap map,
      int count,
      MemorySegment waits,
      MemorySegment event) {
    if (!map.writes()) { // a marker that waits for nothing would wait for all before it
      MemorySegment mems = memo.handles(List.of(c.mem()));
      return OpenClLibrary.clEnqueueMigrateMemObjects(
          c.queue().handle(), 1, mems, 0, count, waits, event);
    }
    MemorySegment storage = c.mem().attachment(Memory.MappedBuffer.class).storage();
    return OpenClLibrary.clEnqueueWriteBuffer(
        c.queue().handle(),
        c.mem().handle(),
        0,
        c.offset(),
        map.bytes(),
        storage.asSlice(c.offset(), map.bytes()),
        count,
        waits,
        event);
  }
}

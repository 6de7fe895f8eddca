package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Contents;
import io.sluice.remoting.session.SessionObject;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The contents of buffers and images, by queues of our own, one for each context. A buffer's pieces
 * are of 64 KiB, an image's of as many whole rows as have about that.
 */
final class ClContents implements Contents {
  private static final int PIECE_BYTES = 64 << 10;

  /** Most bytes of a piece: those of the longest row that an image may have. */
  private static final int MOST_PIECE_BYTES = 4 << 20;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment room = arena.allocate(MOST_PIECE_BYTES, Long.BYTES);
  private final MemorySegment words = arena.allocate(64, Long.BYTES);
  private final Map<SessionObject, Long> queues = new HashMap<>();
  private boolean closed;

  /** An image as rows: bytes of each, rows of a slice, slices. */
  private record Rows(long bytes, long count, long slices) {
    static Rows of(Memory.ImageShape image) {
      long[] shape = image.shape();
      boolean lines = image.kind() == ClParam.MEM_OBJECT_IMAGE1D_ARRAY;
      boolean layers = image.kind() == ClParam.MEM_OBJECT_IMAGE2D_ARRAY;
      boolean deep = image.kind() == ClParam.MEM_OBJECT_IMAGE3D;
      boolean high = layers || deep || image.kind() == ClParam.MEM_OBJECT_IMAGE2D;
      return new Rows(
          shape[1] * image.elementBytes(),
          lines ? shape[4] : high ? Math.max(1, shape[2]) : 1,
          deep ? Math.max(1, shape[3]) : layers ? shape[4] : 1);
    }
  }

  @Override
  public void hold(SessionObject object) {
    Retained.retain(object);
  }

  @Override
  public void drop(SessionObject object) {
    Retained.release(object);
  }

  @Override
  public long bytes(SessionObject object) {
    if (object.has(Memory.LibraryBuffer.class)) {
      return object.attachment(Memory.LibraryBuffer.class).bytes();
    }
    if (!object.has(Memory.ImageShape.class)) {
      return 0;
    }
    Rows rows = Rows.of(object.attachment(Memory.ImageShape.class));
    return rows.bytes() * rows.count() * rows.slices();
  }

  @Override
  public int pieceBytes(SessionObject object) {
    if (object.has(Memory.LibraryBuffer.class)) {
      return PIECE_BYTES;
    }
    if (!object.has(Memory.ImageShape.class)) {
      return 0;
    }
    long row = Rows.of(object.attachment(Memory.ImageShape.class)).bytes();
    return (int) Math.min(Integer.MAX_VALUE, Math.max(1, PIECE_BYTES / row) * row);
  }

  @Override
  public void read(SessionObject object, long position, MemorySegment into)
      throws UnmovableException {
    move(object, position, into, false);
  }

  @Override
  public void write(SessionObject object, long position, MemorySegment from)
      throws UnmovableException {
    if (from.byteSize() > room.byteSize()) {
      throw refused(object, ClStatus.INVALID_VALUE);
    }
    MemorySegment copy = room.asSlice(0, from.byteSize()).copyFrom(from);
    move(object, position, copy, true);
  }

  private void move(SessionObject object, long position, MemorySegment bytes, boolean write)
      throws UnmovableException {
    if (object.has(Memory.ImageShape.class)) {
      moveRows(object, position, bytes, write);
      return;
    }
    long queue = queue(object);
    int status =
        write
            ? OpenClLibrary.clEnqueueWriteBuffer(
                queue,
                object.handle(),
                1,
                position,
                bytes.byteSize(),
                bytes,
                0,
                MemorySegment.NULL,
                MemorySegment.NULL)
            : OpenClLibrary.clEnqueueReadBuffer(
                queue,
                object.handle(),
                1,
                position,
                bytes.byteSize(),
                bytes,
                0,
                MemorySegment.NULL,
                MemorySegment.NULL);
    requireSuccess(object, status);
  }

  private void moveRows(SessionObject object, long position, MemorySegment bytes, boolean write)
      throws UnmovableException {
    Memory.ImageShape image = object.attachment(Memory.ImageShape.class);
    Rows rows = Rows.of(image);
    long first = position / rows.bytes();
    long left = bytes.byteSize() / rows.bytes();
    long at = 0;
    while (left > 0) {
      long row = first % rows.count();
      long some = Math.min(left, rows.count() - row);
      MemorySegment piece = bytes.asSlice(at, some * rows.bytes());
      requireSuccess(
          object,
          box(
              object,
              new long[] {0, row, first / rows.count()},
              new long[] {image.shape()[1], some, 1},
              piece,
              write));
      first += some;
      left -= some;
      at += piece.byteSize();
    }
  }

  private int box(
      SessionObject object, long[] origin, long[] region, MemorySegment bytes, boolean write)
      throws UnmovableException {
    MemorySegment.copy(origin, 0, words, ValueLayout.JAVA_LONG, 0, 3);
    MemorySegment.copy(region, 0, words, ValueLayout.JAVA_LONG, 24, 3);
    long queue = queue(object);
    return write
        ? OpenClLibrary.clEnqueueWriteImage(
            queue,
            object.handle(),
            1,
            words,
            words.asSlice(24),
            0,
            0,
            bytes,
            0,
            MemorySegment.NULL,
            MemorySegment.NULL)
        : OpenClLibrary.clEnqueueReadImage(
            queue,
            object.handle(),
            1,
            words,
            words.asSlice(24),
            0,
            0,
            bytes,
            0,
            MemorySegment.NULL,
            MemorySegment.NULL);
  }

  /**
   * Has a buffer's storage in the application's memory as the library has the buffer, or the other
   * way. Not by a map: PoCL 3.1 takes its end for that of another one, which may wait.
   */
  void bring(SessionObject object, MemorySegment storage, boolean toLibrary)
      throws UnmovableException {
    move(object, 0, storage, toLibrary);
  }

  /** Of the object's context; what made the object names that first. */
  private long queue(SessionObject object) throws UnmovableException {
    SessionObject context = Touched.root(object).creation().named().getFirst();
    Long known = queues.get(context);
    if (known != null) {
      return known;
    }
    MemorySegment error = words.asSlice(56);
    long queue =
        OpenClLibrary.clCreateCommandQueueWithProperties(
            context.handle(),
            context.creation().named().getFirst().handle(),
            MemorySegment.NULL,
            error);
    if (queue == 0) {
      throw refused(context, error.get(ValueLayout.JAVA_INT, 0));
    }
    queues.put(context, queue);
    return queue;
  }

  private static void requireSuccess(SessionObject object, int status) throws UnmovableException {
    if (status != ClStatus.SUCCESS) {
      throw refused(object, status);
    }
  }

  private static UnmovableException refused(SessionObject object, int status) {
    return new UnmovableException(
        List.of(object + " has contents that cannot be moved, status=" + status));
  }

  @Override
  public void finish() {
    for (long queue : queues.values()) {
      int _ = OpenClLibrary.clFinish(queue);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (long queue : queues.values()) {
      int _ = OpenClLibrary.clReleaseCommandQueue(queue);
    }
    arena.close();
  }
}

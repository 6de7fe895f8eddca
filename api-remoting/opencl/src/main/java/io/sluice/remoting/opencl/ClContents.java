package io.sluice.remoting.opencl;

import io.sluice.remoting.opencl.names.StatusNames;
import io.sluice.remoting.session.Contents;
import io.sluice.remoting.session.SessionObject;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The contents of buffers and images, by queues of our own, one for each context. A buffer's pieces
 * are of 64 KiB, an image's of as many whole rows as have about that. By the thread that moves the
 * first of them, but for what the session's thread holds.
 */
final class ClContents implements Contents {
  private static final int PIECE_BYTES = 64 << 10;

  /** Bytes of what is written together: no fewer than the longest row that an image may have. */
  private static final int ROOM_BYTES = 4 << 20;

  /** Where a piece begins there. */
  private static final int ALIGNMENT = 64;

  private final Map<SessionObject, OwnQueue> queues = new HashMap<>();
  private @Nullable Arena arena;
  private @Nullable MemorySegment room; // made when it is needed: zeroing it takes milliseconds
  private long used; // of the room
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
    requireSuccess(
        object, from.byteSize() > ROOM_BYTES ? ClStatus.INVALID_VALUE : ClStatus.SUCCESS);
    if (used + from.byteSize() > ROOM_BYTES) {
      await();
      used = 0;
    }
    MemorySegment copy = room().asSlice(used, from.byteSize()).copyFrom(from);
    used += (from.byteSize() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    move(object, position, copy, true);
  }

  private void move(SessionObject object, long position, MemorySegment bytes, boolean write)
      throws UnmovableException {
    if (object.has(Memory.ImageShape.class)) {
      moveRows(object, position, bytes, write);
    } else {
      requireSuccess(object, queue(object).buffer(object, position, bytes, write));
    }
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
      long[] origin = {0, row, first / rows.count()};
      long[] region = {image.shape()[1], some, 1};
      requireSuccess(object, queue(object).box(object, origin, region, piece, write));
      first += some;
      left -= some;
      at += piece.byteSize();
    }
  }

  /** What the library refuses ends what was begun before. */
  private void requireSuccess(SessionObject object, int status) throws UnmovableException {
    if (status != ClStatus.SUCCESS) {
      await();
      throw refused(object, status);
    }
  }

  @Override
  public void await() throws UnmovableException {
    UnmovableException refused = null;
    for (OwnQueue queue : queues.values()) {
      try {
        queue.await();
      } catch (UnmovableException failed) {
        refused = failed; // and the others are waited for none the less
      }
    }
    if (refused != null) {
      throw refused;
    }
  }

  /**
   * Begins to have a buffer's storage in the application's memory as the library has the buffer, or
   * the other way. Not by a map: PoCL 3.1 takes its end for that of another one, which may wait.
   */
  void bring(SessionObject object, MemorySegment storage, boolean toLibrary)
      throws UnmovableException {
    move(object, 0, storage, toLibrary);
  }

  /** What it means that the library refuses to move contents. */
  private static UnmovableException refused(SessionObject object, int status) {
    return new UnmovableException(
        List.of(object + " has contents that cannot be moved, " + StatusNames.of(status)));
  }

  /** That of the object's context, which what made the object names first; with room. */
  private OwnQueue queue(SessionObject object) throws UnmovableException {
    SessionObject context = Touched.root(object).creation().named().getFirst();
    OwnQueue known = queues.get(context);
    if (known == null) {
      known = new OwnQueue(make(context), arena());
      queues.put(context, known);
    } else if (known.isFull()) {
      await();
    }
    return known;
  }

  private long make(SessionObject context) throws UnmovableException {
    MemorySegment error = arena().allocate(ValueLayout.JAVA_INT);
    long queue =
        OpenClLibrary.clCreateCommandQueueWithProperties(
            context.handle(),
            context.creation().named().getFirst().handle(),
            MemorySegment.NULL,
            error);
    requireSuccess(context, queue == 0 ? error.get(ValueLayout.JAVA_INT, 0) : ClStatus.SUCCESS);
    return queue;
  }

  private Arena arena() {
    if (arena == null) {
      arena = Arena.ofConfined();
    }
    return arena;
  }

  private MemorySegment room() {
    if (room == null) {
      room = arena().allocate(ROOM_BYTES, ALIGNMENT);
    }
    return room;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    queues.values().forEach(OwnQueue::close);
    if (arena != null) {
      arena.close();
    }
  }

  /**
   * A queue of our own for contents, and the commands on it that are waited for together. Once
   * {@link #await} has returned or thrown none of them runs, so that their memory may be used
   * again.
   */
  static final class OwnQueue implements AutoCloseable {
    /**
     * Most commands that are waited for together: so many that a wait is little for each, and so
     * few that what a library keeps of them does not depend on how many buffers a guest makes.
     */
    static final int MOST = 256;

    private final long handle;
    private final MemorySegment events;
    private final MemorySegment words;
    private final List<SessionObject> begun = new ArrayList<>();

    /**
     * @param handle owned
     * @param arena that lives longer than this
     */
    OwnQueue(long handle, Arena arena) {
      this.handle = handle;
      events = arena.allocate(ValueLayout.JAVA_LONG, MOST);
      words = arena.allocate(ValueLayout.JAVA_LONG, 6);
    }

    /**
     * Begins to move bytes of a buffer.
     *
     * @return why the library does not
     */
    int buffer(SessionObject buffer, long position, MemorySegment bytes, boolean write) {
      int status =
          write
              ? OpenClLibrary.clEnqueueWriteBuffer(
                  handle,
                  buffer.handle(),
                  0,
                  position,
                  bytes.byteSize(),
                  bytes,
                  0,
                  MemorySegment.NULL,
                  nextEvent())
              : OpenClLibrary.clEnqueueReadBuffer(
                  handle,
                  buffer.handle(),
                  0,
                  position,
                  bytes.byteSize(),
                  bytes,
                  0,
                  MemorySegment.NULL,
                  nextEvent());
      return noted(buffer, status);
    }

    /**
     * Begins to move a box of an image.
     *
     * @return why the library does not
     */
    int box(SessionObject image, long[] origin, long[] region, MemorySegment bytes, boolean write) {
      MemorySegment.copy(origin, 0, words, ValueLayout.JAVA_LONG, 0, 3);
      MemorySegment.copy(region, 0, words, ValueLayout.JAVA_LONG, 24, 3);
      int status =
          write
              ? OpenClLibrary.clEnqueueWriteImage(
                  handle,
                  image.handle(),
                  0,
                  words,
                  words.asSlice(24),
                  0,
                  0,
                  bytes,
                  0,
                  MemorySegment.NULL,
                  nextEvent())
              : OpenClLibrary.clEnqueueReadImage(
                  handle,
                  image.handle(),
                  0,
                  words,
                  words.asSlice(24),
                  0,
                  0,
                  bytes,
                  0,
                  MemorySegment.NULL,
                  nextEvent());
      return noted(image, status);
    }

    /** Where the library puts the event of the next command. */
    MemorySegment nextEvent() {
      return events.asSlice(begun.size() * ValueLayout.JAVA_LONG.byteSize());
    }

    /** Counts a command that was taken: it has its event. */
    int noted(SessionObject object, int status) {
      if (status == ClStatus.SUCCESS) {
        begun.add(object);
      }
      return status;
    }

    /** Whether no other command may be begun before what was is waited for. */
    boolean isFull() {
      return begun.size() == MOST;
    }

    /**
     * Waits for what was begun.
     *
     * @throws UnmovableException when some of it has failed
     */
    void await() throws UnmovableException {
      if (begun.isEmpty()) {
        return;
      }
      int failure = OpenClLibrary.clFinish(handle); // sleeps once, and not for each event
      SessionObject failed = begun.getFirst();
      for (int i = 0; i < begun.size(); i++) {
        long event = events.getAtIndex(ValueLayout.JAVA_LONG, i);
        int outcome = outcome(event);
        if (failure == ClStatus.SUCCESS && outcome != ClStatus.COMPLETE) {
          failure = outcome;
          failed = begun.get(i);
        }
        int _ = OpenClLibrary.clReleaseEvent(event);
      }
      begun.clear();
      if (failure != ClStatus.SUCCESS) {
        throw refused(failed, failure);
      }
    }

    private int outcome(long event) {
      int status =
          OpenClLibrary.clGetEventInfo(
              event,
              ClParam.EVENT_COMMAND_EXECUTION_STATUS,
              Integer.BYTES,
              words,
              MemorySegment.NULL);
      return status == ClStatus.SUCCESS ? words.get(ValueLayout.JAVA_INT, 0) : status;
    }

    @Override
    public void close() {
      try {
        await();
      } catch (UnmovableException _) {
        // nobody wants it any more
      }
      int _ = OpenClLibrary.clReleaseCommandQueue(handle);
    }
  }
}

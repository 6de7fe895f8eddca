package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionObject;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue of our own for contents, and the commands on it that are waited for together. Once {@link
 * #await} has returned or thrown none of them runs, so that their memory may be used again.
 */
final class OwnQueue implements AutoCloseable {
  /**
   * Most commands that are waited for together: so many that a wait is little for each, and so few
   * that what a library keeps of them does not depend on how many buffers a guest makes.
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

  /** What it means that the library refuses to move contents. */
  static UnmovableException refused(SessionObject object, int status) {
    return new UnmovableException(
        List.of(object + " has contents that cannot be moved, status=" + status));
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

package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies that the session's thread makes itself, in a map of the buffer: the pieces of large
 * transfers of processors, while the session has nothing else to do there. To have the library's
 * threads wake for a piece takes as long as to copy it.
 *
 * <p>The map is there for as long as calls go on with the same buffer and queue. What other queues
 * do with the buffer begins when the library has seen its end.
 *
 * <p>Belongs to the session's thread.
 */
final class DirectCopies {
  /** What is less is copied while the library's thread is woken. */
  private static final long LEAST_BYTES = 64 << 10;

  /** What is more would keep the session's thread from other things for too long. */
  private static final long MOST_BYTES = 1 << 20;

  /** Most bytes of a map. */
  private static final long MOST_MAPPED_BYTES = 64L << 20;

  private static final long READ_AND_WRITE = ClParam.MAP_READ | ClParam.MAP_WRITE;

  /**
   * The C library's: the virtual machine's own takes twice as long where another processor has read
   * what is written over.
   */
  private static final MethodHandle MEMCPY =
      NativeLibrary.open("libc.so.6")
          .function(
              "memcpy",
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG);

  /** How long the beginning of a map is waited for: the library may have other things to do. */
  private static final long PATIENCE_NS = 100_000;

  private final Memo memo;
  private final Gates gates;
  private final Completions completions;
  private final LongSupplier nanoTime;
  private @Nullable OpenMap map;
  private @Nullable OpenMap ended; // one whose end may be under way
  private long end; // the library's event of that; 0 for none
  private final Set<SessionObject> behindEnd = new HashSet<>(); // queues that wait for it
  private final Map<SessionObject, Latest> latest = new HashMap<>(); // of queues that may have work
  private long commands; // that queues were given

  DirectCopies(Memo memo, Gates gates, Completions completions, LongSupplier nanoTime) {
    this.memo = memo;
    this.gates = gates;
    this.completions = completions;
    this.nanoTime = nanoTime;
  }

  /** Copies that many bytes. */
  static void copy(MemorySegment from, MemorySegment to, long bytes) {
    try {
      MemorySegment _ = (MemorySegment) MEMCPY.invokeExact(to, from, bytes);
    } catch (Throwable failure) {
      throw NativeLibrary.failed("memcpy", failure);
    }
  }

  /** The latest command of a queue, and its event if the application has it. */
  private record Latest(long command, @Nullable SessionObject event) {}

  /** A map of a part of a buffer, in a queue. */
  private record OpenMap(
      SessionObject queue, SessionObject mem, long address, long offset, long bytes) {
    boolean has(SessionObject ofQueue, SessionObject ofMem, long from, long size) {
      return queue == ofQueue && mem == ofMem && from >= offset && from - offset <= bytes - size;
    }
  }

  /**
   * A queue is given a command.
   *
   * @return the command's number, for {@link #hasRun}
   */
  long queued(SessionObject queue) {
    latest.put(queue, new Latest(++commands, null));
    return commands;
  }

  /** A queue's latest command has an event, by which it is seen that all of the queue has run. */
  void hasEvent(SessionObject queue, SessionObject event) {
    if (!queue.attachment(QueueOrder.class).isOutOfOrder()) {
      latest.put(queue, new Latest(commands, event));
    }
  }

  /** A command has run, and those before it in its queue. */
  void hasRun(SessionObject queue, long command) {
    Latest last = latest.get(queue);
    if (last != null && last.command() == command) {
      latest.remove(queue);
    }
  }

  /** An event is about to be released. */
  void forgetEvent(SessionObject event) {
    latest.values().removeIf(last -> last.event() == event && isComplete(event));
  }

  /** One that has failed may have done so before others of its queue have run. */
  private boolean isComplete(SessionObject event) {
    return !event.isLost() && completions.look(event.handle()) == ClStatus.COMPLETE;
  }

  /** Whether no queue is known to have anything to do. */
  private boolean isIdle() {
    latest.values().removeIf(last -> last.event() != null && isComplete(last.event()));
    return latest.isEmpty();
  }

  /** A queue is released. */
  void forgetQueue(SessionObject queue) {
    latest.remove(queue);
  }

  /**
   * A call that begins: ends the map that it has no use for. What it gives another queue begins
   * when the library has seen that end.
   */
  void before(OpenClCall call) {
    if (map != null && !goesOn(call, map)) {
      endMap();
    }
    OpenMap over = ended;
    Effort effort = over == null ? null : Effort.of(call);
    if (over == null || effort == null || effort.queue() == over.queue()) {
      return;
    }
    if (completions.look(end) <= ClStatus.COMPLETE) {
      forgetEnd();
    } else if (behindEnd.add(effort.queue())) {
      int _ =
          OpenClLibrary.clEnqueueBarrierWithWaitList(
              effort.queue().handle(), 1, memo.longs(end), MemorySegment.NULL);
    }
  }

  private static boolean goesOn(OpenClCall call, OpenMap map) {
    return switch (call) {
      case OpenClCall.ReadBuffer c -> c.queue() == map.queue() && c.mem() == map.mem();
      case OpenClCall.WriteBuffer c -> c.queue() == map.queue() && c.mem() == map.mem();
      default -> false;
    };
  }

  /**
   * Where bytes of a buffer are mapped, for {@link #copy}; null where the command is for the
   * library, and then nothing is.
   *
   * @param isAlone whether the command waits for nothing but those before it, and has no event
   */
  @Nullable MemorySegment bytes(
      SessionObject queue, SessionObject mem, long offset, long size, boolean isAlone) {
    OpenMap now = map;
    boolean isSuited = isAlone && size >= LEAST_BYTES && size <= MOST_BYTES && offset >= 0;
    if (!isSuited || !gates.isEmpty()) {
      now = null;
    } else if (now == null || !now.has(queue, mem, offset, size)) {
      now = begin(queue, mem, offset, size);
    }
    if (now == null) {
      endMap();
      return null;
    }
    return MemorySegment.ofAddress(now.address() + offset - now.offset());
  }

  private @Nullable OpenMap begin(SessionObject queue, SessionObject mem, long offset, long size) {
    QueueOrder order = queue.attachment(QueueOrder.class);
    boolean isFor = order.isOfProcessors() && mem.has(Memory.LibraryBuffer.class);
    boolean isLater = ended != null && ended.queue() != queue; // of one event the end is kept
    if (!isFor || order.isOutOfOrder() || isLater || !isIdle()) {
      return null;
    }
    long left = mem.attachment(Memory.LibraryBuffer.class).bytes() - offset;
    if (left < size) {
      return null;
    }
    endMap();
    long length = Math.max(size, Math.min(left, MOST_MAPPED_BYTES));
    MemorySegment out = memo.bytes(Long.BYTES);
    MemorySegment error = memo.bytes(Integer.BYTES);
    long address =
        OpenClLibrary.clEnqueueMapBuffer(
            queue.handle(),
            mem.handle(),
            0,
            READ_AND_WRITE,
            offset,
            length,
            0,
            MemorySegment.NULL,
            out,
            error);
    if (address == 0 || Objects.error(error) != ClStatus.SUCCESS) {
      return null;
    }
    int _ = OpenClLibrary.clFlush(queue.handle());
    map = new OpenMap(queue, mem, address, offset, length);
    long begun = out.get(ValueLayout.JAVA_LONG, 0);
    boolean isThere = isSoon(begun);
    int _ = OpenClLibrary.clReleaseEvent(begun);
    if (!isThere) {
      endMap();
      long _ = queued(queue);
    }
    return map;
  }

  private boolean isSoon(long event) {
    long until = nanoTime.getAsLong() + PATIENCE_NS;
    int status;
    do {
      memo.clear();
      status = completions.look(event);
    } while (status > ClStatus.COMPLETE && nanoTime.getAsLong() < until);
    return status == ClStatus.COMPLETE;
  }

  private void endMap() {
    OpenMap over = map;
    if (over == null) {
      return;
    }
    map = null;
    MemorySegment event = memo.bytes(Long.BYTES);
    int status =
        OpenClLibrary.clEnqueueUnmapMemObject(
            over.queue().handle(),
            over.mem().handle(),
            over.address(),
            0,
            MemorySegment.NULL,
            event);
    if (status == ClStatus.SUCCESS) {
      int _ = OpenClLibrary.clFlush(over.queue().handle());
      forgetEnd(); // of the same queue, which runs in order
      ended = over;
      end = event.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  private void forgetEnd() {
    if (ended != null) {
      int _ = OpenClLibrary.clReleaseEvent(end);
      ended = null;
      end = 0;
      behindEnd.clear();
    }
  }

  /** Ends the map, so that others find the buffer's contents by the library. */
  void settle() {
    memo.clear();
    endMap();
    if (ended != null) {
      int _ = OpenClLibrary.clWaitForEvents(1, memo.longs(end));
      forgetEnd();
    }
  }
}

package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The session's memory that GPUs reach by themselves: a buffer of the library stands over each
 * segment that large transfers use, so that the segment's pages stay where they are. The library
 * copies the bytes of all other memory once more, which takes four times as long (NVIDIA's, 1 MiB
 * from an H200: 113 us for 27).
 *
 * <p>Belongs to the session's thread.
 */
final class PinnedMemory implements AutoCloseable {
  /** What is less is as fast without. */
  private static final long LEAST_BYTES = 32 << 10;

  /** An application with more contexts has the rest as any memory. */
  private static final int MOST_CONTEXTS = 4;

  /** Most bytes of a context: transfers that are under way need a few MiB. */
  static final long MOST_BYTES = 256L << 20;

  /** The library that pins memory. */
  interface Library {
    /** The handle of a buffer over that memory; 0 if it cannot be had. */
    long pin(long context, MemorySegment memory);

    /** Gives such a buffer back. */
    void unpin(long handle);
  }

  /**
   * A segment that was asked for.
   *
   * @param handle the library's; 0 where it refused
   */
  private record Pin(long context, MemorySegment segment, long handle) {}

  private final long mostBytes;
  private final UnaryOperator<MemorySegment> segmentOf;
  private final Library library;
  private final List<Pin> pins = new ArrayList<>();

  /**
   * @param mostBytes of a context
   * @param segmentOf the whole segment that a range is of
   */
  PinnedMemory(long mostBytes, UnaryOperator<MemorySegment> segmentOf, Library library) {
    this.mostBytes = mostBytes;
    this.segmentOf = segmentOf;
    this.library = library;
  }

  /** A transfer between that memory and a device is about to be given to a queue. */
  void reach(SessionObject queue, MemorySegment range) {
    if (range.byteSize() < LEAST_BYTES || queue.attachment(QueueOrder.class).isOfProcessors()) {
      return;
    }
    SessionObject owner = queue.creation().named().getFirst();
    if (owner.isLost() || owner.kind() != OpenClKinds.CONTEXT || isAsked(owner.handle(), range)) {
      return;
    }
    MemorySegment segment = segmentOf.apply(range);
    if (mayHave(owner.handle(), segment.byteSize())) {
      pins.add(new Pin(owner.handle(), segment, library.pin(owner.handle(), segment)));
    }
  }

  private boolean isAsked(long owner, MemorySegment range) {
    return pins.stream()
        .anyMatch(
            pin -> pin.context() == owner && pin.segment().asOverlappingSlice(range).isPresent());
  }

  private boolean mayHave(long owner, long bytes) {
    long had =
        pins.stream()
            .filter(pin -> pin.context() == owner)
            .mapToLong(pin -> pin.segment().byteSize())
            .sum();
    return bytes <= mostBytes - had
        && (had > 0 || pins.stream().mapToLong(Pin::context).distinct().count() < MOST_CONTEXTS);
  }

  /** Whether there is none. */
  boolean isEmpty() {
    return pins.isEmpty();
  }

  /** Lets go of all of it; no command that uses it may be under way. */
  @Override
  public void close() {
    for (Pin pin : pins) {
      if (pin.handle() != 0) {
        library.unpin(pin.handle());
      }
    }
    pins.clear();
  }
}

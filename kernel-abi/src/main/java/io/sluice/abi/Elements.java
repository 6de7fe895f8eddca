package io.sluice.abi;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.LongFunction;

/**
 * An array within a structure.
 *
 * @param offset of the first element
 * @param stride bytes from one element to the next
 * @param field makes the field of the element at an offset
 * @param <F> the type of the elements
 */
public record Elements<F>(String name, long offset, long stride, int count, LongFunction<F> field) {
  /** The element as a field of the structure. */
  public F at(int index) {
    return field.apply(offsetOf(index));
  }

  /** The offset of an element in the structure. */
  public long offsetOf(int index) {
    return offset + Objects.checkIndex(index, count) * stride;
  }

  /** All elements of a structure that begins the segment. */
  public MemorySegment slice(MemorySegment segment) {
    return segment.asSlice(offset, count * stride);
  }
}

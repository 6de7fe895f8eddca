package io.sluice.interrupt;

/**
 * The interrupt vectors of a guest's device, as its MSI-X table has them just now. Implemented by
 * the device; any thread may call, and nothing is allocated.
 *
 * <p>A vector that cannot be delivered (no eventfd, masked, held for a migration) is kept and
 * delivered once it can be: an interrupt is never lost, several count as one.
 */
public interface InterruptVectors {
  /** Vectors of the device, vector 0 included; at least 2, and it never changes. */
  int count();

  /**
   * Raises a vector: its eventfd is signalled now or as soon as it can be.
   *
   * @param vector 0 to {@link #count} minus 1
   */
  void raise(int vector);
}

package io.sluice.gpu.fifo;

/** The place to which the interrupts of a channel go at once, instead of being latched. */
@FunctionalInterface
public interface InterruptTarget {
  /** Delivers an interrupt; false when it cannot, and must be latched. Under the GPU's lock. */
  boolean deliver();
}

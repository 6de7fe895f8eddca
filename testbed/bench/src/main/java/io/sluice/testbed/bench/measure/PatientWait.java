package io.sluice.testbed.bench.measure;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The wait of a program that does not know how long it takes: it spins, and gives its processor
 * away after that. What is compared must wait in the same way, since a spinning thread slows down
 * the one that works on the other half of its core.
 */
public final class PatientWait {
  private static final int SPINS = 20_000;
  private static final long PARK_NS = 20_000;

  private PatientWait() {}

  public static void until(BooleanSupplier done) {
    for (int spins = 0; !done.getAsBoolean(); spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(PARK_NS);
      }
    }
  }
}

package io.sluice.testbed.attack;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that takes as much processor time as an attack and asks nothing of the daemon: what a
 * victim has to wait beside it is the host's doing, not ours.
 */
final class Spinner {
  private static final long PERIOD_NS = 1_000_000;

  private Spinner() {}

  /** Argument: how many processors to take, such as 1.5. Ends when its standard input does. */
  public static void main(String[] arguments) throws Exception {
    double processors = Double.parseDouble(arguments[0]);
    int threads = (int) Math.ceil(processors);
    for (int i = 0; i < threads; i++) {
      Thread _ = Thread.ofPlatform().daemon().start(() -> spin(processors / threads));
    }
    System.out.println("control: begins");
    byte[] _ = System.in.readAllBytes();
    System.out.println("control: over, processors " + processors);
  }

  /**
   * @param part of the time
   */
  private static void spin(double part) {
    long busyNs = (long) (PERIOD_NS * part);
    for (long begin = System.nanoTime(); ; begin += PERIOD_NS) {
      while (System.nanoTime() - begin < busyNs) {
        Thread.onSpinWait();
      }
      long left = begin + PERIOD_NS - System.nanoTime();
      if (left > 0) {
        LockSupport.parkNanos(left);
      } else if (left < -TimeUnit.SECONDS.toNanos(1)) {
        begin = System.nanoTime(); // it stood still: what was missed is not made up for
      }
    }
  }
}

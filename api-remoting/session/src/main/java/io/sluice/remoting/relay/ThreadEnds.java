package io.sluice.remoting.relay;

/** The ends of threads. */
final class ThreadEnds {
  private ThreadEnds() {}

  /** Waits for a thread's end, whoever interrupts. */
  static void join(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.sluice.testbed.attack;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that is as much of a burden as an attack and asks nothing of the daemon: what a victim
 * has to wait beside it is the host's doing, not ours. It takes as much processor time, and its
 * threads wake each other as often as those of attacker and daemon were woken.
 */
final class Spinner {
  /** Shorter ones would be but waking. */
  private static final long SHORTEST_TURN_NS = 10_000;

  private static final long LONGEST_TURN_NS = 1_000_000;

  private Spinner() {}

  /**
   * Arguments: how many processors to take, such as 1.5, and how many threads to wake in a second.
   * Ends when its standard input does.
   */
  public static void main(String[] arguments) throws Exception {
    Burden burden = new Burden(Double.parseDouble(arguments[0]), Double.parseDouble(arguments[1]));
    int pairs = (int) Math.ceil(Math.max(burden.processors(), Double.MIN_VALUE));
    double part = burden.processors() / pairs;
    int wakesOfTurn = part < 1 ? 2 : 1; // who waits in its turn is woken once more
    double turns = Math.max(1, burden.wakes() / wakesOfTurn / pairs);
    long turnNs = Math.round(TimeUnit.SECONDS.toNanos(1) / turns);
    for (int i = 0; i < pairs; i++) {
      new Pair(Math.clamp(turnNs, SHORTEST_TURN_NS, LONGEST_TURN_NS), part).start();
    }
    System.out.println("control: begins");
    byte[] _ = System.in.readAllBytes();
    System.out.println("control: over, " + burden.text());
  }

  /** Two threads that work by turns, on one processor's time. */
  private static final class Pair {
    private final long turnNs;
    private final long busyNs;
    private final Thread[] threads = new Thread[2];
    private volatile int turn;
    private long beganNs; // of whose turn it is

    /**
     * @param part of a turn in which its thread works
     */
    Pair(long turnNs, double part) {
      this.turnNs = turnNs;
      busyNs = (long) (turnNs * part);
    }

    void start() {
      beganNs = System.nanoTime();
      for (int i = 0; i < threads.length; i++) {
        int mine = i;
        threads[i] = Thread.ofPlatform().daemon().unstarted(() -> run(mine));
      }
      for (Thread thread : threads) {
        thread.start();
      }
    }

    private void run(int mine) {
      while (true) {
        while (turn != mine) {
          LockSupport.park(this);
        }
        takeTurn();
        turn = 1 - mine;
        LockSupport.unpark(threads[1 - mine]);
      }
    }

    private void takeTurn() {
      while (System.nanoTime() - beganNs < busyNs) {
        Thread.onSpinWait();
      }
      long left = beganNs + turnNs - System.nanoTime();
      if (left > 0 && busyNs < turnNs) {
        LockSupport.parkNanos(left);
      }
      // What was missed is not made up for.
      beganNs = Math.max(beganNs + turnNs, System.nanoTime() - turnNs);
    }
  }
}

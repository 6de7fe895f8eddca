package io.sluice.channel.guest;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The things that have left a guest's tables and are still the GPU's to take back. That may take as
 * long as a buffer is large, so it is done without the guest's lock, by the thread that had them
 * leave, before its call returns: nobody else waits for it. Until then they count as held. Guarded
 * by the guest's lock.
 */
final class Endings {
  private static final Logger log = LoggerFactory.getLogger(Endings.class);

  /**
   * One of them.
   *
   * @param giveBack gives it to the GPU; runs without the lock
   * @param counted runs after that, under the lock
   */
  record FreedThing(Runnable giveBack, Runnable counted) {}

  /**
   * Some that one thread gives back.
   *
   * @param number of batches, in the order in which they began
   */
  record FreedBatch(long number, List<FreedThing> endings) {
    private static final FreedBatch NONE = new FreedBatch(0, List.of());

    boolean isEmpty() {
      return endings.isEmpty();
    }

    /** Gives all of them back, whatever comes of one; without the lock. */
    void giveBack() {
      for (FreedThing ending : endings) {
        try {
          ending.giveBack().run();
        } catch (RuntimeException | Error e) {
          log.atError().setCause(e).log("the GPU did not take something back that was freed");
        }
      }
    }
  }

  private List<FreedThing> pending = new ArrayList<>();
  private final NavigableSet<Long> underWay = new TreeSet<>(); // batches
  private long last;

  /** In this order. */
  void add(Runnable giveBack, Runnable counted) {
    pending.add(new FreedThing(giveBack, counted));
  }

  /** Those that nobody has taken yet, if there are some: {@link #end} follows. */
  FreedBatch begin() {
    if (pending.isEmpty()) {
      return FreedBatch.NONE;
    }
    FreedBatch batch = new FreedBatch(++last, pending);
    pending = new ArrayList<>();
    underWay.add(batch.number());
    return batch;
  }

  /** They are with the GPU. */
  void end(FreedBatch batch) {
    underWay.remove(batch.number());
    batch.endings().forEach(ending -> ending.counted().run());
  }

  /** The number of the batch that began last. */
  long last() {
    return last;
  }

  /** Whether one is under way that did not begin later. */
  boolean areUnderWay(long number) {
    return !underWay.isEmpty() && underWay.first() <= number;
  }
}

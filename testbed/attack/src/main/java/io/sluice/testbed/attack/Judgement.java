package io.sluice.testbed.attack;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The judgement on what victims had to wait beside an attack. One measurement of a busy host says
 * little: an attack is found too dear when it was so in the median of {@link #TRIALS}. What counts
 * of a measurement is the least of two: against that while nobody attacks, and against that beside
 * as much work that asks nothing of the daemon, since a host's lack of processors is nobody's hole.
 * Few waits that are very long do not show in a p99: the time lost to them is judged as well.
 */
final class Judgement {
  /** Times as long as otherwise. */
  static final double GOAL = 1.2;

  /** Most of a victim's time that it loses to long waits and would not lose otherwise. */
  static final double MOST_LOST = 0.01;

  /** As long as the first is within the goal it is the only one. */
  static final int TRIALS = 3;

  private final List<Trial> trials = new ArrayList<>();

  /**
   * One measurement.
   *
   * @param quiet while nobody attacks, just before
   * @param attacked beside the attack
   * @param control beside as much work of others, just after
   */
  record Trial(Waits quiet, Waits attacked, Waits control) {
    double ofQuiet() {
      return attacked.against(quiet);
    }

    double ofControl() {
      return attacked.against(control);
    }

    /** What no lack of processors explains. */
    double dearness() {
      return Math.min(ofQuiet(), ofControl());
    }

    /** The part of its time that a victim lost to long waits, and does not otherwise. */
    double lost() {
      return attacked.lost() - Math.max(quiet.lost(), control.lost());
    }

    boolean isEnough() {
      return quiet.isEnough() && attacked.isEnough() && control.isEnough();
    }
  }

  void add(Trial trial) {
    trials.add(trial);
  }

  /** Whether enough is known. */
  boolean isOver() {
    return trials.size() >= TRIALS
        || trials.size() == 1
            && trials.getFirst().isEnough()
            && median() <= GOAL
            && lost() <= MOST_LOST;
  }

  /** Of the measurements, an odd number. */
  double median() {
    return median(Trial::dearness);
  }

  /** The part of a victim's time that it lost, in the median. */
  double lost() {
    return median(Trial::lost);
  }

  private double median(ToDoubleFunction<Trial> value) {
    double[] sorted = trials.stream().mapToDouble(value).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  /** Why it is not held; empty: it is. */
  Optional<String> complaint() {
    long enough = trials.stream().filter(Trial::isEnough).count();
    if (enough <= trials.size() / 2) {
      return Optional.of(
          "fewer than " + Waits.FEWEST_SAMPLES + " submissions of a victim were measured");
    }
    if (median() > GOAL) {
      return complaint("a victim's p99 is %.2f of what it is otherwise", median());
    }
    return lost() > MOST_LOST
        ? complaint("a victim lost %.1f %% of its time to waits above 1 ms", lost() * 100)
        : Optional.empty();
  }

  private Optional<String> complaint(String what, double number) {
    return Optional.of(
        String.format(Locale.ROOT, what + ", in the median of %d", number, trials.size()));
  }
}

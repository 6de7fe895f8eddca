package io.sluice.testbed.attack;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The judgement on what victims had to wait beside an attack. One measurement of a busy host says
 * little: an attack is found too dear when it was so in the median of {@link #TRIALS}. What counts
 * of a measurement is the least of two: against that while nobody attacks, and against that beside
 * as much work that asks nothing of the daemon, since a host's lack of processors is nobody's hole.
 */
final class Judgement {
  /** Times as long as otherwise. */
  static final double GOAL = 1.2;

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
        || trials.size() == 1 && trials.getFirst().isEnough() && median() <= GOAL;
  }

  /** Of the measurements, an odd number. */
  double median() {
    List<Double> sorted = trials.stream().map(Trial::dearness).sorted().toList();
    return sorted.get(sorted.size() / 2);
  }

  /** Why it is not held; empty: it is. */
  Optional<String> complaint() {
    long enough = trials.stream().filter(Trial::isEnough).count();
    if (enough <= trials.size() / 2) {
      return Optional.of(
          "fewer than " + Waits.FEWEST_SAMPLES + " submissions of a victim were measured");
    }
    return median() <= GOAL
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "a victim's p99 is %.2f of what it is otherwise, in the median of %d",
                median(),
                trials.size()));
  }
}

package io.sluice.testbed.attack;

import io.sluice.testbed.attack.AttackRun.Outcome;
import io.sluice.testbed.attack.AttackRun.Waits;
import io.sluice.testbed.machine.MachineEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The long form of the attack suite: every attack by turns until the time is over. */
public final class Soak {
  /**
   * The victims' p99 under attack, against that while nobody attacks, and against that beside a
   * process that takes as much processor time and asks nothing of us.
   */
  private static final double GOAL = 1.2;

  /** An operator's list of the guests, at any time. */
  private static final long MOST_LIST_NS = TimeUnit.SECONDS.toNanos(1);

  private static final int DEFAULT_MINUTES = 60;
  private static final int DEFAULT_SECONDS = 20;
  private static final int USAGE = 64;

  private Soak() {}

  /** {@code attack [--minutes N] [--seconds N] [--attack NAME] [--seed N]}. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    int minutes = DEFAULT_MINUTES;
    int seconds = DEFAULT_SECONDS;
    long seed = new Random().nextLong();
    List<Attack> attacks = List.of(Attack.values());
    try {
      if (arguments.length % 2 == 0 || !arguments[0].equals("attack")) {
        throw new IllegalArgumentException("what to soak");
      }
      for (int i = 1; i < arguments.length; i += 2) {
        switch (arguments[i]) {
          case "--minutes" -> minutes = Integer.parseInt(arguments[i + 1]);
          case "--seconds" -> seconds = Integer.parseInt(arguments[i + 1]);
          case "--attack" -> attacks = List.of(Attack.of(arguments[i + 1]));
          case "--seed" -> seed = Long.parseLong(arguments[i + 1]);
          default -> throw new IllegalArgumentException(arguments[i]);
        }
      }
    } catch (IllegalArgumentException e) {
      System.err.println("sluice soak: " + e.getMessage());
      System.err.println(
          "usage: soak attack [--minutes N] [--seconds N] [--attack NAME] [--seed N]; each for N"
              + " seconds:");
      for (Attack attack : Attack.values()) {
        System.err.println("  " + attack.label());
      }
      System.exit(USAGE);
    }
    System.exit(run(possible(attacks), minutes, seconds, seed) ? 0 : 1);
  }

  private static boolean run(List<Attack> attacks, int minutes, int seconds, long seed)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
    Path directory = Files.createTempDirectory("sluice-soak");
    List<Outcome> failed = new ArrayList<>();
    double worst = 0;
    double worstOurs = 0;
    Optional<MachineEnvironment> environment = MachineEnvironment.find();
    if (environment.isEmpty()) {
      System.out.println("soak: no machine environment: the victim is a process alone");
    }
    Waits quiet;
    try (AttackRun run = new AttackRun(directory, "true", environment)) {
      Random seeds = new Random(seed);
      quiet = run.quiet(seconds);
      System.out.println("soak: the victims' p99 quiet: " + quiet.text());
      do {
        for (Attack attack : attacks) {
          Outcome outcome = judged(run.attack(attack, seeds.nextLong(), seconds));
          Waits control = run.control(outcome.processors(), seconds);
          double ours = outcome.p99().against(control);
          System.out.println(outcome.text(quiet));
          System.out.printf(
              Locale.ROOT,
              "%-18s %.2f of what it is beside as much work of others: %s%n",
              attack.label(),
              ours,
              control.text());
          worst = Math.max(worst, outcome.p99().against(quiet));
          worstOurs = Math.max(worstOurs, ours);
          if (!outcome.wrong().isEmpty()) {
            failed.add(outcome);
          }
        }
      } while (System.nanoTime() < end);
      System.out.printf(
          Locale.ROOT,
          "soak: seed %d; worst p99 under attack %.2f of quiet, %.2f of that beside as much work of"
              + " others; goal %.1f: %s%n",
          seed,
          worst,
          worstOurs,
          GOAL,
          worst <= GOAL ? "met" : worstOurs <= GOAL ? "met but for the processors" : "short");
    }
    failed.forEach(outcome -> System.out.println("soak: FAILED " + outcome.text(quiet)));
    System.out.println(failed.isEmpty() ? "soak: ok" : "soak: " + failed.size() + " failed");
    return failed.isEmpty();
  }

  /** Here, not in the short form: a test asserts no time. */
  private static Outcome judged(Outcome outcome) {
    return outcome.listNs() <= MOST_LIST_NS
        ? outcome
        : outcome.plus("guest list took longer than a second");
  }

  /** Those that this host can do; the others are told with their reasons. */
  private static List<Attack> possible(List<Attack> attacks) {
    List<Attack> possible = new ArrayList<>();
    for (Attack attack : attacks) {
      Optional<String> obstacle = attack.obstacle();
      if (obstacle.isEmpty()) {
        possible.add(attack);
      } else {
        System.out.println("soak: without " + attack.label() + ": " + obstacle.get());
      }
    }
    return possible;
  }
}

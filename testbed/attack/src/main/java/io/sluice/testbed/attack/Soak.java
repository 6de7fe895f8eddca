package io.sluice.testbed.attack;

import io.sluice.testbed.attack.AttackRun.Outcome;
import io.sluice.testbed.attack.Judgement.Trial;
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
  /** An operator's list of the guests, at any time. */
  private static final long MOST_LIST_NS = TimeUnit.SECONDS.toNanos(1);

  /** An operator's destroying of a guest; of this the daemon waits 10 s for descriptors of it. */
  private static final long MOST_DESTROY_NS = TimeUnit.SECONDS.toNanos(15);

  private static final int DEFAULT_MINUTES = 60;
  private static final int DEFAULT_SECONDS = 20;
  private static final int USAGE = 64;

  private Soak() {}

  /** {@code attack [--minutes N] [--seconds N] [--attack NAME] [--seed N]}. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    int minutes = DEFAULT_MINUTES;
    int seconds = DEFAULT_SECONDS;
    long seed = new Random().nextLong();
    List<Onslaught> attacks = Onslaught.all();
    try {
      if (arguments.length % 2 == 0 || !arguments[0].equals("attack")) {
        throw new IllegalArgumentException("what to soak");
      }
      for (int i = 1; i < arguments.length; i += 2) {
        switch (arguments[i]) {
          case "--minutes" -> minutes = Integer.parseInt(arguments[i + 1]);
          case "--seconds" -> seconds = Integer.parseInt(arguments[i + 1]);
          case "--attack" -> attacks = List.of(Onslaught.of(arguments[i + 1]));
          case "--seed" -> seed = Long.parseLong(arguments[i + 1]);
          default -> throw new IllegalArgumentException(arguments[i]);
        }
      }
    } catch (IllegalArgumentException e) {
      System.err.println("sluice soak: " + e.getMessage());
      System.err.println(
          "usage: soak attack [--minutes N] [--seconds N] [--attack NAME] [--seed N]; each for N"
              + " seconds:");
      for (Onslaught attack : Onslaught.all()) {
        System.err.println("  " + attack.label());
      }
      System.exit(USAGE);
    }
    System.exit(run(possible(attacks), minutes, seconds, seed) ? 0 : 1);
  }

  private static boolean run(List<Onslaught> attacks, int minutes, int seconds, long seed)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
    Path directory = Files.createTempDirectory("sluice-soak");
    List<String> failed = new ArrayList<>();
    double worst = 0;
    double mostLost = 0;
    Optional<MachineEnvironment> environment = MachineEnvironment.find();
    if (environment.isEmpty()) {
      System.out.println("soak: no machine environment: victim and attacker are processes alone");
    }
    try (AttackRun run = new AttackRun(directory, "true", environment)) {
      run.judge();
      Random seeds = new Random(seed);
      do {
        for (Onslaught attack : attacks) {
          Judgement judgement = new Judgement();
          while (!judgement.isOver()) {
            judgement.add(trial(run, attack, seeds.nextLong(), seconds, failed));
          }
          worst = Math.max(worst, judgement.median());
          mostLost = Math.max(mostLost, judgement.lost());
          judgement.complaint().ifPresent(why -> failed.add(attack.label() + ": " + why));
        }
      } while (System.nanoTime() < end);
      System.out.printf(
          Locale.ROOT,
          "soak: seed %d; worst p99 beside an attack %.2f of what it is quiet, or beside as much"
              + " work of others, goal %.1f; most time lost to long waits %.2f %%, goal %.0f %%: %s%n",
          seed,
          worst,
          Judgement.GOAL,
          mostLost * 100,
          Judgement.MOST_LOST * 100,
          worst <= Judgement.GOAL && mostLost <= Judgement.MOST_LOST ? "met" : "missed");
    }
    failed.forEach(why -> System.out.println("soak: FAILED " + why));
    System.out.println(failed.isEmpty() ? "soak: ok" : "soak: " + failed.size() + " failed");
    return failed.isEmpty();
  }

  /** Measures quiet, attack and control, which lie as near to each other as can be. */
  private static Trial trial(
      AttackRun run, Onslaught attack, long seed, int seconds, List<String> failed)
      throws IOException, InterruptedException {
    Waits quiet = run.quiet(seconds);
    Outcome outcome = judged(run.attack(attack, seed, seconds));
    Trial trial = new Trial(quiet, outcome.p99(), run.control(outcome.burden(), seconds));
    System.out.println(outcome.text(quiet));
    System.out.printf(
        Locale.ROOT,
        "%-18s quiet %s; %.2f of what it is beside as much work of others: %s%n",
        attack.label(),
        quiet.text(),
        trial.ofControl(),
        trial.control().text());
    if (!outcome.wrong().isEmpty()) {
      failed.add(outcome.text(quiet));
    }
    return trial;
  }

  /** Here, not in the short form: a test asserts no time. */
  private static Outcome judged(Outcome outcome) {
    Outcome found = outcome;
    if (outcome.listNs() > MOST_LIST_NS) {
      found = found.plus("guest list took longer than a second");
    }
    if (outcome.destroyNs() > MOST_DESTROY_NS) {
      found = found.plus("destroying its guest took longer than 15 s");
    }
    return found;
  }

  /** Those that this host can do; the others are told with their reasons. */
  private static List<Onslaught> possible(List<Onslaught> attacks) {
    List<Onslaught> possible = new ArrayList<>();
    for (Onslaught attack : attacks) {
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

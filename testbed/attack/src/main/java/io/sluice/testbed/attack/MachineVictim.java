package io.sluice.testbed.attack;

import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A machine that works beside an attacker, by the program {@code bystander}. */
final class MachineVictim implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String SAYS = "bystander:";
  private static final Pattern WENT = Pattern.compile(" rounds=(\\d+) wrong=(\\d+) p99_ns=(\\d+)");

  private final MachineGuest machine;

  /** The work of the machine since it was asked to begin anew. */
  record Went(long rounds, long wrong, long p99Ns) {
    private static final int SUBMISSIONS_A_ROUND = 32;

    /** Submissions that were measured. */
    long samples() {
      return rounds * SUBMISSIONS_A_ROUND;
    }
  }

  /** Boots it. */
  MachineVictim(MachineEnvironment environment, Path socket)
      throws IOException, InterruptedException {
    machine =
        MachineGuest.start(
            environment,
            new MachineGuest.Setup(
                environment.image(), List.of(socket), "bystander", Optional.empty(), List.of()),
            _ -> {});
    boolean works = false;
    try {
      String _ = machine.await(SAYS + " begins", PATIENCE);
      works = true;
    } finally {
      if (!works) {
        machine.close();
      }
    }
  }

  /** Forgets what was measured. */
  void clear() throws IOException, InterruptedException {
    Went _ = ask("anew");
  }

  /** How it went since it was cleared. */
  Went went() throws IOException, InterruptedException {
    return ask("tell");
  }

  /** Waits until it has done so many rounds more. */
  void awaitRounds(int more) throws IOException, InterruptedException {
    for (int i = 0; i <= more; i++) { // the first answer may end a round that had begun
      Went _ = ask("tell");
    }
  }

  /** What went wrong since it was cleared. */
  List<String> wrong() throws IOException, InterruptedException {
    List<String> found = new ArrayList<>();
    Went went = ask("tell");
    if (went.wrong() > 0) {
      found.add(
          "the machine's work was wrong in %d rounds of %d: %s"
              .formatted(
                  went.wrong(),
                  went.rounds(),
                  machine
                      .console()
                      .lines()
                      .filter(line -> line.startsWith("bystander says"))
                      .limit(3)
                      .toList()));
    }
    return found;
  }

  private Went ask(String what) throws IOException, InterruptedException {
    machine.type(what);
    String line = machine.await(SAYS, PATIENCE);
    Matcher went = WENT.matcher(line);
    if (!went.matches()) {
      throw new IOException("the machine said: " + line);
    }
    return new Went(
        Long.parseLong(went.group(1)),
        Long.parseLong(went.group(2)),
        Long.parseLong(went.group(3)));
  }

  @Override
  public void close() throws IOException, InterruptedException {
    try (machine) {
      machine.type("end");
      int _ = machine.awaitExit(PATIENCE);
    }
  }
}

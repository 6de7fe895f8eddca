package io.sluice.testbed.attack;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.management.QuotaStatus;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.JavaProgram;
import io.sluice.testbed.machine.MachineEnvironment;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A daemon with victims and others, and attackers one after the other. */
final class AttackRun implements AutoCloseable {
  static final String ATTACKER = "attacker";
  static final String VICTIM = "victim";
  static final String MACHINE = "machine";
  static final String NEWCOMER = "newcomer";

  /** For whatever comes about in the end; nothing is measured by it. */
  private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(3);

  /** Of one attack: a rate of lines, and no stack for what a guest does. */
  private static final int MOST_LOGGED = 128 << 10;

  private static final int MOST_SHOWN = 300;

  private static final long LOOK_NS = 100_000_000;
  private static final int ROUNDS = 3;
  private static final List<String> HEAP = List.of("-Xmx1g");

  private final DaemonProcess daemon;
  private final Kernel kernel = RealKernel.create();
  private final Victim victim;
  private final @Nullable MachineVictim machine;
  private final Newcomer newcomer;
  private final Holdings before;
  private double quietProcessors;

  /**
   * What 99 of 100 submissions of the victims are not above.
   *
   * @param machineNs in a machine; 0 where there is none
   */
  record Waits(long processNs, long machineNs) {
    /** The worse of the two, as so many times another. */
    double against(Waits other) {
      return Math.max(times(processNs, other.processNs), times(machineNs, other.machineNs));
    }

    private static double times(long ns, long otherNs) {
      return otherNs == 0 ? 0 : (double) ns / otherNs;
    }

    String text() {
      String process = String.format(Locale.ROOT, "%.3f ms", processNs / 1e6);
      return machineNs == 0
          ? process
          : process + String.format(Locale.ROOT, ", in a machine %.3f ms", machineNs / 1e6);
    }
  }

  /**
   * What an attack did.
   *
   * @param seed that it can be replayed by
   * @param wrong what must not be
   * @param p99 of the victims' submissions during the attack
   * @param processors that attacker and daemon took more than the daemon while nobody attacked
   * @param listNs of listing the guests, its longest
   */
  record Outcome(
      Attack attack, long seed, List<String> wrong, Waits p99, double processors, long listNs) {
    /** The same with something more that must not be. */
    Outcome plus(String alsoWrong) {
      List<String> all = new ArrayList<>(wrong);
      all.add(alsoWrong);
      return new Outcome(attack, seed, List.copyOf(all), p99, processors, listNs);
    }

    String text(Waits quiet) {
      return String.format(
          Locale.ROOT,
          "%-18s seed %-20d p99 %s, %.2f of quiet; processors %5.2f; guest list at most"
              + " %7.1f ms; %s",
          attack.label(),
          seed,
          p99.text(),
          p99.against(quiet),
          processors,
          listNs / 1e6,
          wrong.isEmpty() ? "held" : String.join("; ", wrong));
    }
  }

  /**
   * @param directory an empty one, for the daemon
   */
  AttackRun(Path directory) throws IOException, InterruptedException {
    this(directory, "true", Optional.empty());
  }

  /**
   * @param limits of the daemon's process, a command of the shell
   * @param environment of a machine that is a victim too
   */
  AttackRun(Path directory, String limits, Optional<MachineEnvironment> environment)
      throws IOException, InterruptedException {
    daemon =
        DaemonProcess.startWithin(
            directory, List.of(ATTACKER, VICTIM, MACHINE, NEWCOMER), HEAP, limits);
    machine =
        environment.isEmpty() ? null : new MachineVictim(environment.get(), daemon.socket(MACHINE));
    victim = new Victim(kernel, daemon.socket(VICTIM));
    newcomer = new Newcomer(kernel, daemon.socket(NEWCOMER), daemon.connection());
    awaitWork();
    before = Holdings.of(daemon);
  }

  /** The victims' p99 while nobody attacks. */
  Waits quiet(int seconds) throws IOException, InterruptedException {
    measureAnew();
    Usage begin = Usage.of(List.of(daemon.process()));
    pause(seconds);
    awaitWork();
    quietProcessors = Usage.of(List.of(daemon.process())).processorsSince(begin);
    return measured();
  }

  private void measureAnew() throws IOException, InterruptedException {
    victim.latencies().clear();
    if (machine != null) {
      machine.clear();
    }
  }

  private Waits measured() throws IOException, InterruptedException {
    return new Waits(
        victim.latencies().permille(990), machine == null ? 0 : Math.max(1, machine.p99Ns()));
  }

  /**
   * The victims' p99 beside a process that takes as many processors as an attack, and asks nothing
   * of the daemon.
   */
  Waits control(double processors, int seconds) throws IOException, InterruptedException {
    Process process = start(Spinner.class, Double.toString(processors));
    try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
      echo(said.readLine());
      measureAnew();
      pause(seconds);
      awaitWork();
      return measured();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Processor time of processes until a moment. */
  private record Usage(long processorNs, long atNs) {
    static Usage of(List<ProcessHandle> processes) {
      long sum = 0;
      for (ProcessHandle process : processes) {
        sum += process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
      }
      return new Usage(sum, System.nanoTime());
    }

    double processorsSince(Usage begin) {
      return (double) (processorNs - begin.processorNs) / Math.max(1, atNs - begin.atNs);
    }
  }

  /** Victims, newcomer and operator get on. */
  private void awaitWork() throws IOException, InterruptedException {
    if (machine != null) {
      machine.awaitRounds(ROUNDS);
    }
    long rounds = victim.rounds() + ROUNDS;
    long attached = newcomer.attached() + 1;
    long listed = newcomer.listed() + 1;
    long end = System.nanoTime() + PATIENCE_NS;
    while (victim.rounds() < rounds
        || newcomer.attached() < attached
        || newcomer.listed() < listed) {
      if (System.nanoTime() > end) {
        throw new IOException(
            String.format(
                "nothing goes on: rounds %d of %d, attached %d of %d, listed %d of %d, wrong %s %s",
                victim.rounds(),
                rounds,
                newcomer.attached(),
                attached,
                newcomer.listed(),
                listed,
                victim.wrong(),
                newcomer.wrong()));
      }
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  /**
   * Attacks for so many seconds, and for as long as the others take to get on beside it; then looks
   * at what became of it.
   */
  Outcome attack(Attack attack, long seed, int seconds) throws IOException, InterruptedException {
    List<String> wrong = new ArrayList<>();
    long kills = kills();
    int logged = daemon.log().length();
    measureAnew();
    newcomer.listing().clear();
    double processors;
    Process process =
        start(
            Attacker.class,
            daemon.socket(ATTACKER).toString(),
            attack.label(),
            Long.toString(seed));
    try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
      echo(said.readLine());
      List<ProcessHandle> both = List.of(daemon.process(), process.toHandle());
      Usage begin = Usage.of(both);
      pause(seconds);
      getsOn("beside the attacker", wrong);
      processors = Math.max(0, Usage.of(both).processorsSince(begin) - quietProcessors);
      process.outputWriter(StandardCharsets.UTF_8).close();
      String last = "";
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        last = line;
        echo(line);
      }
      if (process.waitFor() != 0 || !last.contains(" over, ")) {
        wrong.add("the attacker itself failed: " + last);
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    Waits p99 = measured();
    long listNs = newcomer.listing().permille(1000);
    getsOn("after the attacker", wrong);
    wrong.addAll(victim.wrong());
    wrong.addAll(newcomer.wrong());
    if (machine != null) {
      wrong.addAll(machine.wrong());
    }
    if (kills() != kills) {
      wrong.add("a channel of a victim was killed");
    }
    String log = daemon.log().substring(logged);
    log.lines()
        .filter(line -> line.contains(" level=error "))
        .limit(3)
        .map(line -> line.substring(0, Math.min(MOST_SHOWN, line.length())))
        .forEach(wrong::add);
    int ofAttacker =
        log.lines()
            .filter(line -> line.contains("guest=" + ATTACKER))
            .mapToInt(String::length)
            .sum();
    if (ofAttacker > MOST_LOGGED) {
      wrong.add("logged " + ofAttacker + " bytes");
    }
    Holdings after = awaitHoldings();
    if (!after.isBackTo(before)) {
      wrong.add("left behind: " + after + ", before " + before);
    }
    return new Outcome(attack, seed, List.copyOf(wrong), p99, processors, listNs);
  }

  private static void echo(@Nullable String line) {
    System.out.println(line);
  }

  private static void pause(int seconds) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  private void getsOn(String when, List<String> wrong) throws InterruptedException {
    try {
      awaitWork();
    } catch (IOException e) {
      wrong.add(when + " " + e.getMessage());
    }
  }

  private Holdings awaitHoldings() throws IOException, InterruptedException {
    Holdings now = Holdings.of(daemon);
    for (long end = System.nanoTime() + PATIENCE_NS;
        !now.isBackTo(before) && System.nanoTime() < end; ) {
      pause(1);
      now = Holdings.of(daemon);
    }
    return now;
  }

  private long kills() {
    long kills = 0;
    for (String guest : List.of(VICTIM, MACHINE)) {
      QuotaStatus status = daemon.connection().daemon().getQuotas().get(guest);
      kills += status == null ? 0 : status.kills();
    }
    return kills;
  }

  private static Process start(Class<?> program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(program(program));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /** The command line of one of these programs, a small one. */
  static List<String> program(Class<?> program) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--illegal-native-access=deny",
            "--enable-native-access=io.sluice.abi"));
    command.addAll(JavaProgram.of("io.sluice.testbed.attack", program.getName()));
    return command;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    victim.close();
    newcomer.close();
    if (machine != null) {
      machine.close();
    }
    daemon.close();
  }
}

package io.sluice.testbed.attack;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.management.QuotaStatus;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
  static final String INTRUDER = "intruder";

  /** For whatever comes about in the end; nothing is measured by it. */
  private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(3);

  /** Of one attack: a rate of lines, and no stack for what a guest does. */
  private static final int MOST_LOGGED = 128 << 10;

  private static final int MOST_SHOWN = 300;

  /** Buffers of the victim that leave: each once, and once more if it has to begin anew. */
  private static final int MOST_EVICTED = 2 * (Victim.BALLAST_PIECES + 2);

  private static final List<String> OF_ATTACKERS =
      List.of("guest=" + ATTACKER, "guest=" + INTRUDER, "guest=" + DoomedGuest.NAME);

  private static final long LOOK_NS = 100_000_000;
  private static final int ROUNDS = 3;
  private static final List<String> HEAP = List.of("-Xmx1g");

  private final DaemonProcess daemon;
  private final Kernel kernel = RealKernel.create();
  private final Victim victim;
  private final @Nullable MachineVictim machine;
  private final @Nullable MachineIntruder intruder;
  private final Newcomer newcomer;
  private final Holdings before;
  private Burden quietBurden = Burden.NONE;
  private boolean judged;

  /**
   * The outcome of an attack.
   *
   * @param seed that it can be replayed by
   * @param wrong what must not be
   * @param p99 of the victims' submissions during the attack
   * @param burden that attacker and daemon were more than the daemon while nobody attacked
   * @param listNs of listing the guests, its longest
   * @param destroyNs of destroying the attacker's guest meanwhile; 0: that stays
   */
  record Outcome(
      Onslaught attack,
      long seed,
      List<String> wrong,
      Waits p99,
      Burden burden,
      long listNs,
      long destroyNs) {
    /** The same with something more that must not be. */
    Outcome plus(String alsoWrong) {
      List<String> all = new ArrayList<>(wrong);
      all.add(alsoWrong);
      return new Outcome(attack, seed, List.copyOf(all), p99, burden, listNs, destroyNs);
    }

    String text(Waits quiet) {
      return String.format(
          Locale.ROOT,
          "%-18s seed %-20d p99 %s, %.2f of quiet; %s; guest list at most %7.1f ms; %s%s",
          attack.label(),
          seed,
          p99.text(),
          p99.against(quiet),
          burden.text(),
          listNs / 1e6,
          destroyNs == 0
              ? ""
              : String.format(Locale.ROOT, "guest destroyed in %.1f ms; ", destroyNs / 1e6),
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
   * @param environment of two machines: one is a victim too, in the other one a program attacks
   */
  AttackRun(Path directory, String limits, Optional<MachineEnvironment> environment)
      throws IOException, InterruptedException {
    daemon =
        DaemonProcess.startWithin(
            directory, List.of(ATTACKER, VICTIM, MACHINE, NEWCOMER, INTRUDER), HEAP, limits);
    machine =
        environment.isEmpty() ? null : new MachineVictim(environment.get(), daemon.socket(MACHINE));
    intruder =
        environment.isEmpty()
            ? null
            : new MachineIntruder(environment.get(), daemon.socket(INTRUDER));
    victim = new Victim(kernel, daemon.socket(VICTIM));
    newcomer = new Newcomer(kernel, daemon.socket(NEWCOMER), daemon.connection());
    awaitWork();
    long _ = new DoomedGuest(daemon).destroy(); // what the daemon keeps of such guests is there
    before = Holdings.of(daemon);
  }

  /** The victims' p99 while nobody attacks. */
  Waits quiet(int seconds) throws IOException, InterruptedException {
    measureAnew();
    Usage begin = Usage.of(List.of(daemon.process()));
    pause(seconds);
    awaitSamples();
    awaitWork();
    quietBurden = Usage.of(List.of(daemon.process())).since(begin);
    return measured();
  }

  /** From now on each measurement lasts until it has enough submissions, or is in vain. */
  void judge() {
    judged = true;
  }

  private void awaitSamples() throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE_NS;
    while (judged && !measured().isEnough() && System.nanoTime() < end) {
      pause(1);
    }
  }

  private void measureAnew() throws IOException, InterruptedException {
    victim.latencies().clear();
    if (machine != null) {
      machine.clear();
    }
  }

  private Waits measured() throws IOException, InterruptedException {
    Latencies process = victim.latencies();
    long p99 = process.permille(990);
    if (machine == null) {
      return new Waits(p99, process.count(), process.longest(), process.lost(), 0, 0);
    }
    MachineVictim.Went went = machine.went();
    return new Waits(
        p99,
        process.count(),
        process.longest(),
        process.lost(),
        Math.max(1, went.p99Ns()),
        went.samples());
  }

  /**
   * The victims' p99 beside a process that is as much of a burden as an attack, and asks nothing of
   * the daemon.
   */
  Waits control(Burden burden, int seconds) throws IOException, InterruptedException {
    Process process =
        SmallProgram.start(
            Spinner.class, Double.toString(burden.processors()), Double.toString(burden.wakes()));
    try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
      echo(said.readLine());
      measureAnew();
      pause(seconds);
      awaitSamples();
      awaitWork();
      return measured();
    } finally {
      process.destroyForcibly();
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
  Outcome attack(Onslaught attack, long seed, int seconds)
      throws IOException, InterruptedException {
    List<String> wrong = new ArrayList<>();
    long kills = kills();
    long evictions = evictions();
    int logged = daemon.log().length();
    measureAnew();
    newcomer.listing().clear();
    Burden burden;
    long destroyNs;
    try (Assault assault = begin(attack, seed)) {
      List<ProcessHandle> all = new ArrayList<>(assault.processes());
      all.add(daemon.process());
      Usage begin = Usage.of(all);
      pause(seconds);
      awaitSamples();
      getsOn("beside the attacker", wrong);
      burden = Usage.of(all).since(begin).beyond(quietBurden);
      assault.stop().ifPresent(wrong::add);
      destroyNs = assault.destroyNs();
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
    if (evictions() - evictions > MOST_EVICTED) {
      wrong.add("a victim's memory left " + (evictions() - evictions) + " times");
    }
    String log = daemon.log().substring(logged);
    log.lines()
        .filter(line -> line.contains(" level=error "))
        .limit(3)
        .map(line -> line.substring(0, Math.min(MOST_SHOWN, line.length())))
        .forEach(wrong::add);
    int ofAttacker =
        log.lines()
            .filter(line -> OF_ATTACKERS.stream().anyMatch(line::contains))
            .mapToInt(String::length)
            .sum();
    if (ofAttacker > MOST_LOGGED) {
      wrong.add("logged " + ofAttacker + " bytes");
    }
    Holdings after = awaitHoldings();
    if (!after.isBackTo(before)) {
      wrong.add("left behind: " + after + ", before " + before);
    }
    return new Outcome(attack, seed, List.copyOf(wrong), p99, burden, listNs, destroyNs);
  }

  private Assault begin(Onslaught attack, long seed) throws IOException, InterruptedException {
    return switch (attack) {
      case Attack byProcess -> {
        if (!byProcess.isOnADoomedGuest()) {
          yield attacker(daemon.socket(ATTACKER), byProcess, seed);
        }
        DoomedGuest doomed = new DoomedGuest(daemon);
        yield new DoomedAssault(doomed, attacker(doomed.socket(), byProcess, seed));
      }
      case Intrusion inMachine -> {
        if (intruder == null) {
          throw new IOException("there is no machine to attack from");
        }
        yield intruder.begin(inMachine, seed);
      }
    };
  }

  private static Assault attacker(Path socket, Attack attack, long seed) throws IOException {
    return new ProcessAssault(
        SmallProgram.start(Attacker.class, socket.toString(), attack.label(), Long.toString(seed)));
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

  private long evictions() {
    QuotaStatus status = daemon.connection().daemon().getQuotas().get(VICTIM);
    return status == null ? 0 : status.evictions();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    try (DaemonProcess _ = daemon;
        MachineIntruder _ = intruder;
        MachineVictim _ = machine) {
      victim.close();
      newcomer.close();
    }
  }
}

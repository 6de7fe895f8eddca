package io.sluice.testbed.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.MigrationStatusView;
import io.sluice.testbed.machine.Daemons.Holdings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Three hosts, and a machine that goes from one to another and meets a fault on its way. A machine
 * that survives serves for the next time.
 *
 * <p>In the machine runs {@code once}, which gives each of its submissions an id and places of its
 * own, and can tell whether each was executed exactly once.
 */
final class MachineRig implements AutoCloseable {
  private static final Duration PATIENCE = MachineHost.PATIENCE;
  private static final int SETTLE_STEP_MS = 100;
  private static final int SETTLE_STEPS = 70;

  /** A line that is typed ends the program, which says what it has found, and starts another. */
  private static final String RUN =
      "while :; do rm -f /tmp/end; once --until /tmp/end 100000 & p=$!; read x; touch /tmp/end;"
          + " wait $p; echo once-status $?; done";

  /**
   * Less memory is sent sooner; a daemon may be stopped for a while; and a busy host's timer may be
   * late for the kernel that boots.
   */
  private static final List<String> ARGUMENTS =
      List.of("--memory", "256M", "--msg-timeout", "60000", "--append", "no_timer_check");

  MachineHost source;
  MachineHost target;
  MachineHost other;
  private final Map<MachineHost, Holdings> empty = new HashMap<>();
  private final Map<MachineHost, Holdings> attached = new HashMap<>();
  private final Set<MachineHost> orphans = new HashSet<>();

  /** What became of the machine. */
  enum End {
    STAYS,
    MOVED,
    /** Its QEMU was killed, or its device is lost. */
    DEAD
  }

  /**
   * @param directory an empty one
   */
  MachineRig(Path directory) throws Exception {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(
        found.isPresent(), "no machine environment: run ./sluice test, not mvn, to have one made");
    assumeTrue(TestHost.whyNot().isEmpty(), TestHost.whyNot());
    MachineEnvironment environment = found.get();
    Path image = environment.image();
    Path own = Files.createDirectory(directory.resolve("host"));
    HostCertificates certificates =
        new HostCertificates(Files.createDirectory(directory.resolve("certificates")));
    int number = TestHost.freeNumbers(3);
    source = MachineHost.create(environment, image, certificates, own, number);
    target = MachineHost.create(environment, image, certificates, own, number + 1);
    other = MachineHost.create(environment, image, certificates, own, number + 2);
  }

  /** A machine works on the source, and one waits on the target. */
  void prepare() throws Exception {
    orphans.clear();
    source.ensure();
    target.ensure();
    if (!source.hasMachine()) {
      source.boot(RUN, ARGUMENTS, List.of());
    }
    source.machine().await("once: ", PATIENCE);
    target.dropMachine();
    Daemons.awaitGone(target.daemon(), MachineHost.GUEST);
    target.bootIncoming(RUN, ARGUMENTS);
  }

  /** Begins to move the machine, and holds it in a phase. */
  void holdIn(Moment moment, Map<String, String> options) throws Exception {
    MachineHost held = moment.atSource() ? source : target;
    held.stop().arm(moment.phase());
    source.migrations().start(MachineHost.GUEST, target.address(), options);
    if (!held.stop().await(PATIENCE)) {
      throw new AssertionError(moment + " is never entered: " + source.view());
    }
  }

  /** Lets whoever is held go on. */
  void release() {
    if (source.isAlive()) {
      source.stop().release();
    }
    if (target.isAlive()) {
      target.stop().release();
    }
  }

  /** Waits until the source has decided. */
  MigrationStatusView awaitOver() {
    await().atMost(PATIENCE).until(() -> source.view().over());
    return source.view();
  }

  /** Where the machine is, by the word of a daemon that lives. */
  End found() {
    if (source.isAlive()) {
      return awaitOver().phase().equals("done") ? End.MOVED : End.STAYS;
    }
    await()
        .atMost(PATIENCE)
        .until(() -> List.of("running", "discarded").contains(target.view().phase()));
    return target.view().phase().equals("running") ? End.MOVED : End.DEAD;
  }

  /**
   * The machine works on the source, all it submitted was executed once, the target has nothing.
   */
  void checkStays() throws Exception {
    checkWork(source);
    if (target.isAlive()) {
      if (!orphans.contains(target)) {
        await().atMost(PATIENCE).until(() -> !target.machine().isAlive());
      }
      Daemons.awaitGone(target.daemon(), MachineHost.GUEST);
      checkHoldings(empty, target);
      assertThat(target.leftSockets()).isEmpty();
    }
    // An orphan is ended by nobody; but it has never run.
    assertThat(target.machine().console()).doesNotContain("once");
    target.dropMachine();
    checkHoldings(attached, source);
    assertThat(source.leftSockets()).isEmpty();
  }

  /** The same the other way round; the sides change their parts. */
  void checkMoved() throws Exception {
    checkWork(target);
    if (source.isAlive()) {
      if (!orphans.contains(source)) {
        await().atMost(PATIENCE).until(() -> !source.machine().isAlive());
      }
      Daemons.awaitGone(source.daemon(), MachineHost.GUEST);
      checkHoldings(empty, source);
      assertThat(source.leftSockets()).isEmpty();
    }
    source.dropMachine();
    checkHoldings(attached, target);
    assertThat(target.leftSockets()).isEmpty();
    MachineHost left = source;
    source = target;
    target = left;
  }

  /** Nothing of it is anywhere. */
  void checkDead() throws Exception {
    source.dropMachine();
    target.dropMachine();
    for (MachineHost side : List.of(source, target)) {
      if (side.isAlive()) {
        Daemons.awaitGone(side.daemon(), MachineHost.GUEST);
        checkHoldings(empty, side);
        assertThat(side.leftSockets()).isEmpty();
      }
    }
  }

  /** The program that was there all the time says what it has found; another is started. */
  private static void checkWork(MachineHost side) throws Exception {
    side.machine().type("");
    String status = side.machine().await("once-status ", PATIENCE);
    assertThat(status).as(side.machine().console()).isEqualTo("0");
    side.machine().await("once: ", PATIENCE);
  }

  /** No more than after the first migration, which opens what is kept for all. */
  private static void checkHoldings(Map<MachineHost, Holdings> known, MachineHost side)
      throws IOException, InterruptedException {
    Holdings before = known.get(side);
    if (before == null) {
      known.put(side, settled(side));
      return;
    }
    long end = System.nanoTime() + PATIENCE.toNanos();
    Holdings now = Holdings.of(side.daemon().pid());
    while (now.descriptors() > before.descriptors() || now.mappings() > before.mappings()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("left behind: " + before + " became " + now);
      }
      Thread.sleep(SETTLE_STEP_MS);
      now = Holdings.of(side.daemon().pid());
    }
  }

  /** A link lingers for some seconds: the least that is held for longer than that. */
  private static Holdings settled(MachineHost side) throws IOException, InterruptedException {
    Holdings least = Holdings.of(side.daemon().pid());
    for (int i = 0; i < SETTLE_STEPS; i++) {
      Thread.sleep(SETTLE_STEP_MS);
      Holdings now = Holdings.of(side.daemon().pid());
      least =
          new Holdings(
              Math.min(least.descriptors(), now.descriptors()),
              Math.min(least.mappings(), now.mappings()));
    }
    return least;
  }

  /** After a cell that failed the next begins with a machine of its own. */
  void drop() throws InterruptedException {
    source.dropMachine();
    target.dropMachine();
    other.dropMachine();
  }

  /** A daemon that was killed: its machine is an orphan, and its successor has other files. */
  void forget(MachineHost side) {
    orphans.add(side);
    empty.remove(side);
    attached.remove(side);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    source.close();
    target.close();
    other.close();
  }
}

package io.sluice.testbed.machine.move.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.MigrationStatusView;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.TestHost;
import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Moment;
import io.sluice.testbed.machine.support.Daemons;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Three hosts, and a machine that goes from one to another and meets a fault on its way. A machine
 * that survives serves for the next time.
 *
 * <p>In the machine runs {@code once}, which gives each of its submissions an id and places of its
 * own, and can tell whether each was executed exactly once.
 */
final class MachineRig implements AutoCloseable {
  private static final Duration PATIENCE = MachineHost.PATIENCE;

  /** A line that is typed ends the program, which says what it has found, and starts another. */
  private static final String RUN =
      "while :; do rm -f /tmp/end; once --until /tmp/end --every "
          + Standstill.GRAIN
          + " 100000 & p=$!; read x; echo once-told;"
          + " touch /tmp/end; wait $p; echo once-status $?; done";

  /**
   * Less memory is sent sooner; a daemon may be stopped for a while; and a busy host's timer may be
   * late for the kernel that boots.
   */
  private static final List<String> ARGUMENTS =
      List.of("--memory", "256M", "--msg-timeout", "60000", "--append", "no_timer_check");

  MachineHost source;
  MachineHost target;
  MachineHost other;
  private final Set<MachineHost> orphans = new HashSet<>();

  /** What became of the machine. */
  enum End {
    STAYS,
    MOVED,
    /** Its QEMU was killed, or its device is lost. */
    DEAD
  }

  private final String run;
  private final List<String> arguments;

  /**
   * Machines that run {@code once}.
   *
   * @param directory an empty one
   */
  MachineRig(Path directory) throws Exception {
    this(directory, RUN, List.of());
  }

  /**
   * @param directory an empty one
   * @param run a loop, each turn of which is ended by a line that is typed and then prints {@code
   *     once-status}, 0 when all was right; prints {@code once:} in between
   * @param more options of qemu.sh
   */
  MachineRig(Path directory, String run, List<String> more) throws Exception {
    this.run = run;
    arguments = Stream.concat(ARGUMENTS.stream(), more.stream()).toList();
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(found.isPresent(), MachineEnvironment.absence());
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
      Daemons.awaitGone(source.daemon(), MachineHost.GUEST);
      source.boot(run, arguments, List.of());
    }
    source.machine().await("once: ", PATIENCE);
    target.dropMachine();
    Daemons.awaitGone(target.daemon(), MachineHost.GUEST);
    target.bootIncoming(run, arguments);
  }

  /** On the target is a machine that waits for nobody. */
  void bootNotWaiting() throws IOException {
    target.bootStopped(run, arguments);
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

  /** The machine works on the source, and all it submitted was executed once. */
  void checkWorks() throws Exception {
    checkWork(source);
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
      target.checkLeft();
      assertThat(target.leftSockets()).isEmpty();
    }
    // An orphan is ended by nobody; but it has never run.
    assertThat(target.machine().console()).doesNotContain("once");
    target.dropMachine();
    source.checkServing();
    assertThat(source.leftSockets()).isEmpty();
  }

  /** All of {@link #checkMoved} but what daemons hold, which takes a second move to compare. */
  void checkArrived() throws Exception {
    checkWork(target);
    await().atMost(PATIENCE).until(() -> !source.machine().isAlive());
    Daemons.awaitGone(source.daemon(), MachineHost.GUEST);
    for (MachineHost side : List.of(source, target)) {
      await().atMost(PATIENCE).until(() -> side.leftSockets().isEmpty());
    }
  }

  /** The same as {@link #checkStays} the other way round; the sides change their parts. */
  void checkMoved() throws Exception {
    checkWork(target);
    if (source.isAlive()) {
      if (!orphans.contains(source)) {
        await().atMost(PATIENCE).until(() -> !source.machine().isAlive());
      }
      source.checkLeft();
      assertThat(source.leftSockets()).isEmpty();
    }
    source.dropMachine();
    target.checkServing();
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
        side.checkLeft();
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

  /**
   * The source's daemon was killed, the destination has not the machine, and the daemon is started
   * anew: the machine goes on without its GPU, or QEMU has ended as it does when its server goes
   * while a request is under way.
   */
  void checkGoesOnWithoutDevice() throws Exception {
    source.ensure();
    MachineGuest left = source.machine();
    try {
      left.type("");
      left.await("once-told", PATIENCE);
    } catch (IOException | UncheckedIOException e) {
      assertThat(left.isAlive()).as("%s: %s", e.getMessage(), left.console()).isFalse();
      assertThat(left.console()).contains("Assertion");
    }
  }

  /**
   * The source's daemon was killed, the destination has the machine, and the daemon is started
   * anew: what stands here is ended.
   */
  void checkEndsAtSource() throws Exception {
    source.ensure();
    await().atMost(PATIENCE).until(() -> !source.machine().isAlive());
  }

  /** After a cell that failed the next begins with a machine of its own. */
  void drop() throws InterruptedException {
    source.dropMachine();
    target.dropMachine();
    other.dropMachine();
  }

  /** A daemon that was killed: its machine is an orphan. */
  void forget(MachineHost side) {
    orphans.add(side);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    source.close();
    target.close();
    other.close();
  }
}

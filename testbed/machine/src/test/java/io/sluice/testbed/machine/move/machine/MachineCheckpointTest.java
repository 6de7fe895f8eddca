package io.sluice.testbed.machine.move.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.CheckpointView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.support.LongOperations;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.management.OperationsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real machine whose program submits all the time is written to a file and goes on, and two
 * others are made of the file: all three can tell that each of their submissions was executed once.
 */
final class MachineCheckpointTest {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String ORIGINAL = "web";

  /** A line that is typed ends the program, which says what it has found, and starts another. */
  private static final String RUN =
      "while :; do rm -f /tmp/end; once --until /tmp/end 100000 & p=$!; read x;"
          + " touch /tmp/end; wait $p; echo once-status $?; done";

  private static final List<String> ARGUMENTS =
      List.of("--memory", "256M", "--msg-timeout", "60000", "--append", "no_timer_check");

  @TempDir private Path directory;

  private MachineGuest boot(MachineEnvironment environment, String guest, String... qemu)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(ARGUMENTS);
    arguments.add("--");
    arguments.addAll(List.of(qemu));
    return MachineGuest.start(
        environment,
        new MachineGuest.Setup(
            environment.image(),
            List.of(directory.resolve(guest + ".sock")),
            RUN,
            Optional.of(directory.resolve(guest + ".qmp")),
            arguments),
        _ -> {});
  }

  private MachineGuest bootWaiting(
      MachineEnvironment environment, DaemonProcess daemon, String guest) throws Exception {
    MachineGuest machine = boot(environment, guest, "-S", "-incoming", "defer");
    await()
        .atMost(PATIENCE)
        .until(() ->
            !daemon.connection().guest(guest).getState().equals("waiting")
                && Files.exists(directory.resolve(guest + ".qmp")));
    return machine;
  }

  /** Its program says what it has found, and another one works. */
  private static void checkWork(MachineGuest machine) throws Exception {
    machine.type("");
    String status = machine.await("once-status ", PATIENCE);
    assertThat(status).as(machine.console()).isEqualTo("0");
    machine.await("once: ", PATIENCE);
  }

  private List<String> files(String with) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(n -> n.contains(with))
          .toList();
    }
  }

  @Test
  void checkpoint_ofAWorkingMachine_itGoesOnAndTwoAreMadeOfIt() throws Exception {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(found.isPresent(), MachineEnvironment.absence());
    MachineEnvironment environment = found.get();
    Path checkpoints = directory.resolve("state/checkpoints");
    String file = checkpoints.resolve("web.checkpoint").toString();
    try (DaemonProcess daemon =
            DaemonProcess.start(directory, List.of(ORIGINAL, "clone-a", "clone-b"));
        MachineGuest machine = boot(environment, ORIGINAL)) {
      MigrationsMXBean migrations = daemon.connection().migrations();
      machine.await("once: ", PATIENCE);
      LongOperations.checkpoint(migrations, ORIGINAL, file, true);
      checkWork(machine);

      LongOperations.checkpoint(migrations, ORIGINAL, file, false);
      checkWork(machine);
      assertThat(migrations.checkpoints(""))
          .extracting(CheckpointView::file, CheckpointView::kind, CheckpointView::guest)
          .containsExactly(tuple(file, "machine", ORIGINAL));
      assertThatThrownBy(() -> LongOperations.restore(migrations, ORIGINAL, file))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("SLU-MIG-057")
          .hasMessageContaining("-incoming defer");
      checkWork(machine);

      assertDiskFull(migrations, machine);
      for (String clone : List.of("clone-a", "clone-b")) {
        try (MachineGuest made = bootWaiting(environment, daemon, clone)) {
          assertRefusedWhole(migrations, clone, Path.of(file));
          LongOperations.restore(migrations, clone, file);
          checkWork(made);
        }
      }
      checkWork(machine);
      await().atMost(PATIENCE).until(() -> files(".qmp.out").isEmpty());
      assertThat(files(".qmp.in")).isEmpty();
      assertThat(checkpoints).isDirectoryNotContaining("glob:**.partial");
    }
  }

  /** The machine goes on, and nothing is left on the disk. Mounting one takes root. */
  private void assertDiskFull(MigrationsMXBean migrations, MachineGuest machine) throws Exception {
    Path disk = Files.createDirectory(directory.resolve("state/checkpoints/disk"));
    if (!isDone("mount", "-t", "tmpfs", "-o", "size=16m", "none", disk.toString())) {
      return;
    }
    try {
      for (boolean live : new boolean[] {true, false}) {
        assertThatThrownBy(() ->
                LongOperations.checkpoint(
                    migrations, ORIGINAL, disk.resolve("small").toString(), live))
            .isInstanceOf(OperationsException.class)
            .hasMessageContaining("No space left on device");
        assertThat(disk).isEmptyDirectory();
        checkWork(machine);
      }
    } finally {
      assertThat(isDone("umount", disk.toString())).isTrue();
    }
  }

  private static boolean isDone(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
  }

  /** A file that is damaged in the machine's own memory costs the machine that waits nothing. */
  private void assertRefusedWhole(MigrationsMXBean migrations, String guest, Path file)
      throws IOException {
    Path damaged = directory.resolve("damaged");
    Files.copy(file, damaged);
    try (RandomAccessFile bytes = new RandomAccessFile(damaged.toFile(), "rw")) {
      bytes.seek(bytes.length() / 2);
      int was = bytes.read();
      bytes.seek(bytes.length() / 2);
      bytes.write(was ^ 4);
    }
    assertThatThrownBy(() -> LongOperations.restore(migrations, guest, damaged.toString()))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-MIG-057");
    Files.delete(damaged);
  }
}

package io.sluice.testbed.machine.session.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.LongOperations;
import io.sluice.testbed.opencl.OpenClParts;
import io.sluice.testbed.opencl.OtherMake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.management.OperationsException;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A machine in which an OpenCL program runs is written to a file and goes on, and others are made
 * of the file: by the same daemon, after it was started again, and on another make of OpenCL. The
 * program says in each of them whether all it computed, before and after, was right.
 */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
@TakesLong("it boots machines, and starts daemons, one after another")
final class MachineSessionsCheckpointTest {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String ORIGINAL = "web";
  private static final String COPY = "copy";
  private static final long AT_WORK = 100;

  /** A program filters frames until a line is typed; then it says whether all were right. */
  private static final String WORK =
      """
      rm -f /tmp/end
      %sframes 100000000 48 /tmp/end > /tmp/out 2>&1 &
      p=$!
      read x
      touch /tmp/end
      wait $p
      s=$?
      cat /tmp/out
      f=$(sed -n 's/^frames: //p' /tmp/out)
      [ "$s" = 0 ] && [ "$f" -gt 0 ] && grep -qx "right: $f" /tmp/out
      echo once-status $?
      """
          .formatted(OpenClParts.IN_MACHINE);

  private static final String RUN = "while :; do . /bin/work; done";

  private static final List<String> ARGUMENTS =
      List.of("--memory", "512M", "--msg-timeout", "60000", "--append", "no_timer_check");

  @TempDir private Path directory;
  private MachineEnvironment environment;
  private Path image;
  private Path file;

  @BeforeEach
  void build() throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(found.isPresent(), MachineEnvironment.absence());
    environment = found.get();
    OpenClParts parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    Path work = Files.writeString(directory.resolve("work"), WORK);
    List<String> arguments = new ArrayList<>(parts.imageArguments(OpenClParts.programs()));
    arguments.addAll(List.of("--add", work + ":/bin/work"));
    image = environment.image(arguments);
    file = directory.resolve("state/checkpoints/web.checkpoint");
  }

  private DaemonProcess start(String sessions) throws Exception {
    DaemonProcess daemon =
        DaemonProcess.startWithOpenCl(directory, List.of(ORIGINAL, COPY), sessions);
    for (String guest : List.of(ORIGINAL, COPY)) {
      await()
          .atMost(PATIENCE)
          .until(() -> host(daemon, guest).state().equals(SessionHostStatus.SERVING));
    }
    return daemon;
  }

  private static SessionsMXBean sessions(DaemonProcess daemon) {
    return daemon.connection().sessions();
  }

  private static SessionHostStatus host(DaemonProcess daemon, String guest) {
    return Objects.requireNonNull(sessions(daemon).getHosts().get(guest));
  }

  private MachineGuest boot(String guest, String... qemu) throws IOException {
    List<String> arguments = new ArrayList<>(ARGUMENTS);
    arguments.add("--");
    arguments.addAll(List.of(qemu));
    return MachineGuest.start(
        environment,
        new MachineGuest.Setup(
            image,
            List.of(directory.resolve(guest + ".sock")),
            RUN,
            Optional.of(directory.resolve(guest + ".qmp")),
            arguments),
        _ -> {});
  }

  private MachineGuest bootWaiting(DaemonProcess daemon) throws Exception {
    Daemons.awaitGone(daemon, COPY);
    Files.deleteIfExists(directory.resolve(COPY + ".qmp")); // of the one before
    MachineGuest machine = boot(COPY, "-S", "-incoming", "defer");
    await()
        .atMost(PATIENCE)
        .until(() ->
            !daemon.connection().guest(COPY).getState().equals("waiting")
                && Files.exists(directory.resolve(COPY + ".qmp")));
    return machine;
  }

  /** A session that computes; more than it had, if it is known already. */
  private static SessionStatus awaitAtWork(
      DaemonProcess daemon, String guest, MachineGuest machine, long calls) throws Exception {
    try {
      return await()
          .atMost(PATIENCE)
          .until(
              () ->
                  sessions(daemon).list(guest).stream()
                      .filter(each -> each.calls() > calls + AT_WORK)
                      .findFirst()
                      .orElse(null),
              each -> each != null);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(machine.console() + "\n" + sessions(daemon).list(guest), e);
    }
  }

  private static void checkWork(MachineGuest machine) throws Exception {
    machine.type("");
    assertThat(machine.await("once-status ", PATIENCE)).as(machine.console()).isEqualTo("0");
  }

  /** Once the machine that waits is attached to its end, which a new daemon may be slow to see. */
  private void restore(DaemonProcess daemon) {
    await()
        .atMost(PATIENCE)
        .until(() -> {
          try {
            LongOperations.restore(daemon.connection().migrations(), COPY, file.toString());
            return true;
          } catch (OperationsException e) {
            if (String.valueOf(e.getMessage()).contains("nobody is attached")) {
              return false;
            }
            throw e;
          }
        });
  }

  private void assertNothingLeft() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(Path::toString)).noneMatch(name -> name.contains(".sessions"));
    }
    assertThat(file.getParent()).isDirectoryNotContaining("glob:**.partial");
  }

  /** Restores, and has the program that was in the machine say what it has computed. */
  private SessionStatus checkCopy(DaemonProcess daemon) throws Exception {
    try (MachineGuest copy = bootWaiting(daemon)) {
      restore(daemon);
      SessionStatus session = awaitAtWork(daemon, COPY, copy, 0);
      checkWork(copy);
      return session;
    } finally {
      await().atMost(PATIENCE).until(() -> sessions(daemon).list(COPY).isEmpty());
      assertNothingLeft();
    }
  }

  @Test
  void checkpoint_whileAProgramComputes_itGoesOnWhereverAMachineIsMadeOfIt() throws Exception {
    try (DaemonProcess daemon = start("");
        MachineGuest machine = boot(ORIGINAL)) {
      SessionStatus before = awaitAtWork(daemon, ORIGINAL, machine, 0);
      LongOperations.checkpoint(daemon.connection().migrations(), ORIGINAL, file.toString(), true);
      SessionStatus after = awaitAtWork(daemon, ORIGINAL, machine, before.calls());
      assertThat(after.number()).isEqualTo(before.number());
      assertThat(daemon.connection().migrations().report(ORIGINAL, "json"))
          .contains("\"sessions\":{\"moved\":1,");

      assertDiskFull(daemon, machine);
      assertRefusedForWant(daemon);
      SessionStatus copied = checkCopy(daemon);
      assertThat(copied.memoryBytes()).isEqualTo(after.memoryBytes());
      checkWork(machine);
    }
    try (DaemonProcess daemon = start("")) {
      checkCopy(daemon);
    }
    OtherMake make = OtherMake.ALL.getFirst();
    if (make.isInstalled()) {
      try (DaemonProcess daemon = start("java = \"" + javaWith(make) + "\"\n")) {
        assertThat(host(daemon, COPY).devices().toString()).containsIgnoringCase(make.name());
        checkCopy(daemon);
      }
    }
    assertRefusedWithoutOpenCl();
  }

  /** The machine and its program go on. Mounting a disk takes root. */
  private void assertDiskFull(DaemonProcess daemon, MachineGuest machine) throws Exception {
    Path disk = Files.createDirectory(directory.resolve("state/checkpoints/disk"));
    if (!isDone("mount", "-t", "tmpfs", "-o", "size=16m", "none", disk.toString())) {
      return;
    }
    try {
      assertThatThrownBy(() ->
              LongOperations.checkpoint(
                  daemon.connection().migrations(),
                  ORIGINAL,
                  disk.resolve("small").toString(),
                  true))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("No space left on device");
      assertThat(disk).isEmptyDirectory();
      checkWork(machine);
      SessionStatus _ = awaitAtWork(daemon, ORIGINAL, machine, 0);
    } finally {
      assertThat(isDone("umount", disk.toString())).isTrue();
    }
  }

  private static boolean isDone(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
  }

  /** What the guest may not have is named before the machine runs, and nothing stays. */
  private void assertRefusedForWant(DaemonProcess daemon) throws Exception {
    SessionHostStatus limits = host(daemon, COPY);
    sessions(daemon).limit(COPY, limits.sessionLimit(), 4096L);
    try (MachineGuest copy = bootWaiting(daemon)) {
      assertThatThrownBy(() -> restore(daemon))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("SLU-MIG-057")
          .hasMessageContaining("cannot be made here");
      assertThat(copy.console()).doesNotContain("once-status");
      await().atMost(PATIENCE).until(() -> sessions(daemon).list(COPY).isEmpty());
    } finally {
      sessions(daemon).limit(COPY, limits.sessionLimit(), limits.memoryLimitBytes());
    }
  }

  /**
   * A Java whose session hosts have another make of OpenCL, and no other, in place of the first.
   */
  private Path javaWith(OtherMake make) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String script =
        "#!/bin/sh\nexec " + java + " \"$@\" --implementation=" + make.vendors(directory) + "\n";
    Path file = Files.writeString(directory.resolve("java-with-" + make.name()), script);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void assertRefusedWithoutOpenCl() throws Exception {
    try (DaemonProcess daemon = DaemonProcess.start(directory, List.of(ORIGINAL, COPY));
        MachineGuest copy = bootWaiting(daemon)) {
      assertThatThrownBy(() -> restore(daemon))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("API sessions")
          .hasMessageContaining("opencl");
      assertThat(copy.isAlive()).as("it was not touched").isTrue();
    }
  }
}

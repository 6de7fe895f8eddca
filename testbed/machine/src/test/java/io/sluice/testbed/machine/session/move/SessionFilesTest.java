package io.sluice.testbed.machine.session.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.CheckpointView;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
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
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sessions of processes, on this host and in a machine, that are written to files while their
 * programs wait, and made again.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
@TakesLong("its programs compute on two makes of OpenCL, and in a machine")
final class SessionFilesTest {
  private static final String GUEST = "guest";
  private static final String MACHINE = "machine";
  private static final String DEFAULT = "default";
  private static final String PARKED = "(file)";
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final long AT_WORK = 50;

  private OpenClParts parts;
  private Path work;
  private Path files;
  private DaemonProcess daemon;
  private SessionsMXBean sessions;
  private String other = "vendors"; // the directory's name

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    work = Files.createDirectory(directory.resolve("work"));
    Path vendors = OpenClParts.NATIVE_VENDORS;
    OtherMake make = OtherMake.ALL.getFirst();
    if (make.isInstalled()) {
      other = make.name();
      vendors = make.vendors(directory);
    }
    Path own = Files.createDirectory(directory.resolve("daemon"));
    daemon =
        DaemonProcess.startWithOpenCl(
            own, List.of(GUEST, MACHINE), "implementations = \"" + vendors + "\"\n");
    files = own.resolve("state/checkpoints");
    sessions = daemon.connection().sessions();
    await().atMost(PATIENCE).until(() -> host().state().equals(SessionHostStatus.SERVING));
  }

  @AfterAll
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  private SessionHostStatus host() {
    return Objects.requireNonNull(sessions.getHosts().get(GUEST));
  }

  /** A program that filters frames until a file is there; it says whether all were right. */
  private final class Frames implements AutoCloseable {
    private final Path end;
    private final Path output;
    private final Process process;
    private final long number;

    Frames(String name) throws IOException {
      end = work.resolve(name + "-end");
      output = work.resolve(name);
      List<String> command = new ArrayList<>();
      command.add(parts.program("frames").toString());
      command.addAll(List.of("100000000", "48", end.toString()));
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
      builder.environment().put("OCL_ICD_VENDORS", parts.vendors().toString());
      builder.environment().put("SLUICE_API_SOCKET", daemon.socket(GUEST) + ".api");
      process = builder.start();
      number = awaitCalls(AT_WORK).number();
    }

    SessionStatus status() throws OperationsException {
      return sessions.list(GUEST).stream()
          .filter(each -> each.pid() == process.pid())
          .findFirst()
          .orElseThrow();
    }

    private SessionStatus awaitCalls(long calls) {
      return await()
          .atMost(PATIENCE)
          .until(
              () ->
                  sessions.list(GUEST).stream()
                      .filter(each -> each.pid() == process.pid() && each.calls() > calls)
                      .findFirst()
                      .orElse(null),
              each -> each != null);
    }

    /** It works where it lives. */
    void awaitWork(String place) throws OperationsException {
      SessionStatus now = awaitCalls(status().calls() + AT_WORK);
      assertThat(now.host()).isEqualTo(place);
      assertThat(now.memoryBytes()).isPositive();
    }

    void write(Path file) throws OperationsException {
      assertThat(sessions.checkpoint(GUEST, number, file.toString()).sentBytes()).isPositive();
      assertParked();
      assertThat(daemon.connection().migrations().checkpoints(file.toString()))
          .extracting(CheckpointView::kind, CheckpointView::state)
          .containsExactly(tuple("session", CheckpointView.COMPLETE));
    }

    void restore(Path file, String to) throws OperationsException {
      assertThat(sessions.restore(GUEST, number, file.toString(), to).sentBytes()).isPositive();
    }

    void assertRefused(Path file, String to, String why) throws OperationsException {
      assertThatThrownBy(() -> sessions.restore(GUEST, number, file.toString(), to))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining(why);
      assertParked();
    }

    /** Its calls wait, and nothing of it is in an implementation. */
    private void assertParked() throws OperationsException {
      SessionStatus now = status();
      assertThat(now.host()).isEqualTo(PARKED);
      assertThat(now.number()).isEqualTo(number);
      assertThat(now.memoryBytes()).isZero();
      assertThat(now.objects()).isEmpty();
      assertThat(process.isAlive()).isTrue();
    }

    /** It has computed all of its frames rightly. */
    void assertRight() throws Exception {
      Files.createFile(end);
      assertThat(process.waitFor()).as(Files.readString(output)).isZero();
      List<String> lines = Files.readAllLines(output);
      assertThat(lines)
          .anyMatch(line ->
              line.startsWith("frames: ")
                  && lines.contains("right" + line.substring("frames".length())));
    }

    @Override
    public void close() throws InterruptedException {
      process.destroyForcibly().waitFor();
      await()
          .atMost(PATIENCE)
          .until(() -> sessions.list(GUEST).stream().noneMatch(each -> each.number() == number));
    }
  }

  private long children() {
    return daemon.process().descendants().count();
  }

  @Test
  void session_writtenAndMadeAgain_programGoesOnHereAndOnAnotherMake() throws Exception {
    Path file = files.resolve("frames");
    try (Frames frames = new Frames("moved")) {
      frames.write(file);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      long calls = frames.status().calls();
      frames.restore(file, DEFAULT);
      frames.awaitWork(DEFAULT);
      assertThat(frames.status().calls()).isGreaterThan(calls);

      Path earlier = Files.copy(file, files.resolve("earlier"));
      frames.write(file); // in the place of the first
      assertThat(files).isDirectoryNotContaining("glob:**.partial");
      frames.assertRefused(earlier, DEFAULT, "of another time");
      frames.restore(file, other);
      frames.awaitWork(other);
      frames.write(file);
      frames.restore(file, DEFAULT);
      frames.assertRight();
    }
    assertThat(file).exists();
  }

  @Test
  void restore_thatCannotBe_isRefusedAndTheSessionWaits() throws Exception {
    Path file = files.resolve("refused");
    try (Frames frames = new Frames("refused");
        Frames working = new Frames("working")) {
      assertThatThrownBy(() -> sessions.restore(GUEST, frames.number, "/nowhere", DEFAULT))
          .hasMessageContaining("SLU-MIG-057");
      frames.write(file);
      working.awaitWork(DEFAULT);
      assertThatThrownBy(() -> sessions.restore(GUEST, working.number, file.toString(), DEFAULT))
          .hasMessageContaining("in no file");
      frames.assertRefused(file, "nowhere", "no such session host");
      frames.assertRefused(work.resolve("none"), DEFAULT, "it is no file");
      frames.assertRefused(work.resolve("refused"), DEFAULT, "SLU-MIG-057"); // its output
      byte[] whole = Files.readAllBytes(file);
      Path damaged = files.resolve("damaged");
      for (int at = 20; at < whole.length; at += whole.length / 5) {
        byte[] bytes = whole.clone();
        bytes[at] ^= 2;
        Path _ = Files.write(damaged, bytes);
        frames.assertRefused(damaged, DEFAULT, "SLU-MIG-057");
        Path _ = Files.write(damaged, java.util.Arrays.copyOf(whole, at));
        frames.assertRefused(damaged, DEFAULT, "cut off");
      }
      assertThatThrownBy(() -> sessions.move(GUEST, frames.number, other, false))
          .hasMessageContaining("in a file");
      frames.assertRefused(file, PARKED, "no such session host");
      assertThatThrownBy(() -> sessions.move(GUEST, working.number, PARKED, false))
          .hasMessageContaining("no such session host");
      assertThatThrownBy(() -> sessions.checkpoint(GUEST, working.number, file.toString()))
          .hasMessageContaining("a session waits in what is there")
          .hasMessageContaining("restore that session first");
      working.awaitWork(DEFAULT);
      SessionHostStatus limits = host();
      try {
        sessions.limit(GUEST, limits.sessionLimit(), working.status().memoryBytes() + 100);
        frames.assertRefused(file, DEFAULT, "cannot be made here");
      } finally {
        sessions.limit(GUEST, limits.sessionLimit(), limits.memoryLimitBytes());
      }
      frames.restore(file, DEFAULT);
      frames.assertRight();
      working.assertRight();
    }
  }

  @Test
  void write_thatCannotBe_isRefusedAndTheProgramGoesOn() throws Exception {
    try (Frames frames = new Frames("stays")) {
      assertRefused(frames, "relative", "SLU-MIG-080");
      assertRefused(frames, files.resolveSibling("own").toString(), "SLU-MIG-080");
      assertRefused(frames, frames.output.toString(), "that is no checkpoint");
      assertRefused(frames, work.resolve("no/such").toString(), "SLU-MIG-057");
      assertThatThrownBy(() -> sessions.checkpoint(GUEST, 1 << 20, work.resolve("x").toString()))
          .hasMessageContaining("no such session");
      Path disk = Files.createDirectory(work.resolve("disk"));
      if (isDone("mount", "-t", "tmpfs", "-o", "size=4k", "none", disk.toString())) {
        try {
          assertRefused(frames, disk.resolve("small").toString(), "No space left on device");
          assertThat(disk).isEmptyDirectory();
        } finally {
          assertThat(isDone("umount", disk.toString())).isTrue();
        }
      }
      frames.assertRight();
    }
  }

  private void assertRefused(Frames frames, String file, String why) throws OperationsException {
    assertThatThrownBy(() -> sessions.checkpoint(GUEST, frames.number, file))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining(why);
    frames.awaitWork(DEFAULT);
  }

  private static boolean isDone(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
  }

  @Test
  void application_killedWhileItWaits_leavesTheFileAlone() throws Exception {
    long before = children();
    Path file = files.resolve("left");
    try (Frames frames = new Frames("killed")) {
      frames.write(file);
    }
    await().atMost(PATIENCE).until(() -> children() <= before);
    assertThat(file).exists();
  }

  @Test
  void operator_endsASessionInAFile_itsProgramHearsIt() throws Exception {
    try (Frames frames = new Frames("ended")) {
      frames.write(files.resolve("ended"));
      sessions.end(GUEST, frames.number);
      assertThat(frames.process.waitFor()).isNotZero();
      assertThat(frames.output).content().contains("CL_DEVICE_NOT_AVAILABLE");
    }
  }

  @Test
  void sessionOfAMachine_writtenAndMadeAgain_programGoesOn() throws Exception {
    Optional<MachineEnvironment> environment = MachineEnvironment.find();
    assumeTrue(environment.isPresent(), MachineEnvironment.absence());
    Path image = environment.get().image(parts.imageArguments(OpenClParts.programs()));
    String run = OpenClParts.IN_MACHINE + "matrix 128 3000 | grep '^verified: right'";
    MachineGuest.Setup setup =
        new MachineGuest.Setup(
            image, List.of(daemon.socket(MACHINE)), run, Optional.empty(), List.of());
    Path file = files.resolve("of-a-machine");
    try (MachineGuest machine = MachineGuest.start(environment.get(), setup, _ -> {})) {
      SessionStatus session = awaitInMachine();
      long number = session.number();
      assertThat(sessions.checkpoint(MACHINE, number, file.toString()).sentBytes()).isPositive();
      SessionStatus waiting = sessions.list(MACHINE).getFirst();
      assertThat(waiting.host()).isEqualTo(PARKED);
      assertThat(waiting.memoryBytes()).isZero();
      assertThat(sessions.restore(MACHINE, number, file.toString(), DEFAULT).sentBytes())
          .isPositive();
      assertThat(machine.awaitExit(PATIENCE)).as(machine.console()).isZero();
    }
    await().atMost(PATIENCE).until(() -> sessions.list(MACHINE).isEmpty());
  }

  private SessionStatus awaitInMachine() {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                sessions.list(MACHINE).stream()
                    .filter(each -> each.calls() > AT_WORK)
                    .findFirst()
                    .orElse(null),
            each -> each != null);
  }
}

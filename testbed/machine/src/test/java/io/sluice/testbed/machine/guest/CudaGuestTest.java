package io.sluice.testbed.machine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.fakes.relay.CudaCalls;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.support.Daemons.Holdings;
import io.sluice.testbed.machine.support.MachineShell;
import io.sluice.testbed.machine.support.Machines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * CUDA programs in a real machine: their library, the guest's driver, the device and the relay,
 * before a driver in memory. One machine for all tests but one, in any order.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CudaGuestTest {
  private static final String CALLS = "/usr/lib/sluice/calls";
  private static final String LIBRARY = "/usr/lib/sluice/libsluice-cuda.so";
  private static final String API = "/dev/sluice-api0";
  private static final String DEVICE = "/sys/class/misc/sluice-api0/device";

  /** A user who may do nothing, whom it becomes with {@code su}. */
  private static final String STRANGER =
      "echo nobody:x:65534:65534::/:/bin/sh > /etc/passwd; mkfifo -m 666 /tmp/go;"
          + " test \"$(su nobody -c id)\" != \"$(id)\"";

  /** A program in the background that has all it can, until the writer of the pipe is gone. */
  private static final String HOLDER =
      asStranger(preloaded("hold") + " < /tmp/go > /tmp/held 2>&1")
          + " & exec 9> /tmp/go; until grep -q holds /tmp/held; do usleep 100000; done";

  private static final String LET_GO = "exec 9>&-; wait; cat /tmp/held";

  /** What a program sees that works with what it has: what the driver has written is there. */
  private static final List<String> WORKS =
      List.of(
          "device: status 0x0",
          "tied: ok",
          "memory: status 0x0",
          "mapping: ok status 0x0",
          "mapped: first 1 last 0",
          "pinned: ok status 0x0 first 8 last 7",
          "event: ok status 0x0",
          "told: 1",
          "no event: ok status 0x0");

  private MachineEnvironment environment;
  private Path image;
  private CudaHost host;
  private MachineShell shell;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(found.isPresent(), MachineEnvironment.absence());
    environment = found.get();
    image = environment.image();
    host = new CudaHost(directory);
    shell = boot(host);
  }

  private MachineShell boot(CudaHost at) throws Exception {
    MachineShell booted = MachineShell.boot(environment, image, at.socket(), "--cpus", "2");
    assertThat(booted.run(STRANGER)).as(booted.console()).isZero();
    // The first session of a machine has the device map its memory.
    assertThat(booted.run(asStranger(preloaded("rm")))).as(booted.console()).isZero();
    return booted;
  }

  @AfterAll
  void stop() throws Exception {
    if (shell != null) {
      shell.close();
    }
    if (host != null) {
      host.close();
    }
  }

  @AfterEach
  void nothingIsLeft() {
    awaitEmpty(host);
  }

  private static void awaitEmpty(CudaHost of) {
    await().atMost(Machines.PATIENCE).until(of::isEmpty);
  }

  private static String asStranger(String command) {
    return "su nobody -c '" + command + "'";
  }

  private static String preloaded(String section) {
    return "SLUICE_CUDA_SOCKET=" + API + " LD_PRELOAD=" + LIBRARY + " " + CALLS + " " + section;
  }

  /** What a command prints that ends with 0. */
  private List<String> printed(String command) throws Exception {
    int before = shell.console().length();
    int status = shell.run(command);
    String text = shell.console().substring(before);
    assertThat(status).as(text).isZero();
    return text.lines().toList();
  }

  private List<String> calls(String section) throws Exception {
    return printed(asStranger(preloaded(section)));
  }

  @ParameterizedTest
  @EnumSource
  void calls_inTheMachine_printWhatTheyDoOnAHost(CudaCalls section) throws Exception {
    assertThat(calls(section.section())).containsAll(section.lines());
  }

  @Test
  void memoryAndEvents_areTheDriversAndTheProgramsAtOnce() throws Exception {
    assertThat(calls("work")).containsAll(WORKS);
  }

  @Test
  void launcher_inTheMachine_startsAProgramThatWorks() throws Exception {
    String launcher = "/usr/lib/sluice/sluice-cuda-run";
    String named = launcher + " --socket " + API + " --library " + LIBRARY;
    assertThat(printed(asStranger(launcher + " -- " + CALLS + " work"))).containsAll(WORKS);
    assertThat(printed(asStranger(named + " -- " + CALLS + " work"))).containsAll(WORKS);
  }

  @Test
  void programs_twoAtOnce_doNotMeet() throws Exception {
    shell.run(HOLDER);
    assertThat(host.programs()).hasSize(1);
    assertThat(calls("work")).containsAll(WORKS);
    assertThat(printed(LET_GO)).containsAll(WORKS).contains("afterwards: ok");
  }

  @Test
  void program_killedWhileItHoldsSomething_leavesNothing() throws Exception {
    shell.run(HOLDER);
    assertThat(host.programs()).hasSize(1);
    assertThat(shell.run("killall -9 calls; exec 9>&-; wait")).isZero();
    awaitEmpty(host);
    assertThat(calls("work")).containsAll(WORKS);
  }

  @Test
  void operator_endsAProgram_itsCallsFail() throws Exception {
    shell.run(HOLDER);
    host.end(host.programs().getFirst().number());
    awaitEmpty(host);
    assertThat(printed(LET_GO)).contains("afterwards: EIO");
    assertThat(calls("work")).containsAll(WORKS);
  }

  @Test
  void device_resetUnderAProgram_endsItsCalls() throws Exception {
    shell.run(HOLDER);
    assertThat(shell.run("echo 1 > " + DEVICE + "/reset")).as(shell.console()).isZero();
    awaitEmpty(host);
    assertThat(printed(LET_GO)).contains("afterwards: EIO");
    assertThat(calls("work")).containsAll(WORKS);
  }

  @Test
  void module_unloadedUnderAProgram_onlyAfterItsDriverHasLeft() throws Exception {
    shell.run(HOLDER);
    assertThat(shell.run("rmmod sluice")).as("in use").isNotZero();
    assertThat(host.programs()).hasSize(1);
    String driver = "/sys/bus/pci/drivers/sluice";
    assertThat(shell.run("echo 0000:01:00.0 > " + driver + "/unbind")).isZero();
    awaitEmpty(host);
    assertThat(printed(LET_GO)).contains("afterwards: EIO");
    assertThat(shell.run("rmmod sluice && insmod /lib/modules/sluice.ko")).isZero();
    assertThat(calls("work")).containsAll(WORKS);
  }

  /** Nobody tells the program: the module finds out. */
  @Test
  void host_goneUnderAProgram_failsItsCalls(@TempDir Path directory) throws Exception {
    try (CudaHost another = new CudaHost(Files.createDirectory(directory.resolve("host")));
        MachineShell machine = boot(another)) {
      machine.run(HOLDER);
      assertThat(another.programs()).hasSize(1);
      another.vanish();
      assertThat(machine.run(LET_GO)).as(machine.console()).isZero();
      assertThat(machine.console()).contains("afterwards: EIO");
    }
  }

  @Test
  void machine_killedWithAProgram_leavesNothing(@TempDir Path directory) throws Exception {
    long own = ProcessHandle.current().pid();
    try (CudaHost another = new CudaHost(Files.createDirectory(directory.resolve("host")))) {
      Holdings before = Holdings.of(own);
      try (MachineShell machine = boot(another)) {
        machine.run(HOLDER);
        assertThat(another.programs()).hasSize(1);
        ProcessHandle.of(machine.pid()).orElseThrow().destroyForcibly();
        awaitEmpty(another);
      }
      await().atMost(Machines.PATIENCE).until(() -> !another.hasMachine());
      await().atMost(Machines.PATIENCE).until(() -> Holdings.of(own).isNoMoreThan(before));
    }
  }
}

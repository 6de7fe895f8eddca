package io.sluice.testbed.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.GuestDevice;
import io.sluice.management.GuestCounters;
import io.sluice.testbed.machine.Daemons.Holdings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Programs of the C library as guests by themselves, without a machine. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CLibraryGuestTest {
  private static final String GUEST = "guest";
  private static final int PATIENCE_SECONDS = 120;

  private Path programs;
  private DaemonProcess daemon;

  /** Builds the programs as their Makefile says, in a copy. */
  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    assumeTrue(run(List.of("sh", "-c", "command -v gcc && command -v make")) == 0, "no C compiler");
    Path sources = Path.of(System.getProperty("sluice.home"), "guest-driver-stubs");
    Path copy = Files.createDirectory(directory.resolve("stubs"));
    for (String part : List.of("include", "lib", "linux", "programs")) {
      assertThat(run(List.of("cp", "-r", sources.resolve(part).toString(), copy.toString())))
          .isZero();
    }
    programs = copy.resolve("programs");
    assertThat(run(List.of("make", "-s", "-C", programs.toString(), "clean"))).isZero();
    assertThat(run(List.of("make", "-s", "-C", programs.toString(), "example", "smoke"))).isZero();
    daemon = DaemonProcess.start(Files.createDirectory(directory.resolve("run")), List.of(GUEST));
  }

  @AfterAll
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  @Test
  void open_noSocketThere_fails() throws Exception {
    assertThat(run(List.of(program("example"), "/nowhere/guest.sock"))).isOne();
  }

  @Test
  void open_secondProcessOfOneGuest_isRefused() throws Exception {
    Daemons.awaitGone(daemon, GUEST);
    try (GuestDevice _ = GuestDevice.attach(RealKernel.create(), daemon.socket(GUEST))) {
      assertThat(run(List.of(program("example"), daemon.socket(GUEST).toString()))).isOne();
    }
    Daemons.awaitGone(daemon, GUEST);
  }

  @Test
  void example_copiesThereAndBack_andLeavesNothing() throws Exception {
    Daemons.awaitGone(daemon, GUEST);
    assertThat(run(List.of(program("example"), daemon.socket(GUEST).toString()))).isZero();
    Daemons.awaitGone(daemon, GUEST);
    Holdings before = Holdings.of(daemon.pid());
    GuestCounters counted = daemon.counters(GUEST);

    for (int i = 0; i < 5; i++) {
      assertThat(run(List.of(program("example"), daemon.socket(GUEST).toString()))).isZero();
      Daemons.awaitGone(daemon, GUEST);
    }

    Daemons.awaitHoldings(daemon, before);
    assertThat(daemon.counters(GUEST).hypercalls()).isGreaterThan(counted.hypercalls());
  }

  @Test
  void smoke_deviceNamedByTheEnvironment_runs() throws Exception {
    Daemons.awaitGone(daemon, GUEST);
    assertThat(run(List.of(program("smoke")))).isZero();
    Daemons.awaitGone(daemon, GUEST);
  }

  private String program(String name) {
    return programs.resolve(name).toString();
  }

  private Process start(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command)).inheritIO();
    if (daemon != null) {
      builder.environment().put("SLUICE_DEVICE", daemon.socket(GUEST).toString());
    }
    return builder.start();
  }

  private int run(List<String> command) throws IOException, InterruptedException {
    Process process = start(command);
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException(command + " did not end within " + PATIENCE_SECONDS + " s");
    }
    return process.exitValue();
  }
}

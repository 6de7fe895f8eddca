package io.sluice.testbed.machine.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.management.GuestCounters;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.support.CPrograms;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Daemons.Holdings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Programs of the C library as guests by themselves, without a machine. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CLibraryGuestTest {
  private static final String GUEST = "guest";

  private CPrograms programs;
  private DaemonProcess daemon;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    programs = CPrograms.build(directory, "example", "smoke", "copytest");
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
    assertThat(run("example", "/nowhere/guest.sock")).isOne();
  }

  @Test
  void open_secondProcessOfOneGuest_isRefused() throws Exception {
    Daemons.awaitGone(daemon, GUEST);
    try (AttachedDevice _ = AttachedDevice.attach(RealKernel.create(), daemon.socket(GUEST))) {
      assertThat(run("example", daemon.socket(GUEST).toString())).isOne();
    }
    Daemons.awaitGone(daemon, GUEST);
  }

  @Test
  void example_copiesThereAndBack_andLeavesNothing() throws Exception {
    Daemons.awaitGone(daemon, GUEST);
    assertThat(run("example", daemon.socket(GUEST).toString())).isZero();
    Daemons.awaitGone(daemon, GUEST);
    Holdings before = Holdings.of(daemon.pid());
    GuestCounters counted = daemon.counters(GUEST);

    for (int i = 0; i < 5; i++) {
      assertThat(run("example", daemon.socket(GUEST).toString())).isZero();
      Daemons.awaitGone(daemon, GUEST);
    }

    Daemons.awaitHoldings(daemon, before);
    assertThat(daemon.counters(GUEST).hypercalls()).isGreaterThan(counted.hypercalls());
  }

  @Test
  void smoke_deviceNamedByTheEnvironment_runs() throws Exception {
    Daemons.awaitGone(daemon, GUEST);
    assertThat(run("smoke")).isZero();
    Daemons.awaitGone(daemon, GUEST);
  }

  /** Buffers of a process have no names: its two sides share them, and the device. */
  @Test
  void copytest_asAProcess_passesDataBetweenTwoChannels() throws Exception {
    Daemons.awaitGone(daemon, GUEST);
    Holdings before = Holdings.of(daemon.pid());
    try (CPrograms.Running running =
        programs.start(daemon.socket(GUEST), "copytest", Integer.toString(8 << 20))) {
      assertThat(running.end()).as(running.said()).isZero();
      assertThat(running.said())
          .contains("step: b: received", "step: a: read back")
          .contains("copytest: ok");
    }
    Daemons.awaitGone(daemon, GUEST);
    Daemons.awaitHoldings(daemon, before);
  }

  private int run(String program, String... arguments) throws IOException, InterruptedException {
    try (CPrograms.Running running = programs.start(daemon.socket(GUEST), program, arguments)) {
      return running.end();
    }
  }
}

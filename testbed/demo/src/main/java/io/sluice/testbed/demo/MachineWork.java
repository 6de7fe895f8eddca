package io.sluice.testbed.demo;

import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The demo's work in a QEMU machine: our kernel module, and the guest program {@code copytest},
 * whose two processes have a channel each. The program waits for us at the ends of its set-up and
 * of its work.
 */
final class MachineWork implements GuestWork {
  private static final Duration BOOT = Duration.ofMinutes(2);
  private static final Duration WORK = Duration.ofMinutes(5);
  private static final String READY = "phase: ready";
  private static final String DONE = "phase: done";
  private static final String STEP = "step: ";

  private final MachineEnvironment environment;
  private final Path socket;
  private final long bytes;
  private final Report report;
  private @Nullable MachineGuest guest;

  MachineWork(MachineEnvironment environment, Path socket, long bytes, Report report) {
    this.environment = environment;
    this.socket = socket;
    this.bytes = bytes;
    this.report = report;
  }

  @Override
  public void setUp() throws Exception {
    Path image = environment.image();
    report.step("guest image: Linux, our kernel module, the C library and its programs");
    MachineGuest machine =
        MachineGuest.start(
            environment,
            new MachineGuest.Setup(
                image, List.of(socket), "copytest --pause " + bytes, Optional.empty(), List.of()),
            this::show);
    guest = machine;
    String kernel = machine.await("SLUICE-BOOTED ", BOOT);
    report.step("QEMU has booted Linux %s with our module", kernel);
    machine.await(READY, WORK);
    report.step("two processes in the guest have set up a channel each");
  }

  @Override
  public void submit() throws Exception {
    MachineGuest machine = running();
    machine.type("");
    machine.await(DONE, WORK);
    report.step("both processes have uploaded, copied and verified %d MiB", bytes >> 20);
  }

  @Override
  public void verify() throws Exception {
    MachineGuest machine = running();
    machine.type("");
    String verdict = machine.await("copytest: ", WORK);
    int status = machine.awaitExit(WORK);
    report.check(
        verdict.equals("ok") && status == 0, "copytest said %s, exit status %d", verdict, status);
  }

  @Override
  public void close() throws Exception {
    if (guest != null) {
      guest.close();
      guest = null;
      report.step("the machine has powered off");
    }
  }

  private MachineGuest running() {
    if (guest == null) {
      throw new IllegalStateException("setUp comes first");
    }
    return guest;
  }

  /** Shows the guest's own steps as they happen. */
  private void show(String line) {
    if (line.startsWith(STEP)) {
      report.detail("guest: %s", line.substring(STEP.length()));
    }
  }
}

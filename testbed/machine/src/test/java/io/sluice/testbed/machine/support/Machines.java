package io.sluice.testbed.machine.support;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.opencl.OpenClParts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A daemon and what its machines are booted from, for the tests of one class. Skips them where no
 * machine can be had.
 */
public final class Machines implements AutoCloseable {
  /** Far more than a machine takes on a busy host, or on one at a tenth of its speed. */
  public static final Duration PATIENCE =
      Duration.ofMinutes(Integer.getInteger("sluice.vm.patience", 10));

  private final MachineEnvironment environment;
  private final Path image;
  private final DaemonProcess daemon;

  private Machines(MachineEnvironment environment, Path image, DaemonProcess daemon) {
    this.environment = environment;
    this.image = image;
    this.daemon = daemon;
  }

  public static Machines start(Path directory, List<String> guests)
      throws IOException, InterruptedException {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(found.isPresent(), MachineEnvironment.absence());
    Path image = found.get().image();
    return new Machines(found.get(), image, DaemonProcess.start(directory, guests));
  }

  /** The same, with OpenCL for its guests and programs of testbed/opencl in the machines. */
  public static Machines startWithOpenCl(
      Path directory, List<String> guests, OpenClParts parts, List<String> imageArguments)
      throws IOException, InterruptedException {
    return startWithOpenCl(directory, guests, parts, imageArguments, "");
  }

  /**
   * As above.
   *
   * @param sessions more lines of the configuration's section of that name
   */
  public static Machines startWithOpenCl(
      Path directory,
      List<String> guests,
      OpenClParts parts,
      List<String> imageArguments,
      String sessions)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(parts.imageArguments(OpenClParts.programs()));
    arguments.addAll(imageArguments);
    return startWithOpenCl(directory, guests, arguments, sessions);
  }

  /** As above, with nothing of OpenCL in the machines but what the arguments say. */
  public static Machines startWithOpenCl(
      Path directory, List<String> guests, List<String> imageArguments, String sessions)
      throws IOException, InterruptedException {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(found.isPresent(), MachineEnvironment.absence());
    Path image = found.get().image(imageArguments);
    return new Machines(
        found.get(), image, DaemonProcess.startWithOpenCl(directory, guests, sessions));
  }

  public DaemonProcess daemon() {
    return daemon;
  }

  public MachineEnvironment environment() {
    return environment;
  }

  /** Boots a machine with a guest's device, which runs a command and powers off. */
  public MachineGuest boot(String guest, String command, String... arguments) throws IOException {
    return boot(daemon.socket(guest), command, arguments);
  }

  /** As above, with the device behind a socket. */
  public MachineGuest boot(Path socket, String command, String... arguments) throws IOException {
    return MachineGuest.start(
        environment,
        new MachineGuest.Setup(
            image, List.of(socket), command, Optional.empty(), List.of(arguments)),
        _ -> {});
  }

  /** Boots, waits for the end, returns the command's exit status; prints the console if not 0. */
  public int run(String guest, String command, String... arguments)
      throws IOException, InterruptedException {
    Daemons.awaitGone(daemon, guest);
    try (MachineGuest machine = boot(guest, command, arguments)) {
      int status = machine.awaitExit(PATIENCE);
      if (status != 0) {
        System.out.println(machine.console());
      }
      return status;
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    daemon.close();
  }
}

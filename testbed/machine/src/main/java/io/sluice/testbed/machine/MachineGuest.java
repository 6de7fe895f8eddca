package io.sluice.testbed.machine;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A QEMU machine whose serial console is a conversation: lines it prints, lines we type. Closing it
 * ends QEMU.
 */
public final class MachineGuest implements AutoCloseable {
  private static final String EXIT = "SLUICE-EXIT ";
  private static final int CLOSE_SECONDS = 10;
  private static final int POWER_OFF_SECONDS = 60;

  private final Process qemu;
  private final SerialConsole console;

  private MachineGuest(Process qemu, Consumer<String> echo) {
    this.qemu = qemu;
    console = new SerialConsole(qemu.getInputStream(), qemu.getOutputStream(), echo);
  }

  /**
   * The parts of a machine to start.
   *
   * @param image directory that image.sh printed
   * @param sockets vfio-user sockets, one device each
   * @param run what the guest runs before it powers off
   * @param qmp where QEMU shall make its QMP socket
   * @param arguments more options of qemu.sh
   */
  public record Setup(
      Path image, List<Path> sockets, String run, Optional<Path> qmp, List<String> arguments) {}

  /**
   * Starts QEMU.
   *
   * @param echo is handed every line of the console
   */
  public static MachineGuest start(
      MachineEnvironment environment, Setup setup, Consumer<String> echo) throws IOException {
    return new MachineGuest(
        new ProcessBuilder(command(environment, setup)).redirectErrorStream(true).start(), echo);
  }

  /** Starts QEMU on a host of its own; the paths of the setup are as that host sees them. */
  public static MachineGuest start(
      MachineEnvironment environment, TestHost host, Setup setup, Consumer<String> echo)
      throws IOException {
    List<String> command = host.enter(command(environment, setup));
    return new MachineGuest(new ProcessBuilder(command).redirectErrorStream(true).start(), echo);
  }

  private static List<String> command(MachineEnvironment environment, Setup setup) {
    List<String> command = new ArrayList<>();
    command.add(environment.scripts().resolve("qemu.sh").toString());
    command.addAll(List.of("--root", environment.root().toString()));
    command.addAll(List.of("--image", setup.image().toString()));
    for (Path socket : setup.sockets()) {
      command.addAll(List.of("--socket", socket.toString()));
    }
    setup.qmp().ifPresent(path -> command.addAll(List.of("--qmp", path.toString())));
    command.addAll(List.of("--run", setup.run()));
    command.addAll(setup.arguments());
    return command;
  }

  /**
   * Waits for a line that begins with a text.
   *
   * @return the rest of that line
   * @throws IOException with the console so far and the processor time that QEMU has used, when
   *     QEMU ends or the time is up: it tells a machine that waits from a slow host
   */
  public String await(String prefix, Duration timeout) throws IOException, InterruptedException {
    try {
      return console.await(prefix, timeout);
    } catch (IOException e) {
      String used = qemu.info().totalCpuDuration().map(Duration::toString).orElse("not known");
      throw new IOException("QEMU's processor time: " + used + "; " + e.getMessage(), e);
    }
  }

  /** Types a line on the console. */
  public void type(String line) {
    console.type(line);
  }

  /** Waits for the end of what the guest runs; returns its exit status. */
  public int awaitExit(Duration timeout) throws IOException, InterruptedException {
    int status = Integer.parseInt(await(EXIT, timeout));
    if (!qemu.waitFor(POWER_OFF_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("QEMU did not end after the guest had powered off");
    }
    return status;
  }

  /** Whether QEMU runs, or is stopped. */
  public boolean isAlive() {
    return qemu.isAlive();
  }

  /** Everything the console has printed. */
  public String console() {
    return console.text();
  }

  /** Kills QEMU at once, as a crash would. */
  public void kill() throws InterruptedException {
    qemu.destroyForcibly().waitFor(CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  /** QEMU's process id. */
  public long pid() {
    return qemu.pid();
  }

  @Override
  public void close() throws InterruptedException {
    qemu.destroy();
    if (!qemu.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS)) {
      kill();
    }
    console.join();
  }
}

package io.sluice.testbed.machine.support;

import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A machine that does what it is told, command by command, and says after each whether its kernel
 * was hurt: for tests that look at the host between two steps of a guest.
 */
public final class MachineShell implements AutoCloseable {
  private static final String READY = "SLUICE-BOOTED";

  /**
   * Reads numbered commands from the console. Says after each, with its number, what the kernel's
   * taint flags are, of which 5, 7 and 9 stand for a bad page, an oops and a warning, and how many
   * tasks did not move for 20 s.
   */
  private static final String LOOP =
      "dmesg -c > /dev/null; echo 20 > /proc/sys/kernel/hung_task_timeout_secs;"
          + " while read -r number line; do eval $line; s=$?; echo;"
          + " echo status $number: $s $(cat /proc/sys/kernel/tainted) $(dmesg | grep -c 'blocked for more');"
          + " done";

  private static final int HURT = 1 << 5 | 1 << 7 | 1 << 9;

  private final MachineGuest guest;
  private int number;

  private MachineShell(MachineGuest guest) {
    this.guest = guest;
  }

  public static MachineShell boot(Machines machines, String name, String... arguments)
      throws IOException, InterruptedException {
    return boot(machines, machines.daemon().socket(name), arguments);
  }

  public static MachineShell boot(Machines machines, Path socket, String... arguments)
      throws IOException, InterruptedException {
    return begin(machines.boot(socket, LOOP, arguments));
  }

  /** As above, where the device is no daemon's of its own. */
  public static MachineShell boot(
      MachineEnvironment environment, Path image, Path socket, String... arguments)
      throws IOException, InterruptedException {
    return begin(
        MachineGuest.start(
            environment,
            new MachineGuest.Setup(
                image, List.of(socket), LOOP, Optional.empty(), List.of(arguments)),
            _ -> {}));
  }

  private static MachineShell begin(MachineGuest guest) throws IOException, InterruptedException {
    try {
      guest.await(READY, Machines.PATIENCE);
    } catch (IOException | InterruptedException e) {
      guest.close();
      throw e;
    }
    return new MachineShell(guest);
  }

  /**
   * Runs a command to its end.
   *
   * @return its exit status
   * @throws IOException with the console, when it does not come to its end or the kernel was hurt
   */
  public int run(String command) throws IOException, InterruptedException {
    start(command);
    return end();
  }

  /** Starts a command, whose end {@link #end} waits for unless another is started. */
  public void start(String command) {
    guest.type(++number + " " + command);
  }

  /** Whether a line came within a time. */
  public boolean has(String prefix, Duration within) throws InterruptedException {
    try {
      guest.await(prefix, within);
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  /** Waits for a line that begins with a text; returns the rest of it. */
  public String await(String prefix) throws IOException, InterruptedException {
    return guest.await(prefix, Machines.PATIENCE);
  }

  /** Waits for the end of what was started. */
  public int end() throws IOException, InterruptedException {
    String[] words = guest.await("status " + number + ": ", Machines.PATIENCE).split(" ");
    if ((Integer.parseInt(words[1]) & HURT) != 0 || !words[2].equals("0")) {
      start("dmesg");
      guest.await("status " + number + ": ", Machines.PATIENCE);
      throw new IOException("the guest's kernel was hurt:\n" + guest.console());
    }
    return Integer.parseInt(words[0]);
  }

  /** The machine restarts: waits until it can be told again. */
  public void awaitReboot() throws IOException, InterruptedException {
    guest.await(READY, Machines.PATIENCE);
  }

  /** What it printed so far. */
  public String console() {
    return guest.console();
  }

  /** QEMU's process id. */
  public long pid() {
    return guest.pid();
  }

  @Override
  public void close() throws InterruptedException {
    guest.close();
  }
}

package io.sluice.daemon.runtime;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service manager, systemd, as it is told how the daemon is, as sd_notify(3) says: one datagram
 * a message to the socket that NOTIFY_SOCKET names. Without one nothing is told, and nothing here
 * fails.
 */
public final class ServiceManager {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);
  private static final String SOCKET = "NOTIFY_SOCKET";

  private final Kernel kernel;
  private final Map<String, String> environment;

  /**
   * @param environment the process'
   */
  public ServiceManager(Kernel kernel, Map<String, String> environment) {
    this.kernel = kernel;
    this.environment = environment;
  }

  /** The sockets are there and guests may attach. */
  public void ready(String status) {
    tell("READY=1\nSTATUS=" + status);
  }

  /** The daemon begins to stop. */
  public void stopping() {
    tell("STOPPING=1");
  }

  /** The daemon works: to be said within every interval of {@link #watchdog}. */
  public void alive() {
    tell("WATCHDOG=1");
  }

  /**
   * How often to say {@link #alive}: half of WATCHDOG_USEC, as sd_watchdog_enabled(3) recommends.
   * Empty when nobody waits for it, or for another process' word.
   */
  public Optional<Duration> watchdog() {
    String pid = environment.getOrDefault("WATCHDOG_PID", "");
    if (!pid.isEmpty() && !pid.equals(Long.toString(ProcessHandle.current().pid()))) {
      return Optional.empty();
    }
    try {
      long us = Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", "0"));
      return us > 1 ? Optional.of(Duration.ofNanos(us / 2 * 1000)) : Optional.empty();
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }

  private void tell(String message) {
    String address = environment.getOrDefault(SOCKET, "");
    if (address.isEmpty()) {
      return;
    }
    try (Fd socket = kernel.connectDatagram(address);
        Arena arena = Arena.ofConfined()) {
      kernel.setNonBlocking(socket);
      byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
      kernel.write(socket, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
    } catch (SyscallException e) {
      LOG.atWarn()
          .addKeyValue("event", "service-manager")
          .addKeyValue("socket", address)
          .addKeyValue("error", e.getMessage())
          .log("the service manager could not be told");
    }
  }
}

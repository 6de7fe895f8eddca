package io.sluice.daemon.config;

import com.google.common.collect.ImmutableList;
import io.sluice.management.Setting;
import io.sluice.vdevice.LogRate;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The effective configuration.
 *
 * @param file the file it came from; null when there is none
 * @param runDir directory of the guests' sockets
 * @param stateDir directory of what outlives the daemon
 * @param controlSocket what sluicectl connects to
 * @param controlGroup group whose members may control the daemon; empty for none
 * @param guestGroup group whose members may attach guests; empty for none
 * @param sharedBytes most memory that all guests together may have mapped
 * @param logLevel least severe level that is logged
 * @param logFormat {@code logfmt} or {@code json}
 * @param guestLog lines of the log about each guest
 * @param gpus GPUs to serve, at least one
 * @param guests guests of the configuration
 * @param wire how guests move between hosts; null when they do not
 * @param sessionHosts how session hosts are run
 * @param settings every setting with its value and where that came from
 */
public record DaemonConfig(
    @Nullable Path file,
    Path runDir,
    Path stateDir,
    Path controlSocket,
    String controlGroup,
    String guestGroup,
    long sharedBytes,
    String logLevel,
    String logFormat,
    LogRate guestLog,
    ImmutableList<GpuSettings> gpus,
    ImmutableList<GuestSettings> guests,
    @Nullable WireSettings wire,
    SessionHostSettings sessionHosts,
    ImmutableList<Setting> settings) {
  /** Guests at one time; each costs a socket, and while attached two threads. */
  public static final int MAX_GUESTS = 128;

  /** GPUs of one daemon. */
  public static final int MAX_GPUS = 16;

  /** Where another daemon of this host hands over guests. */
  public Path migrationSocket() {
    return migrationSocket(runDir);
  }

  /** Where session hosts connect to the daemon. */
  public Path sessionHostSocket() {
    return stateDir.resolve("session-hosts.sock");
  }

  /** This one with other settings to show. */
  public DaemonConfig showing(ImmutableList<Setting> shown) {
    return new DaemonConfig(
        file,
        runDir,
        stateDir,
        controlSocket,
        controlGroup,
        guestGroup,
        sharedBytes,
        logLevel,
        logFormat,
        guestLog,
        gpus,
        guests,
        wire,
        sessionHosts,
        shown);
  }

  static Path migrationSocket(Path runDir) {
    return runDir.resolve("migration.sock");
  }

  /**
   * A configuration from settings alone, without a file or the environment.
   *
   * @param settings dotted keys, such as {@code daemon.run-dir}, and their values
   * @throws ConfigException when one of them is wrong
   */
  public static DaemonConfig of(Map<String, String> settings) throws ConfigException {
    return new ConfigLoader(Map.of(), settings).load();
  }
}

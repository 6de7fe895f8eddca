package io.sluice.management;

/**
 * A guest at one moment.
 *
 * @param name its name
 * @param uuid identity that survives a restart of the daemon
 * @param state {@code waiting} for a client, {@code running}, or {@code undecided}
 * @param gpu name of its GPU
 * @param model of the GPU
 * @param origin {@code configuration} or {@code created}: who decides about its existence
 * @param socketPath where a machine or process attaches
 * @param clientPid process id of the attached client; 0 when there is none
 * @param clientUid user id of the attached client; -1 when there is none
 * @param clientName program name of the attached client; empty when there is none
 * @param channels channels it has
 * @param maxChannels most it may have
 * @param memoryUsedBytes video memory it holds
 * @param memoryLimitBytes video memory it may hold
 */
public record GuestStatus(
    String name,
    String uuid,
    String state,
    String gpu,
    String model,
    String origin,
    String socketPath,
    int clientPid,
    int clientUid,
    String clientName,
    int channels,
    int maxChannels,
    long memoryUsedBytes,
    long memoryLimitBytes) {
  /** No client is attached. */
  public static final String WAITING = "waiting";

  /** A client is attached. */
  public static final String RUNNING = "running";

  /**
   * Its machine stands still, was being given away, and nobody says whose it is: {@code sluicectl
   * migration status} tells why and what to do.
   */
  public static final String UNDECIDED = "undecided";

  /** The guest stands in the configuration. */
  public static final String FROM_CONFIGURATION = "configuration";

  /** The guest was created at run time. */
  public static final String CREATED = "created";
}

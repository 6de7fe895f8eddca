package io.sluice.management;

/** A guest at one moment. */
@Description("A guest at one moment.")
public record GuestStatus(
    @Description("its name") String name,
    @Description("identity that survives a restart of the daemon") String uuid,
    @Description(
            "waiting for a client, attached (a machine that boots, or waits to be moved to), running, suspended, or undecided")
        String state,
    @Description("name of its GPU") String gpu,
    @Description("model of the GPU") String model,
    @Description("configuration or created: who decides about its existence") String origin,
    @Description("where a machine or process attaches") String socketPath,
    @Description("process id of the attached client; 0 when there is none") int clientPid,
    @Description("user id of the attached client; -1 when there is none") int clientUid,
    @Description("program name of the attached client; empty when there is none") String clientName,
    @Description("channels it has") int channels,
    @Description("most it may have") int maxChannels,
    @Description("video memory it holds") long memoryUsedBytes,
    @Description("video memory it may hold") long memoryLimitBytes) {
  private static final int NO_UID = -1;

  /** Whether a client is attached; one of another pid namespace has process id 0. */
  public boolean hasClient() {
    return clientUid != NO_UID;
  }

  /** No client is attached. */
  public static final String WAITING = "waiting";

  /**
   * A machine is attached that has not begun to use its device: it boots, or waits to be moved to.
   */
  public static final String ATTACHED = "attached";

  /** A client is attached, and an operator has suspended its channels. */
  public static final String SUSPENDED = "suspended";

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

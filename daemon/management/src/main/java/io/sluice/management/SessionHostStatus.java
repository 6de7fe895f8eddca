package io.sluice.management;

import java.util.List;

/** The session host of a guest at one moment. */
@Description("The session host of a guest at one moment.")
public record SessionHostStatus(
    @Description("name of the guest") String guest,
    @Description("starting, serving, waiting to be started again, or ended") String state,
    @Description("its process id; 0 when there is none") long pid,
    @Description("where applications connect") String socketPath,
    @Description("what confines it, such as landlock 7, seccomp; empty until it serves")
        String sandbox,
    @Description("names of the devices that its sessions have") List<String> devices,
    @Description("sessions it has") int sessions,
    @Description("most sessions it may have at one time") int sessionLimit,
    @Description("most memory that their objects may have together") long memoryLimitBytes,
    @Description("how often it was started") long starts,
    @Description("why the last one ended; empty when none has") String reason) {
  /** It does not serve yet. */
  public static final String STARTING = "starting";

  /** Applications are served. */
  public static final String SERVING = "serving";

  /** It ended, and another is started soon. */
  public static final String WAITING = "waiting";

  /** The daemon is stopping, or the guest gone. */
  public static final String ENDED = "ended";
}

package io.sluice.management;

import java.util.Arrays;

/** The errors of the daemon's operations. Codes are stable: scripts and documents rely on them. */
public enum ErrorCode {
  /** No guest has that name. */
  GUEST_UNKNOWN("SLU-GUEST-001", ErrorKind.NOT_FOUND),
  /** A guest of that name exists. */
  GUEST_EXISTS("SLU-GUEST-002", ErrorKind.FAILED),
  /** Not a name for a guest. */
  GUEST_NAME("SLU-GUEST-003", ErrorKind.FAILED),
  /** A machine or process is attached. */
  GUEST_ATTACHED("SLU-GUEST-004", ErrorKind.FAILED),
  /** The guest stands in the configuration file. */
  GUEST_CONFIGURED("SLU-GUEST-005", ErrorKind.FAILED),
  /** More guests than the daemon serves. */
  GUEST_LIMIT("SLU-GUEST-006", ErrorKind.FAILED),
  /** The guest's socket cannot be made. */
  GUEST_SOCKET("SLU-GUEST-007", ErrorKind.FAILED),
  /** The list of created guests cannot be read or written. */
  GUEST_STATE("SLU-GUEST-008", ErrorKind.FAILED),
  /** More video memory than its GPU has. */
  GUEST_VRAM("SLU-GUEST-009", ErrorKind.QUOTA),
  /** Not a path for a guest's socket. */
  GUEST_PATH("SLU-GUEST-010", ErrorKind.FAILED),
  /** A guest touches video memory that it has not allocated; in the log only. */
  GUEST_EXCESS("SLU-GUEST-011", ErrorKind.FAILED),
  /** The guest has no channel of that number. */
  CHANNEL_UNKNOWN("SLU-CHN-020", ErrorKind.NOT_FOUND),
  /** The channel cannot be ended. */
  CHANNEL_KILL("SLU-CHN-021", ErrorKind.FAILED),
  /** A value of a quota out of range. */
  QUOTA_VALUE("SLU-QUOTA-001", ErrorKind.FAILED),
  /** A minimum that does not fit beside those of the other guests. */
  QUOTA_MINIMUM("SLU-QUOTA-002", ErrorKind.QUOTA),
  /** The quotas that were changed cannot be read or written. */
  QUOTA_STATE("SLU-QUOTA-006", ErrorKind.FAILED),
  /** More changes than are taken in a second. */
  QUOTA_RATE("SLU-QUOTA-007", ErrorKind.BUSY),
  /** The GPU cannot move buffers to system memory. */
  QUOTA_POLICY("SLU-QUOTA-008", ErrorKind.FAILED),
  /** More guests than a GPU has quotas for. */
  QUOTA_GUESTS("SLU-QUOTA-004", ErrorKind.QUOTA),
  /** The guest has no migration, or none that it could be asked of. */
  MIGRATION_UNKNOWN("SLU-MIG-050", ErrorKind.NOT_FOUND),
  /** The guest moves already. */
  MIGRATION_BUSY("SLU-MIG-051", ErrorKind.BUSY),
  /** Not a place to move a guest to. */
  MIGRATION_TARGET("SLU-MIG-052", ErrorKind.FAILED),
  /** Not an option of a migration, or not a value of it. */
  MIGRATION_OPTION("SLU-MIG-053", ErrorKind.FAILED),
  /** The other daemon cannot be reached. */
  MIGRATION_LINK("SLU-MIG-054", ErrorKind.FAILED),
  /** It is too late to give a migration up, or too early to take it back. */
  MIGRATION_PHASE("SLU-MIG-055", ErrorKind.FAILED),
  /** Something stands in the way. */
  MIGRATION_BLOCKED("SLU-MIG-056", ErrorKind.FAILED),
  /** A checkpoint could not be written or read. */
  CHECKPOINT_FAILED("SLU-MIG-057", ErrorKind.FAILED),
  /** Not a path for a checkpoint. */
  CHECKPOINT_PATH("SLU-MIG-080", ErrorKind.FAILED),
  /** Not a log level. */
  LOG_LEVEL("SLU-LOG-001", ErrorKind.FAILED),
  /** The daemon is stopping. */
  DAEMON_STOPPING("SLU-DAEMON-001", ErrorKind.BUSY),
  /** Another daemon serves the control socket. */
  DAEMON_RUNNING("SLU-DAEMON-002", ErrorKind.FAILED),
  /** A directory or socket of the daemon cannot be made. */
  DAEMON_PATH("SLU-DAEMON-003", ErrorKind.FAILED),
  /** No GPU has that name. */
  GPU_UNKNOWN("SLU-DAEMON-004", ErrorKind.NOT_FOUND),
  /** There are several GPUs and none was named. */
  GPU_AMBIGUOUS("SLU-DAEMON-005", ErrorKind.FAILED),
  /** A GPU cannot be opened. */
  GPU_OPEN("SLU-DAEMON-006", ErrorKind.FAILED);

  private final String code;
  private final ErrorKind kind;

  ErrorCode(String code, ErrorKind kind) {
    this.code = code;
    this.kind = kind;
  }

  /** {@code SLU-<area>-<three digits>}. */
  public String code() {
    return code;
  }

  /** What can be done about it. */
  public ErrorKind kind() {
    return kind;
  }

  /** What kind of error a code is; {@link ErrorKind#FAILED} for one that is not known here. */
  public static ErrorKind kindOf(String code) {
    return Arrays.stream(values())
        .filter(e -> e.code.equals(code))
        .map(ErrorCode::kind)
        .findFirst()
        .orElse(ErrorKind.FAILED);
  }
}

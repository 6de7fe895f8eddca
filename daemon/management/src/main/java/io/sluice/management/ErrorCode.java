package io.sluice.management;

import java.util.Arrays;

/**
 * The errors of the daemon's operations and of the programs that call them. Codes are stable:
 * scripts and documents rely on them.
 */
public enum ErrorCode {
  // spotless:off
  GUEST_UNKNOWN("SLU-GUEST-001", ErrorKind.NOT_FOUND, "No guest has that name.", "It is misspelt, or was destroyed.", "See sluicectl guest list."),
  GUEST_EXISTS("SLU-GUEST-002", ErrorKind.FAILED, "A guest of that name exists.", "Names are unique within a daemon.", "Choose another name."),
  GUEST_NAME("SLU-GUEST-003", ErrorKind.USAGE, "It is not a name for a guest.", "A name is 1 to 63 of a-z A-Z 0-9 . _ - and begins with a letter or digit; those of the daemon's own sockets are taken.", "Choose another name."),
  GUEST_ATTACHED("SLU-GUEST-004", ErrorKind.FAILED, "A guest's GPU is in use.", "Machines, processes, sessions and CUDA programs do not survive the loss of their device.", "Stop it first, or use --force: it loses its GPU."),
  GUEST_CONFIGURED("SLU-GUEST-005", ErrorKind.FAILED, "The guest is in the configuration file.", "It would come back with the next start.", "Remove it there, then sluicectl daemon reload."),
  GUEST_LIMIT("SLU-GUEST-006", ErrorKind.FAILED, "There are as many guests as the daemon serves.", "The message has the number.", "Destroy one."),
  GUEST_SOCKET("SLU-GUEST-007", ErrorKind.FAILED, "The guest's socket cannot be made.", "Its directory is missing or not the daemon's to write, or the path is taken.", "See the message, and to the directory."),
  GUEST_STATE("SLU-GUEST-008", ErrorKind.FAILED, "The list of created guests cannot be read or written.", "The disk of the state directory is full or failed.", "See to the disk of daemon.state-dir."),
  GUEST_VRAM("SLU-GUEST-009", ErrorKind.QUOTA, "The guest is to have more video memory than its GPU has.", "The limit, or the minimum, is larger than the card.", "Give it less."),
  GUEST_PATH("SLU-GUEST-010", ErrorKind.USAGE, "It is not a path for a guest's socket.", "It is relative, among the daemon's own files, or in a /tmp that is the service's own.", "Give an absolute path in another directory."),
  GUEST_EXCESS("SLU-GUEST-011", ErrorKind.FAILED, "A guest touches video memory that it has not allocated; in the log only.", "Its program is faulty or hostile.", "Nothing is lost: the pages are taken back; excess-limit detaches it."),
  GUEST_SUSPEND("SLU-GUEST-012", ErrorKind.FAILED, "The guest cannot be suspended, resumed or detached.", "Nobody is attached, it is so already, or its GPU cannot suspend channels.", "See the message."),
  GUEST_LEFT("SLU-GUEST-013", ErrorKind.FAILED, "The guest is gone, and something of it is left in the daemon.", "The message says what; mostly a client whose session does not end.", "End what was the guest; restart the daemon if its name is still in use then."),
  CHANNEL_UNKNOWN("SLU-CHN-020", ErrorKind.NOT_FOUND, "The guest has no channel of that number.", "It ended, or was never made.", "See sluicectl channel list."),
  CHANNEL_KILL("SLU-CHN-021", ErrorKind.FAILED, "The channel cannot be ended.", "The GPU cannot do that, or the channel has just ended.", "See the message."),
  QUOTA_VALUE("SLU-QUOTA-001", ErrorKind.USAGE, "A value of a quota is out of range.", "The message says which.", "Give one within the range."),
  QUOTA_MINIMUM("SLU-QUOTA-002", ErrorKind.QUOTA, "The minimum does not fit beside those of the other guests.", "The minimums together are more than the card.", "Ask for less, or lower another guest's: sluicectl quota show."),
  QUOTA_GUESTS("SLU-QUOTA-004", ErrorKind.QUOTA, "A GPU has as many guests as it has quotas for.", "The limit of the program.", "Remove one."),
  QUOTA_STATE("SLU-QUOTA-006", ErrorKind.FAILED, "The quotas that were changed cannot be read or written.", "The disk of the state directory is full or failed.", "See to the disk of daemon.state-dir."),
  QUOTA_RATE("SLU-QUOTA-007", ErrorKind.BUSY, "Quotas are changed more often than is taken in a second.", "A program changes them in a loop.", "Try again in a second."),
  QUOTA_POLICY("SLU-QUOTA-008", ErrorKind.FAILED, "The GPU cannot move buffers to system memory.", "It lacks that capability.", "Set beyond-share to out-of-memory, or use another GPU."),
  MIGRATION_UNKNOWN("SLU-MIG-050", ErrorKind.NOT_FOUND, "The guest has no migration, or none that could be asked about.", "It has not been moved since the daemon started.", "See sluicectl migration status."),
  MIGRATION_BUSY("SLU-MIG-051", ErrorKind.BUSY, "The guest moves already.", "One migration of a guest at a time.", "Wait for it, or give it up: sluicectl migration abort."),
  MIGRATION_TARGET("SLU-MIG-052", ErrorKind.USAGE, "It is not a place to move a guest to.", "A destination is HOST:PORT or unix:PATH.", "Give one of those."),
  MIGRATION_OPTION("SLU-MIG-053", ErrorKind.USAGE, "It is not an option of a migration, or not a value of it.", "The message says which.", "See sluicectl migration start --help."),
  MIGRATION_LINK("SLU-MIG-054", ErrorKind.FAILED, "The other daemon cannot be reached.", "It does not run, does not listen, or does not trust this one.", "See the message, and the other daemon's log."),
  MIGRATION_PHASE("SLU-MIG-055", ErrorKind.FAILED, "It is too late to give a migration up, or too early to take it back.", "The migration's phase does not allow it.", "See sluicectl migration status."),
  MIGRATION_BLOCKED("SLU-MIG-056", ErrorKind.FAILED, "Something stands in the way of the migration.", "The message names it.", "See sluicectl migration check."),
  CHECKPOINT_FAILED("SLU-MIG-057", ErrorKind.FAILED, "A checkpoint could not be written or read.", "The message has the reason.", "See the message."),
  CHECKPOINT_PATH("SLU-MIG-080", ErrorKind.USAGE, "It is not a path for a checkpoint.", "It is relative, or among the daemon's own files.", "Give an absolute path in another directory, such as checkpoints in daemon.state-dir."),
  SESSION_GUEST("SLU-SES-010", ErrorKind.NOT_FOUND, "The guest has no sessions of APIs.", "Its opencl is not set.", "Set opencl in its [[guest]], and restart the daemon."),
  SESSION_UNKNOWN("SLU-SES-011", ErrorKind.NOT_FOUND, "The guest has no session of that number.", "It has ended.", "See sluicectl session list."),
  SESSION_HOST("SLU-SES-012", ErrorKind.BUSY, "The guest's session host does not answer.", "It is being started, or has just ended.", "Try again; the daemon's log says why it ended."),
  SESSION_LIMIT("SLU-SES-013", ErrorKind.USAGE, "It is not a limit of sessions.", "The message says what is.", "Give one within the range."),
  SESSION_SOCKET("SLU-SES-014", ErrorKind.FAILED, "A socket of sessions cannot be made.", "Its directory is missing or not the daemon's to write, or the path is taken or too long.", "See the message, and to the directory."),
  SESSION_START("SLU-SES-015", ErrorKind.FAILED, "A session host does not start, or ended; in the log only.", "Java or its modules are not found, the kernel cannot confine it, or a library failed in it.", "See the log around it; sluicectl session host tells the reason."),
  SESSION_MOVE("SLU-SES-016", ErrorKind.FAILED, "A session was not moved, and goes on where it is.", "The message names what it has that cannot go, or what failed.", "See sluicectl session move --check; try again when it has not that any more."),
  SESSION_PLACE("SLU-SES-017", ErrorKind.NOT_FOUND, "There is no such session host to move to.", "It is not among sessions.implementations, and no HOST:PORT.", "Give default, the name of a directory of sessions.implementations, or HOST:PORT of another daemon."),
  PROGRAM_GUEST("SLU-PROG-001", ErrorKind.NOT_FOUND, "The guest takes no CUDA programs.", "Its cuda is not set.", "Set cuda in its [[guest]], and restart the daemon."),
  PROGRAM_UNKNOWN("SLU-PROG-002", ErrorKind.NOT_FOUND, "The guest has no program of that number.", "It has ended.", "See sluicectl program list."),
  PROGRAM_SOCKET("SLU-PROG-003", ErrorKind.FAILED, "The socket of a guest's CUDA programs cannot be made.", "Its directory is missing or not the daemon's to write, or the path is taken or too long.", "See the message, and to the directory."),
  PROGRAM_GPU("SLU-PROG-004", ErrorKind.FAILED, "The guest's GPU takes no CUDA programs.", "It is not one of NVIDIA's driver.", "Give the guest another GPU, or remove its cuda."),
  PROGRAM_FILES("SLU-PROG-005", ErrorKind.NOT_FOUND, "The launcher or the library of CUDA programs is not here.", "It was not built, or lies elsewhere; the message has where it was looked for.", "Build it with ./sluice build, which needs gcc and make, or name it: sluicectl guest run --help."),
  PROGRAM_START("SLU-PROG-006", ErrorKind.FAILED, "The launcher of CUDA programs cannot be started.", "It is no program of this machine, or not to be executed.", "See the message; build it anew with ./sluice build."),
  PROGRAM_REFUSED("SLU-PROG-007", ErrorKind.FAILED, "A CUDA program is turned away; in the log only.", "The guest has more than its cuda-programs, or one connects in a loop.", "Raise cuda-programs, or end what connects."),
  PROGRAM_STAYS("SLU-PROG-008", ErrorKind.FAILED, "A guest with CUDA programs in its machine cannot move.", "Moving them is not implemented.", "End them first: sluicectl program list GUEST."),
  PROGRAM_SUSPEND("SLU-PROG-009", ErrorKind.FAILED, "A CUDA program is not suspended; it goes on.", "Its work is not done in time, or it has what cannot be made anew; the message says which.", "Wait for its work, or give it more time: sluicectl program suspend --wait."),
  PROGRAM_RESUME("SLU-PROG-010", ErrorKind.FAILED, "A CUDA program is not resumed; nothing of it is lost.", "It is not suspended, there is less video memory left than it had, or it cannot go on upon that GPU; the message says which.", "See sluicectl program list; make room on the GPU, or name another one, and resume it again."),
  LOG_LEVEL("SLU-LOG-001", ErrorKind.USAGE, "It is not a log level.", "Levels are error, warn, info, debug and trace.", "Give one of those."),
  DAEMON_STOPPING("SLU-DAEMON-001", ErrorKind.BUSY, "The daemon is stopping.", "It takes no more operations.", "Try again when it is back."),
  DAEMON_RUNNING("SLU-DAEMON-002", ErrorKind.FAILED, "Another daemon serves the control socket.", "Two daemons were given one path.", "Stop it, or give another control socket."),
  DAEMON_PATH("SLU-DAEMON-003", ErrorKind.FAILED, "A directory or socket of the daemon cannot be made.", "It is not the daemon's to write, or something else is there.", "See the message, and to the directory."),
  GPU_UNKNOWN("SLU-DAEMON-004", ErrorKind.NOT_FOUND, "No GPU has that name.", "It is misspelt, or not configured.", "See sluicectl gpu list."),
  GPU_AMBIGUOUS("SLU-DAEMON-005", ErrorKind.FAILED, "There are several GPUs and none was named.", "The daemon does not choose.", "Name one with --gpu."),
  GPU_OPEN("SLU-DAEMON-006", ErrorKind.FAILED, "A GPU cannot be opened.", "Its driver is missing, or the node not the daemon's to open.", "See the message, and docs/configuration.md."),
  DAEMON_PRIVILEGES("SLU-DAEMON-007", ErrorKind.FAILED, "The daemon cannot give up privileges that it does not need.", "It cannot start itself again, or the kernel gave them back.", "See the message; start it as an ordinary user."),
  DAEMON_CONFIG("SLU-DAEMON-008", ErrorKind.FAILED, "The configuration that was to be read anew is wrong.", "The message has the first error, and how many there are.", "See sluiced --check-config; the daemon goes on with what it had."),
  CONTROL_MISSING("SLU-CTL-001", ErrorKind.FAILED, "There is no such control socket.", "The daemon does not run, or listens elsewhere; or something else has that name.", "Start the daemon, or name its socket with --socket or SLUICE_SOCKET."),
  CONTROL_REFUSED("SLU-CTL-002", ErrorKind.FAILED, "Nobody listens on the control socket.", "The daemon is stopped or was killed.", "Start the daemon."),
  CONTROL_GARBLED("SLU-CTL-003", ErrorKind.FAILED, "The control socket does not answer as a daemon of this version.", "It belongs to another program, or the versions differ.", "Check that the socket belongs to sluiced and that both programs have one version."),
  CONTROL_PERMISSION("SLU-CTL-004", ErrorKind.FAILED, "The control socket may not be used.", "This user is not among those whom the daemon lets control it.", "Run as the daemon's user or root, or join its daemon.control-group."),
  CONTROL_BROKEN("SLU-CTL-005", ErrorKind.FAILED, "The connection to the daemon broke.", "The daemon stopped or was killed.", "See the daemon's log; what was asked for may have happened."),
  GONE("SLU-CTL-006", ErrorKind.NOT_FOUND, "It is gone.", "It was destroyed while it was asked about.", "Nothing."),
  BUG("SLU-CTL-007", ErrorKind.FAILED, "Something failed that should not.", "A fault of sluicectl or the daemon.", "Report it, with the daemon's log and what --debug prints."),
  STOP_REFUSED("SLU-CTL-008", ErrorKind.FAILED, "The daemon cannot be stopped.", "Machines, processes, sessions or CUDA programs use a GPU.", "Stop those first, or use --force: they lose their GPU."),
  USAGE("SLU-CTL-009", ErrorKind.USAGE, "The command line is wrong.", "The message says how.", "See --help of the command."),
  UNDECIDED("SLU-CTL-010", ErrorKind.FAILED, "Nobody knows whether the guest has moved.", "The destination was about to take it and cannot be asked.", "Start the destination's daemon again, which decides it; else see sluicectl migration resolve --help."),
  REPORT_FILE("SLU-CTL-011", ErrorKind.FAILED, "The report cannot be written.", "The directory is missing, not yours to write, or the disk is full.", "See to its directory and its disk; without --html it is printed."),
  CODE_UNKNOWN("SLU-CTL-012", ErrorKind.NOT_FOUND, "No error has that code.", "It is misspelt, or of another version.", "See docs/errors.md."),
  BUNDLE_FILE("SLU-CTL-013", ErrorKind.FAILED, "The bundle cannot be written.", "There is such a file already, or its directory is missing or not yours to write.", "Choose another file.");
  // spotless:on

  private final String code;
  private final ErrorKind kind;
  private final String meaning;
  private final String cause;
  private final String remedy;

  ErrorCode(String code, ErrorKind kind, String meaning, String cause, String remedy) {
    this.code = code;
    this.kind = kind;
    this.meaning = meaning;
    this.cause = cause;
    this.remedy = remedy;
  }

  /** {@code SLU-<area>-<three digits>}. */
  public String code() {
    return code;
  }

  /** The reaction it allows. */
  public ErrorKind kind() {
    return kind;
  }

  /** One sentence: what did not happen. */
  public String meaning() {
    return meaning;
  }

  /** One sentence: why it usually does not. */
  public String cause() {
    return cause;
  }

  /** One sentence: what to do about it. */
  public String remedy() {
    return remedy;
  }

  /** The kind of error that a code is; {@link ErrorKind#FAILED} for one that is not known here. */
  public static ErrorKind kindOf(String code) {
    return Arrays.stream(values())
        .filter(e -> e.code.equals(code))
        .map(ErrorCode::kind)
        .findFirst()
        .orElse(ErrorKind.FAILED);
  }
}

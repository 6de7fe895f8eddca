package io.sluice.testbed.demo;

import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.machine.BoundedWait;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineGuest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.OperationsException;

/**
 * An OpenCL program of Debian, unchanged, that runs in a machine while it moves: a tuner of
 * CLBlast, which measures a kernel in many forms and compares what each has computed with a
 * reference. Two of it run, again and again, so that the machine has a session at any time.
 */
final class MovingOpenCl {
  /** The program, of the package clblast-utils. */
  static final Path PROGRAM = Path.of("/usr/bin/clblast_tuner_xdot");

  private static final String SCRIPT = "/bin/opencl-tuners";
  private static final List<String> RUNS = List.of("first", "second");

  /** Forms that it measures; each prints a line of its table. */
  private static final String RIGHT = "12 of 12 results match";

  /** One after another, %1$s. */
  private static final String AGAIN =
      """
      (mkdir -p /tmp/%1$s && cd /tmp/%1$s && while [ ! -e /tmp/end ]; do\
       clblast_tuner_xdot -n 262144 -runs 200 > out 2>&1 </dev/null;\
       echo "%1$s tuner: $(grep -c 'results match' out) of $(grep -c '^|  *[0-9]' out) results match";\
       done) &
      """;

  /** Calls by which it has been asked for its first kernels. */
  private static final long AT_WORK = 50;

  private static final Duration PACE = Duration.ofMillis(50);
  private static final Pattern MOVED = Pattern.compile("\"sessions\":\\{\"moved\":(\\d+)");

  private final Report report;
  private final String guest;

  /**
   * @param guest whose machine it is
   */
  MovingOpenCl(Report report, String guest) {
    this.report = report;
    this.guest = guest;
  }

  /** Whether this host has it, as the machine then does. */
  static boolean isInstalled() {
    return Files.isExecutable(PROGRAM);
  }

  /**
   * What image.sh shall put into the machine, besides the program.
   *
   * @param directory for files of ours
   */
  static List<String> imageArguments(Path directory) throws IOException {
    StringBuilder script = new StringBuilder();
    RUNS.forEach(name -> script.append(String.format(AGAIN, name)));
    Path file = Files.writeString(directory.resolve("opencl-tuners"), script);
    return List.of("--add", file + ":" + SCRIPT);
  }

  /** What the machine runs in the background. */
  static String command() {
    return "sh " + SCRIPT + ";";
  }

  /** Waits until each of them computes. */
  void awaitAtWork(DaemonProcess daemon, Duration patience) throws Exception {
    SessionsMXBean sessions = daemon.connection().sessions();
    try (WaitLine _ = report.waiting("a program of OpenCL begins to compute in it")) {
      new BoundedWait(patience, PACE)
          .until("OpenCL in the machine", () -> atWork(sessions) >= RUNS.size());
    }
    report.say(
        "%s, of Debian, runs in it %d times, too, by OpenCL.", PROGRAM.getFileName(), RUNS.size());
  }

  private long atWork(SessionsMXBean sessions) throws OperationsException {
    return sessions.list(guest).stream().filter(each -> each.calls() > AT_WORK).count();
  }

  /** What the report says of sessions, and whether what they computed is right. */
  void verify(MachineGuest after, String report, Duration patience)
      throws IOException, InterruptedException {
    Matcher moved = MOVED.matcher(report);
    int count = moved.find() ? Integer.parseInt(moved.group(1)) : 0;
    this.report.check(count > 0, "programs of OpenCL that moved with it, at work: %d", count);
    for (String name : RUNS) {
      String result;
      try (WaitLine _ = this.report.waiting("%s, the %s, ends", PROGRAM.getFileName(), name)) {
        result = after.await(name + " tuner: ", patience);
      }
      this.report.check(
          result.strip().equals(RIGHT),
          "%s, the %s: %s",
          PROGRAM.getFileName(),
          name,
          result.strip());
    }
  }
}

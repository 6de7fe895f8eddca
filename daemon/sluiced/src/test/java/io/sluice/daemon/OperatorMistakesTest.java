package io.sluice.daemon;

import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.Problem;
import io.sluice.sluicectl.SluiceCtl;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The mistakes that operators make, and all that {@code sluicectl} says of each: one exit code for
 * one kind, what is wrong, and what to do. A process is attached to {@code web-01}.
 */
final class OperatorMistakesTest {
  /**
   * A command, its exit code, the error's code, what is wrong, the cause and the fix; {@code -} is
   * none. In a command {@code %20} is a blank within a word, and {@code %} a word of nothing.
   */
  private static final String MISTAKES =
      """
      quota set ml-02 --weight 0 ~ 2 ~ SLU-QUOTA-001 ~ cannot change the quota of guest "ml-02" ~ a weight of 0 is out of range ~ choose one of 1 to 1024
      guest create ml-03 --weight 0 ~ 2 ~ SLU-QUOTA-001 ~ cannot create guest "ml-03" ~ a weight of 0 is out of range ~ choose one of 1 to 1024
      quota set ml-02 --weight abc ~ 2 ~ SLU-CTL-009 ~ invalid value for option '--weight': 'abc' is not an int ~ - ~ see sluicectl quota set --help
      guest create ml-03 --weight abc ~ 2 ~ SLU-CTL-009 ~ invalid value for option '--weight': 'abc' is not an int ~ - ~ see sluicectl guest create --help
      quota set ml-02 --kill-timeout 1ms ~ 2 ~ SLU-QUOTA-001 ~ cannot change the quota of guest "ml-02" ~ a kill-timeout of 1ms is out of range ~ choose 10ms to 1h
      guest create ml-03 --kill-timeout 1ms ~ 2 ~ SLU-QUOTA-001 ~ cannot create guest "ml-03" ~ a kill-timeout of 1ms is out of range ~ choose 10ms to 1h
      guest create ml-03 --kill-timeout 1 ~ 2 ~ SLU-CTL-009 ~ --kill-timeout takes a duration in whole milliseconds such as 2s or 500ms, not "1" ~ - ~ see sluicectl guest create --help
      quota set ml-02 --beyond-share yes ~ 2 ~ SLU-QUOTA-001 ~ cannot change the quota of guest "ml-02" ~ "yes" is not among the policies beyond a share ~ choose out-of-memory or system-memory
      guest create ml-03 --beyond-share yes ~ 2 ~ SLU-QUOTA-001 ~ cannot create guest "ml-03" ~ "yes" is not among the policies beyond a share ~ choose out-of-memory or system-memory
      migration start web-01 --to kvm-b:7443 --detach never ~ 2 ~ SLU-MIG-053 ~ "never" is not to be chosen ~ - ~ use one of: first, planned, last
      daemon log-level noisy ~ 2 ~ SLU-LOG-001 ~ cannot set the log level to "noisy" ~ there is no such level ~ use one of error, warn, info, debug, trace
      guest create a%20b ~ 2 ~ SLU-GUEST-003 ~ cannot create guest "a b" ~ "a b" is not a name ~ use 1 to 63 of a-z A-Z 0-9 . _ - beginning with a letter or digit
      guest create migration ~ 2 ~ SLU-GUEST-003 ~ cannot create guest "migration" ~ the name "migration" is reserved: its socket would be the daemon's own, DIR/run/migration.sock ~ choose another name
      guest create ml-02 ~ 1 ~ SLU-GUEST-002 ~ cannot create guest "ml-02" ~ there is a guest of that name ~ choose another name, or see sluicectl guest show ml-02
      guest create ml-03 --vram-limit 5 ~ 2 ~ SLU-CTL-009 ~ --vram-limit takes a size such as 512MiB or 2GiB, not "5" ~ - ~ see sluicectl guest create --help
      top --interval 1 ~ 2 ~ SLU-CTL-009 ~ --interval takes 50ms to 1h, not "1" ~ - ~ see sluicectl top --help
      top --sort state ~ 2 ~ SLU-CTL-009 ~ --sort takes a column of numbers, not "state" ~ - ~ see sluicectl top --help
      monitor --type foo ~ 2 ~ SLU-CTL-009 ~ no type "foo"; there are channel, checkpoint, daemon, guest, migration, program, quota, restore, session ~ - ~ see sluicectl monitor --help
      quota set ml-02 --vram-limit 999GiB ~ 6 ~ SLU-GUEST-009 ~ cannot change the quota of guest "ml-02" ~ its GPU has 64MiB of video memory, 999GiB requested ~ choose less
      guest create ml-03 --vram-limit 900GiB ~ 6 ~ SLU-GUEST-009 ~ cannot create guest "ml-03" ~ its GPU has 64MiB of video memory, 900GiB requested ~ choose less
      quota set ml-02 --vram-min 65MiB ~ 6 ~ SLU-GUEST-009 ~ cannot change the quota of guest "ml-02" ~ its GPU has 64MiB of video memory, 65MiB requested ~ choose less
      guest create ml-03 --vram-min 65MiB ~ 6 ~ SLU-GUEST-009 ~ cannot create guest "ml-03" ~ its GPU has 64MiB of video memory, 65MiB requested ~ choose less
      quota set ml-02 --vram-min 32MiB --vram-limit 16MiB ~ 2 ~ SLU-QUOTA-001 ~ cannot change the quota of guest "ml-02" ~ the minimum of 32MiB is more than the limit of 16MiB ~ lower one or raise the other
      guest create ml-03 --vram-min 32MiB --vram-limit 16MiB ~ 2 ~ SLU-QUOTA-001 ~ cannot create guest "ml-03" ~ the minimum of 32MiB is more than the limit of 16MiB ~ lower one or raise the other
      migration watch ml-02 ~ 4 ~ SLU-MIG-050 ~ nothing to watch of guest "ml-02" ~ it has not been moved, written to a file or made of one since the daemon started ~ see sluicectl migration status
      migration abort ml-02 ~ 4 ~ SLU-MIG-050 ~ cannot give up the migration of guest "ml-02" ~ it has not been moved since the daemon started ~ see sluicectl migration status
      migration report ml-02 ~ 4 ~ SLU-MIG-050 ~ no report of guest "ml-02" ~ it has not been moved since the daemon started ~ see sluicectl migration status
      migration resolve ml-02 ~ 2 ~ SLU-CTL-009 ~ missing required argument (specify one of these): (--here | --there) ~ - ~ see sluicectl migration resolve --help
      migration resolve ml-02 --here ~ 4 ~ SLU-MIG-050 ~ cannot say whose guest "ml-02" is ~ it has not been moved since the daemon started ~ see sluicectl migration status
      guest restore web-01 /missing ~ 1 ~ SLU-MIG-057 ~ guest "web-01" cannot be made of /missing ~ the checkpoint cannot be used, there is no file /missing ~ name a file that guest checkpoint has written; the daemon reads it
      guest restore web-01 /etc/passwd ~ 1 ~ SLU-MIG-057 ~ guest "web-01" cannot be made of /etc/passwd ~ the checkpoint cannot be used, /etc/passwd is not a checkpoint of Sluice ~ name a file that guest checkpoint has written
      guest restore web-01 /etc ~ 1 ~ SLU-MIG-057 ~ guest "web-01" cannot be made of /etc ~ the checkpoint cannot be used, /etc: it is no file ~ take another checkpoint, or use an earlier one
      guest checkpoint web-01 /missing/dir/x ~ 1 ~ SLU-MIG-057 ~ no checkpoint of guest "web-01" ~ the checkpoint cannot be written, /missing/dir/x: there is no directory /missing/dir ~ see to the room on that disk and the permissions of the directory
      guest checkpoint web-01 /etc ~ 1 ~ SLU-MIG-057 ~ no checkpoint of guest "web-01" ~ the checkpoint cannot be written, there is something that is no checkpoint, file=/etc ~ choose another name, or remove what is there
      -s /etc/passwd guest list ~ 3 ~ SLU-CTL-001 ~ cannot reach sluiced at /etc/passwd ~ that is a file, not a socket ~ name the daemon's socket with --socket or SLUICE_SOCKET
      -s /missing guest list ~ 3 ~ SLU-CTL-001 ~ cannot reach sluiced at /missing ~ there is no such socket ~ start the daemon, or name its socket with --socket or SLUICE_SOCKET
      -s % guest list ~ 3 ~ SLU-CTL-001 ~ cannot reach sluiced ~ the path of its control socket is empty ~ name it with --socket or SLUICE_SOCKET, or leave both out
      guest lst ~ 2 ~ SLU-CTL-009 ~ unknown command "lst" ~ - ~ did you mean "list"? see sluicectl guest --help
      gust list ~ 2 ~ SLU-CTL-009 ~ unknown command "gust" ~ - ~ did you mean "guest"? see sluicectl --help
      guest show web-1 ~ 4 ~ SLU-GUEST-001 ~ no guest "web-1" ~ - ~ did you mean "web-01"?
      guest create ml-03 --gpu embeded ~ 4 ~ SLU-DAEMON-004 ~ cannot create guest "ml-03" ~ there is no GPU "embeded" ~ did you mean "embedded"?
      channel kill web-01 9 ~ 4 ~ SLU-CHN-020 ~ cannot end channel 9 of guest "web-01" ~ it has no such channel ~ sluicectl channel list web-01 shows those it has
      guest destroy web-01 ~ 1 ~ SLU-GUEST-005 ~ cannot destroy guest "web-01" ~ it stands in the configuration ~ remove its [[guest]], then sluicectl daemon reload
      guest list --columns bogus ~ 2 ~ SLU-CTL-009 ~ no column "bogus" among the 17 there are ~ - ~ see sluicectl guest list --help
      guest list --columns nmae ~ 2 ~ SLU-CTL-009 ~ no column "nmae"; did you mean "name"? ~ - ~ see sluicectl guest list --help
      """;

  @TempDir private Path dir;

  @Test
  void mistakes_ofAnOperator_areToldAndNothingChanges() throws Exception {
    SoftAssertions soft = new SoftAssertions();
    try (SluicedInstance instance = TestDaemons.start(dir, "run", "64MiB", "web-01", "ml-02");
        AttachedDevice _ =
            AttachedDevice.attach(RealKernel.create(), instance.guestSocket("web-01"))) {
      List<String> before = state(instance.daemon());
      for (String mistake : MISTAKES.lines().toList()) {
        List<String> part =
            Stream.of(mistake.split("~", -1)).map(each -> none(each.strip())).toList();
        Problem told = new Problem(part.get(2), part.get(3), part.get(4), part.get(5));
        soft.assertThat(run(instance, words(part.get(0))))
            .as(mistake)
            .isEqualTo(new Run(Integer.parseInt(part.get(1)), "", told.render()));
        soft.assertThat(state(instance.daemon())).as(mistake).isEqualTo(before);
      }
    }
    soft.assertAll();
  }

  private static String none(String text) {
    return text.equals("-") ? "" : text;
  }

  /** What can be changed of guests, quotas and the log. */
  private static List<String> state(DaemonMXBean daemon) {
    Stream<String> quotas =
        daemon.getQuotas().values().stream()
            .map(q ->
                "%s %d %d %d %s %d"
                    .formatted(
                        q.guest(),
                        q.minimumBytes(),
                        q.weight(),
                        q.limitBytes(),
                        q.beyondShare(),
                        q.killTimeoutMs()));
    return Stream.concat(quotas, Stream.of(daemon.getLogLevel())).toList();
  }

  private static List<String> words(String command) {
    return Stream.of(command.split(" ", -1))
        .map(word -> word.equals("%") ? "" : word.replace("%20", " "))
        .toList();
  }

  /**
   * What a command did.
   *
   * @param exit its code
   * @param out standard output
   * @param err standard error, without the directory's name
   */
  private record Run(int exit, String out, String err) {}

  private Run run(SluicedInstance instance, List<String> words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line =
        SluiceCtl.commandLine(Map.of("SLUICE_SOCKET", instance.controlSocket().toString()));
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int exit = line.execute(words.toArray(String[]::new));
    return new Run(exit, out.toString(), err.toString().replace(dir.toString(), "DIR"));
  }
}

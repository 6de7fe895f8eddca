package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.GuestStatus;
import io.sluice.sluicectl.Ctl.Run;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The program against the real transport and a daemon that always looks the same. */
final class SluiceCtlTest extends ServedDaemon {
  /** Commands and all they print, each in a file of its own. */
  @ParameterizedTest
  @CsvSource({
    "unknown-noun, gust list",
    "unknown-verb, guest lst",
    "missing-verb, guest",
    "missing-noun, ''",
    "unknown-option, guest list --colums name",
    "unknown-column-far, guest list --columns bogus",
    "needless-word, guest show web-01 ml-02",
    "help-guest-list, guest list --help",
    "migration-resolve-side, migration resolve web-01",
    "migration-watch-never, migration watch ml-02",
    "unknown-format, guest list --format yaml",
    "unknown-column, guest list --columns name;nmae",
    "unknown-json-column, guest list --format json --columns memory",
    "missing-guest, guest show",
    "unknown-guest, guest show web-1",
    "unknown-guest-nothing-near, guest show mail",
    "unknown-guest-channels, channel list x",
    "unknown-event-type, monitor --type gust",
    "no-events, monitor --count 0",
    "wrong-size, guest create a --vram-limit 5",
    "wrong-memory, guest xml web-01 --memory lots",
    "exists, guest create web-01",
    "quota, guest create full --vram-limit 5GiB",
    "busy, guest create late",
    "daemon-bug, guest create bug",
    "stop-refused, daemon stop",
    "log-level-wrong, daemon log-level loud",
    "guest-list, guest list",
    "guest-list-columns, guest list --columns uuid;name;memory-used-bytes",
    "guest-list-no-header, guest list --no-header",
    "guest-list-json, guest list --format json",
    "guest-list-json-columns, guest list -f json --columns name;client-pid",
    "guest-list-csv, guest list --format csv",
    "guest-show, guest show web-01",
    "guest-show-by-uuid, guest show 9D2B3C70-04BE-4C0F-8F33-5B2A1C9E7D42",
    "guest-show-json, guest show embedded/web-01 --format json",
    "guest-create, guest create a --gpu embedded --vram-limit 64MiB",
    "guest-create-timeout, guest create a --kill-timeout 5us",
    "guest-clone, guest clone web-01 a --qmp /run/a.qmp",
    "guest-clone-of-none, guest clone web-1 a",
    "guest-clone-exists, guest clone web-01 web-01",
    "help-guest-clone, guest clone --help",
    "guest-create-json, guest create a --format json --columns name;socket",
    "guest-destroy, guest destroy ml-02",
    "guest-xml, guest xml web-01",
    "guest-xml-domain, guest xml web-01 --domain --memory 4GiB",
    "guest-xml-incoming, guest xml web-01 --domain --incoming",
    "guest-xml-incoming-alone, guest xml web-01 --incoming",
    "guest-xml-both, guest xml web-01 --domain --qemu",
    "guest-xml-qemu, guest xml web-01 --qemu --memory 4GiB",
    "channel-list, channel list",
    "channel-list-json, channel list web-01 --format json",
    "channel-list-csv, channel list web-01 --format csv",
    "channel-list-none, channel list ml-02",
    "channel-kill-unknown, channel kill web-01 9",
    "channel-kill-nothing, channel kill web-01",
    "channel-kill-no-number, channel kill web-01 first",
    "help-channel-kill, channel kill --help",
    "session-list, session list",
    "session-list-json, session list web-01 --format json",
    "session-list-csv, session list --format csv",
    "session-list-unknown, session list web-1",
    "session-show, session show web-01 7",
    "session-show-json, session show web-01 7 --format json",
    "session-show-unknown, session show web-01 9",
    "session-show-no-number, session show web-01 first",
    "session-end, session end web-01 7",
    "session-end-unknown, session end web-01 9",
    "session-limit, session limit web-01 --sessions 8 --memory 512MiB",
    "session-limit-nothing, session limit web-01",
    "session-limit-size, session limit web-01 --memory lots",
    "session-checkpoint, session checkpoint web-01 7 --file /a/file",
    "session-checkpoint-no-file, session checkpoint web-01 7",
    "session-restore, session restore web-01 7 --file /a/file --to pocl",
    "session-restore-refused, session restore web-01 8 --file /a/file",
    "session-host, session host",
    "session-host-json, session host --format json",
    "help-session, session --help",
    "help-session-limit, session limit --help",
    "help-session-checkpoint, session checkpoint --help",
    "help-session-restore, session restore --help",
    "program-list, program list",
    "program-list-json, program list ml-02 --format json",
    "program-list-csv, program list --format csv",
    "program-list-unknown, program list ml-2",
    "program-list-without, program list web-01",
    "program-end, program end ml-02 3",
    "program-end-unknown, program end ml-02 9",
    "program-end-no-number, program end ml-02 first",
    "program-suspend, program suspend ml-02 3",
    "program-suspend-unknown, program suspend ml-02 9",
    "program-suspend-no-wait, program suspend ml-02 3 --wait soon",
    "program-resume, program resume ml-02 4",
    "program-resume-gpu, program resume ml-02 4 --gpu h200-1",
    "program-resume-refused, program resume ml-02 3",
    "guest-show-cuda, guest show ml-02",
    "guest-show-cuda-json, guest show ml-02 --format json",
    "guest-run-nothing, guest run ml-02",
    "guest-run-without, guest run web-01 -- python3 train.py",
    "help-program, program --help",
    "help-program-suspend, program suspend --help",
    "help-guest-run, guest run --help",
    "quota-show, quota show",
    "quota-show-gpu, quota show embedded",
    "quota-show-guest, quota show web-01 --columns guest;evictions;kills;kills-put-off",
    "quota-show-json, quota show web-01 --format json",
    "quota-show-unknown, quota show web-1",
    "quota-set, quota set ml-02 --weight 3 --kill-timeout 1.5s",
    "quota-set-nothing, quota set ml-02",
    "quota-set-too-much, quota set ml-02 --vram-min 2GiB",
    "quota-set-overflow, quota set ml-02 --vram-min 99999999999TiB",
    "quota-set-negative, quota set ml-02 --vram-min=-1MiB",
    "quota-set-weight, quota set ml-02 --weight 99999999999",
    "quota-set-duration, quota set ml-02 --kill-timeout 5us",
    "quota-reset, quota reset ml-02",
    "top-once, top --once --interval 50ms",
    "top-count, top --count 2 --interval 50ms --columns guest;kills",
    "top-json, top --once --interval 50ms --format json",
    "top-json-lines, top --count 2 --interval 50ms --format json --columns guest;gpu-percent",
    "top-csv, top --once --interval 50ms --format csv --columns guest;held-bytes;wait-percent",
    "top-wrong-interval, top --interval 1ms",
    "top-wrong-count, top --count 0",
    "top-sort, top --once --interval 50ms --sort memory --columns guest;memory",
    "top-reverse, top --once --interval 50ms --sort held-bytes --reverse --columns guest;memory",
    "top-wrong-sort, top --sort memry",
    "top-no-number, top --sort state",
    "help-top, top --help",
    "gpu-list, gpu list",
    "gpu-show, gpu show embedded",
    "gpu-show-json, gpu show embedded --format json",
    "gpu-show-unknown, gpu show embeded",
    "irq-show, irq show",
    "irq-show-json, irq show web-01 --format json",
    "help-irq, irq --help",
    "help-diag, diag --help",
    "help-guest-detach, guest detach --help",
    "gpu-list-csv, gpu list --format csv",
    "daemon-status, daemon status",
    "daemon-status-csv, daemon status --format csv",
    "daemon-status-csv-columns, daemon status -f csv --columns pid;uptime-ms --no-header",
    "help-daemon-status, daemon status --help",
    "daemon-status-json, daemon status --format json",
    "daemon-check, daemon check",
    "daemon-check-json, daemon check --format json",
    "daemon-reload, daemon reload",
    "daemon-reload-json, daemon reload --format json",
    "daemon-config-check, daemon config --check --columns subject;result",
    "daemon-config, daemon config",
    "daemon-config-json, daemon config --format json",
    "log-level, daemon log-level",
    "log-level-set, daemon log-level debug",
    "explain, explain SLU-DMA-004",
    "explain-json, explain slu-dma-004 --format json",
    "explain-slip, explain SLU-DAM-004",
    "explain-nothing, explain",
    "version, version",
    "version-json, version --format json",
    "help, --help",
    "help-daemon, daemon --help",
    "help-daemon-stop, daemon stop --help",
    "help-gpu, gpu --help",
    "help-guest, guest --help",
    "help-guest-create, guest create --help",
    "help-guest-destroy, guest destroy --help",
    "help-guest-xml, guest xml --help",
    "help-channel, channel --help",
    "help-quota, quota --help",
    "help-migration, migration --help",
    "help-migration-start, migration start --help",
    "help-migration-resolve, migration resolve --help",
    "help-guest-checkpoint, guest checkpoint --help",
    "help-checkpoint, checkpoint --help",
    "checkpoint-list, checkpoint list",
    "checkpoint-list-json, checkpoint list /srv --format json",
    "checkpoint-list-csv, checkpoint list --format csv",
    "checkpoint-list-none, checkpoint list /missing",
    "checkpoint-show, checkpoint show /srv/web.sluice",
    "checkpoint-show-json, checkpoint show /srv/db.partial --format json",
    "checkpoint-show-directory, checkpoint show /srv",
    "checkpoint-show-nothing, checkpoint show",
    "help-quota-set, quota set --help",
    "help-completion, completion --help",
    "help-monitor, monitor --help",
    "help-explain, explain --help",
  })
  void command_always_printsAsBefore(String name, String command) throws IOException {
    String[] arguments = command.isEmpty() ? new String[0] : command.replace(';', ',').split(" ");

    Run run = ctl.run(arguments);

    StringBuilder text = new StringBuilder("$ sluicectl ").append(String.join(" ", arguments));
    text.append('\n').append(run.out().replace("\r\n", "<CR>\n"));
    if (!run.err().isEmpty()) {
      text.append("--- standard error\n").append(run.err());
    }
    text.append("--- exit ").append(run.code()).append('\n');
    Golden.check(name, text.toString());
  }

  /** The promise of the help page. */
  @ParameterizedTest
  @CsvSource({
    "0, guest list",
    "1, guest create web-01",
    "1, daemon stop",
    "2, guest list --columns x",
    "4, guest show x",
    "6, guest create full",
    "6, quota set ml-02 --vram-min 2GiB",
    "2, quota set ml-02",
    "2, daemon log-level loud",
    "2, guest lst",
    "4, migration watch ml-02",
    "4, quota show x",
    "75, guest create late",
  })
  void exitCode_outcome_isAsPromised(int code, String command) {
    assertThat(ctl.run(command.split(" ")).code()).isEqualTo(code);
  }

  @ParameterizedTest
  @ValueSource(strings = {"guest list", "daemon status", "channel list", "guest destroy web-01"})
  void run_noDaemon_exits3AndSaysWhatToDo(String command) throws IOException {
    server.close();

    Run run = ctl.run(command.split(" "));

    assertThat(run.code()).isEqualTo(3);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("error: cannot reach sluiced at /run/sluice/control ")
        .contains("[SLU-CTL-001]\n  cause: there is no such socket\n  fix:   start the daemon");
  }

  @Test
  void version_noDaemon_saysSo() throws IOException {
    server.close();

    assertThat(ctl.run("version"))
        .isEqualTo(
            new Run(
                0, "sluicectl  VERSION\nsluiced    not reachable at /run/sluice/control\n", ""));
    assertThat(ctl.run("version", "-f", "json").out()).contains("\"sluiced\" : null");
  }

  @Test
  void explain_noDaemon_explains() throws IOException {
    server.close();

    assertThat(ctl.run("explain", "SLU-CTL-001").out()).contains("Start the daemon");
  }

  @Test
  void completion_always_knowsTheCodes() {
    assertThat(ctl.run("completion").out()).contains("SLU-CTL-001", "SLU-DMA-004");
  }

  @Test
  void run_notPermitted_exits5AndSaysWhoMay() throws Exception {
    Path other = dir.resolve("other");
    byte[] reason = "you are user mallory".getBytes(StandardCharsets.UTF_8);
    ByteBuffer refusal = ByteBuffer.allocate(12 + reason.length);
    refusal.put("SLUICEJ1".getBytes(StandardCharsets.US_ASCII));
    refusal.putInt(1 << 24 | reason.length).put(reason).flip();
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(other));
      Thread refuser =
          Thread.ofPlatform()
              .start(() -> {
                try (var connection = listener.accept()) {
                  connection.write(refusal);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });

      Run run = new Ctl(other).run("guest", "list");
      refuser.join();

      assertThat(run.code()).isEqualTo(5);
      assertThat(run.err())
          .contains("[SLU-CTL-004]")
          .contains("cause: the daemon refuses you: you are user mallory");
    }
  }

  @Test
  void debug_failure_printsWhereItCameFrom() {
    assertThat(ctl.run("guest", "show", "x").err()).doesNotContain("\tat ");
    assertThat(ctl.run("guest", "show", "x", "--debug").err()).contains("\tat ");
  }

  @Test
  void stop_attachedAndForced_isAskedFor() {
    assertThat(ctl.run("daemon", "stop", "--force").code()).isZero();
    assertThat(daemon.asked()).containsExactly("shutdown");
  }

  @Test
  void create_options_reachTheDaemon() {
    ctl.run("guest", "create", "a", "--vram-limit", "1.5GiB");
    ctl.run("guest", "destroy", "ml-02", "--force");

    assertThat(daemon.asked())
        .containsExactly("create a on '' with 1610612736", "destroy ml-02 forced");
  }

  @Test
  void create_quota_reachesTheDaemon() {
    ctl.run("guest", "create", "a", "--vram-min", "64MiB", "--vram-limit", "none", "--weight", "3");
    ctl.run("guest", "create", "b", "--beyond-share", "system-memory", "--kill-timeout", "500ms");

    assertThat(daemon.asked())
        .containsExactly(
            "quota of a: 67108864 3 null null",
            "create a on '' with 0",
            "quota of b: null null system-memory 500",
            "create b on '' with 0");
  }

  @Test
  void channelKill_ofAChannel_reachesTheDaemon() {
    assertThat(ctl.run("channel", "kill", "web-01", "1")).isEqualTo(new Run(0, "", ""));

    assertThat(daemon.asked()).containsExactly("kill web-01 1");
  }

  @Test
  void quotaSet_options_reachTheDaemon() {
    ctl.run("quota", "set", "ml-02", "--vram-min", "64MiB", "--vram-limit", "1GiB");
    ctl.run("quota", "set", "ml-02", "--vram-limit", "none", "--beyond-share", "system-memory");
    ctl.run("quota", "set", "web-01", "--weight", "7", "--kill-timeout", "500ms");
    ctl.run("quota", "reset", "web-01");

    assertThat(daemon.asked())
        .containsExactly(
            "quota ml-02 67108864 null 1073741824 null null",
            "quota ml-02 null null 1610612736 system-memory null",
            "quota web-01 null 7 null null 500",
            "quota-reset web-01");
  }

  @Test
  void socket_option_winsOverTheEnvironment() {
    Run run = ctl.run("guest", "list", "--socket", "/nowhere/control");

    assertThat(run.code()).isEqualTo(3);
    assertThat(run.err()).contains("cannot reach sluiced at /nowhere/control");
  }

  @Test
  void guest_detachSuspendResume_reachTheDaemon() {
    ctl.run("guest", "detach", "web-01");
    ctl.run("guest", "suspend", "web-01");
    ctl.run("guest", "resume", "embedded/web-01");

    assertThat(daemon.asked()).containsExactly("detach web-01", "suspend web-01", "resume web-01");
  }

  @Test
  void program_suspendResume_reachTheDaemon() {
    ctl.run("program", "suspend", "ml-02", "3");
    ctl.run("program", "suspend", "embedded/ml-02", "4", "--wait", "60");
    ctl.run("program", "resume", "ml-02", "4");
    ctl.run("program", "resume", "ml-02", "4", "--gpu", "h200-1");

    assertThat(daemon.asked())
        .containsExactly(
            "suspend program ml-02 3 within 10",
            "suspend program ml-02 4 within 60",
            "resume program ml-02 4",
            "resume program ml-02 4 on h200-1");
  }

  /** What the work takes, and then the copy of a card's memory. */
  @Test
  void program_suspend_waitsForTheAnswerAsLongAsItMayTake() {
    String timeout = "sun.rmi.transport.tcp.responseTimeout";
    try {
      ctl.run("program", "suspend", "ml-02", "3", "--wait", "3600");
      assertThat(Long.getLong(timeout)).isEqualTo(4_200_000);
      ctl.run("program", "resume", "ml-02", "4");
      assertThat(Long.getLong(timeout)).isEqualTo(600_000);
    } finally {
      System.clearProperty(timeout);
    }
  }

  @Test
  void diagBundle_ofADaemon_hasWhatItSays() throws IOException {
    Path file = dir.resolve("bundle.zip");

    assertThat(ctl.run("diag", "bundle", file.toString()).code()).isZero();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    try (ZipFile zip = new ZipFile(file.toFile())) {
      assertThat(zip.stream().map(ZipEntry::getName))
          .contains("version.json", "check.json", "guests/web-01.json", "reports/web-01.json")
          .contains("host.txt", "log.txt")
          .doesNotContain("guests.json.error.txt");
      String guests =
          new String(
              zip.getInputStream(zip.getEntry("guests.json")).readAllBytes(),
              StandardCharsets.UTF_8);
      assertThat(guests).contains("\"name\" : \"ml-02\"");
    }
    assertThat(ctl.run("diag", "bundle", file.toString()).err())
        .contains("there is a file of that name", "[SLU-CTL-013]");
  }

  @Test
  void diagBundle_noDaemon_saysWhy() throws IOException {
    server.close();
    Path file = dir.resolve("bundle.zip");

    assertThat(ctl.run("diag", "bundle", file.toString()).code()).isZero();

    try (ZipFile zip = new ZipFile(file.toFile())) {
      assertThat(zip.stream().map(ZipEntry::getName)).contains("guests.json.error.txt", "host.txt");
    }
  }

  @Test
  void completion_ofGuests_asksTheDaemon() {
    assertThat(ctl.run("completion").out())
        .contains("$(sluicectl guest list --no-header --columns name 2>/dev/null)")
        .contains("$(sluicectl gpu list --no-header --columns gpu 2>/dev/null)")
        .contains("$(sluicectl session list --no-header --columns session -- \"${prev_word}\" 2>")
        .contains("$(sluicectl program list --no-header --columns program -- \"${prev_word}\" 2>")
        .contains("$(sluicectl channel list --no-header --columns id -- \"${prev_word}\" 2>")
        .contains("\"planned\"", "\"system-memory\"")
        .doesNotContainPattern("\"@[a-z]+@\"");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1610612736, 0/1.5 GiB",
    "33554432, 1610612736, 32.0 MiB/1.5 GiB",
    "1288490189, 2147483648, 1.2/2.0 GiB",
    "128849019, 1610612736, 0.1/1.5 GiB",
    "4096, 65536, 4.0/64.0 KiB",
  })
  void share_smallBesideLarge_isSeen(long used, long limit, String shown) {
    assertThat(Views.share(used, limit)).isEqualTo(shown);
  }

  @Test
  void socket_none_saysWhatIsThere() throws IOException {
    Path file = Files.createFile(dir.resolve("file"));

    assertThat(ctl.run("guest", "list", "--socket", file.toString()))
        .extracting(Run::code, Run::err)
        .satisfies(both -> assertThat(both.getFirst()).isEqualTo(3))
        .satisfies(both ->
            assertThat(both.getLast().toString()).contains("cause: that is a file, not a socket"));
    assertThat(ctl.run("guest", "list", "-s", dir.toString()).err())
        .contains("cause: that is a directory, not a socket");
    assertThat(ctl.run("guest", "list", "-s", "").err())
        .contains("cause: the path of its control socket is empty");
  }

  /** To make all commands takes longer than to run most. */
  @ParameterizedTest
  @CsvSource({
    "guest list, guest",
    "--socket guest session list, session",
    "-s guest -f json --debug quota show, quota",
    "--socket=guest --format=json --no-header irq show, irq",
    "--columns guest;name top --once, top",
    "version, version",
    "--socket x version, version",
    "guest run ml-02 -- session list, guest"
  })
  void commandLine_optionsBeforeTheCommand_isOfThatOneAlone(String words, String command) {
    assertThat(SluiceCtl.commandLine(Map.of(), words(words)).getSubcommands())
        .containsOnlyKeys(command);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "gues list",
        "--socket",
        "--socket guest",
        "--help guest",
        "-h guest",
        "--version guest",
        "--none guest",
        "completion bash",
        "--debug completion bash"
      })
  void commandLine_noCommandOrAll_isOfAll(String words) {
    assertThat(SluiceCtl.commandLine(Map.of(), words(words)).getSubcommands())
        .containsOnlyKeys(SluiceCtl.commandLine(Map.of()).getSubcommands().keySet())
        .hasSizeGreaterThan(10);
  }

  @ParameterizedTest
  @CsvSource({
    "guest list, list",
    "guest --debug -f json list, list",
    "-s x guest -s list show web-01, show",
    "guest xml --help, xml"
  })
  void commandLine_verbBehindOptions_isOfThatVerbAlone(String words, String verb) {
    assertThat(guestsVerbs(words)).containsOnly(verb);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"guest", "guest lst", "guest --help", "guest -h list", "guest --none list"})
  void commandLine_noVerb_isOfAllVerbs(String words) {
    assertThat(guestsVerbs(words))
        .isEqualTo(verbs(SluiceCtl.commandLine(Map.of())))
        .hasSizeGreaterThan(10);
  }

  private static Set<String> guestsVerbs(String words) {
    return verbs(SluiceCtl.commandLine(Map.of(), words(words)));
  }

  private static Set<String> verbs(CommandLine line) {
    return Objects.requireNonNull(line.getSubcommands().get("guest")).getSubcommands().keySet();
  }

  private static List<String> words(String line) {
    return Stream.of(line.split(" ", -1)).filter(word -> !word.isEmpty()).toList();
  }

  @Test
  void completion_always_isAScriptOfAllCommands() {
    Run run = ctl.run("completion");

    assertThat(run.code()).isZero();
    assertThat(run.out()).startsWith("#!/usr/bin/env bash").contains("create", "log-level", "xml");
  }

  @Test
  void fragments_pathWithEveryQuote_areEscaped() {
    var guest = new GuestStatus("a", "", "", "", "", "", "/r/\"<&>'\\.sock", 0, 0, "", 0, 0, 0, 0);

    assertThat(MachineFragments.qemu(guest, "/run/a.qmp", 1))
        .contains("\"path\":\"/r/\\\"<&>'\\''\\\\.sock\"")
        .contains("size=1M");
    assertThat(MachineFragments.libvirt(guest, "/run/a.qmp"))
        .contains("\"path\":\"/r/\\\"&lt;&amp;&gt;&apos;\\\\.sock\"");
  }
}

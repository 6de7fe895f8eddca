package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.daemon.Sluiced;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.sluicectl.SluiceCtl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The manual pages and the configuration of the package are what the programs and
 * docs/configuration.md say. {@code -Dsluice.golden=write} makes them anew.
 */
final class ManualPagesTest {
  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));
  private static final Path FILES = HOME.resolve("daemon/packaging/host");

  private static final String DAEMON_END =
      """
      .SH ENVIRONMENT
      .TP
      \\fBSLUICE_JAVA_OPTS\\fR
      More options for the Java that it runs on.
      .TP
      \\fBSLUICE_\\fISECTION\\fB_\\fIKEY\\fR
      Overrides a setting: see \\fBsluice.toml\\fR(5).
      .SH FILES
      /etc/sluice/sluice.toml, /etc/sluice/conf.d/*.toml
      .br
      /run/sluice: the sockets of the guests and of \\fBsluicectl\\fR(1)
      .br
      /var/lib/sluice: what outlives the daemon
      .br
      /usr/share/doc/sluice: installation.md, quotas.md, migration.md and other guides
      .SH SEE ALSO
      .BR sluicectl (1),
      .BR sluice.toml (5)
      """;

  private static final String CONTROL_END =
      """
      .SH ENVIRONMENT
      .TP
      \\fBSLUICE_SOCKET\\fR
      The daemon's control socket.
      .TP
      \\fBSLUICE_CUDA_DIR\\fR
      Where \\fBguest run\\fR looks first for what starts CUDA programs.
      .TP
      \\fBSLUICE_JAVA_OPTS\\fR
      More options for the Java that it runs on.
      .SH FILES
      /run/sluice/control
      .SH SEE ALSO
      .BR sluiced (8),
      .BR sluice.toml (5)
      """;

  @TempDir private Path dir;

  @Test
  void sluiced8_ofThisTree_isWhatTheProgramSays() throws IOException {
    check(
        "man/sluiced.8",
        CommandManual.of(
            new CommandLine(Sluiced.class), 8, "daemon that gives guests a GPU", DAEMON_END));
  }

  @Test
  void sluicectl1_ofThisTree_isWhatTheProgramSays() throws IOException {
    check(
        "man/sluicectl.1",
        CommandManual.of(
            SluiceCtl.commandLine(Map.of()), 1, "controls the daemon sluiced", CONTROL_END));
  }

  @Test
  void sluiceToml5_ofThisTree_isWhatThePageSays() throws IOException {
    check("man/sluice.toml.5", manual().page());
  }

  @Test
  void installedConfiguration_ofThisTree_isWhatThePageSays() throws IOException {
    check("sluice.toml", manual().file());
  }

  @Test
  void installedConfiguration_asItIs_isRight() throws Exception {
    assertThat(load(Files.readString(FILES.resolve("sluice.toml"))).guests()).isEmpty();
  }

  @Test
  void installedConfiguration_withItsDefaultsWritten_isRight() throws Exception {
    String file = Files.readString(FILES.resolve("sluice.toml"));
    String optional = file.replaceAll("(?s)#\\[migration].*?(?=\n#\\[sessions])", "");
    optional = optional.substring(0, optional.indexOf("#[gpu.NAME]"));
    String written = optional.replaceAll("(?m)^#(\\[.*]|[a-z-]+ = \".+\")$", "$1");

    assertThat(written).contains("\nsandbox = \"required\"", "\nvram = \"1536MiB\"");
    assertThat(load(written).guests()).isEmpty();
  }

  @Test
  void installedConfiguration_ofThisTree_hasEveryKeyOfThePage() throws IOException {
    assertThat(names("(?m)^#?([a-z-]+) = \"", Files.readString(FILES.resolve("sluice.toml"))))
        .isEqualTo(
            names(
                "(?m)^\\| `([a-z-]+)` \\|",
                Files.readString(HOME.resolve("docs/configuration.md"))));
  }

  private DaemonConfig load(String text) throws Exception {
    Path file = dir.resolve("sluice.toml");
    Files.writeString(file, text);
    return new ConfigLoader(Map.of(), Map.of()).load(file);
  }

  private static Set<String> names(String pattern, String text) {
    Set<String> names = new TreeSet<>();
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  private static ConfigurationManual manual() throws IOException {
    return new ConfigurationManual(Files.readString(HOME.resolve(ConfigurationManual.PAGE)));
  }

  private static void check(String name, String expected) throws IOException {
    Path file = FILES.resolve(name);
    if (System.getProperty("sluice.golden", "").equals("write")) {
      Files.writeString(file, expected);
    }
    assertThat(Files.readString(file)).isEqualTo(expected);
  }
}

package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class SluicedTest {
  @TempDir private Path dir;

  /**
   * @param code exit code
   * @param out standard output
   * @param err standard error
   */
  private record Run(int code, String out, String err) {}

  private static Run run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Sluiced.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return new Run(line.execute(arguments), out.toString(), err.toString());
  }

  @Test
  void unknownOption_isAUsageError() {
    Run run = run("--check");

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("--check-config");
  }

  @Test
  void checkConfig_wrong_exits78AndNamesEveryError() throws IOException {
    Path file = Files.writeString(dir.resolve("s.toml"), "a = 1\n[log]\nlevl = \"info\"\n");

    Run run = run("--check-config", "--config", file.toString());

    assertThat(run.code()).isEqualTo(78);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .startsWith("error: " + file + ":1:1: unknown section \"a\"")
                    .endsWith("[SLU-CONFIG-003]"),
            line -> assertThat(line).contains(":3:1: unknown key of [log] \"levl\""));
  }

  @Test
  void checkConfig_right_exits0() throws IOException {
    Path file = Files.writeString(dir.resolve("s.toml"), "[log]\nlevel = \"warn\"\n");

    Run run = run("--check-config", "--config", file.toString());

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).isEqualTo("configuration is right: " + file + "\n");
    assertThat(run.err()).doesNotContain("error: ");
  }

  /** Each was called right, and the daemon did not start. */
  @Test
  void checkConfig_whatTheHostDoesNotHave_exits78AndNamesEach() throws IOException {
    Path file =
        Files.writeString(
            dir.resolve("s.toml"),
            """
            [daemon]
            control-group = "nosuchgroup"
            [gpu.card0]
            device = "/nowhere/card0"
            [migration]
            certificate = "/none"
            key = "/none"
            authority = "/none"
            """);

    Run run = run("--check-config", "--config", file.toString());

    assertThat(run.code()).isEqualTo(78);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .contains("error: control-group nosuchgroup: there is no such group\n  fix:   make it")
        .contains("error: certificate /none: cannot use certificate /none: there is no such file")
        .contains("error: gpu card0: there is no /nowhere/card0\n");
  }

  /** As the daemon would find out when it is started again, too late. */
  @Test
  void checkConfig_guestMadeAtRunTimeThatFitsNoMore_exits78AndNamesItsFile() throws IOException {
    Path state = Files.createDirectory(dir.resolve("state"));
    Files.writeString(
        state.resolve("guests.toml"),
        """
        [[guest]]
        name = "big"
        uuid = "5c1f2a0e-7b1d-4f61-9a3c-2f6d0f0e8a11"
        gpu = "embedded"
        socket = "/run/sluice/big.sock"
        qmp = "/run/sluice/big.qmp"
        vram-limit = "200MiB"
        """);
    Path file =
        Files.writeString(
            dir.resolve("s.toml"),
            "[daemon]\nstate-dir = \"" + state + "\"\n[gpu.embedded]\nvram = \"128MiB\"\n");

    Run run = run("--check-config", "--config", file.toString());

    assertThat(run.code()).isEqualTo(78);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("error: " + state.resolve("guests.toml") + ":");
  }

  @Test
  void printConfig_flag_isShownWithItsSource() {
    Run run = run("--print-config", "--set", "gpu.embedded.vram=32MiB");

    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("gpu.embedded.vram = \"32MiB\"  # flag --set\n");
  }

  @Test
  void version_isPrinted() {
    assertThat(run("--version").out()).startsWith("sluiced ");
  }
}

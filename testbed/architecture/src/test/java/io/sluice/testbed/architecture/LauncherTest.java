package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code sluice} in a tree of its own, with a Maven that does as a test says. */
final class LauncherTest {
  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));

  /** The launcher's for a build that failed; see its usage. */
  private static final int BUILD_FAILED = 70;

  /** What Maven and its plugins send to terminals: colours, their end, and lines wiped out. */
  private static final String PAINTED =
      "\\033[0m\\033[0m[\\033[1;31mERROR\\033[m] no \\033[38;5;9mwhere\\033[0m\\033[K";

  private static final char ESCAPE = 0x1b;

  @TempDir private Path tree;
  private Path temporary;

  @BeforeEach
  void copy() throws IOException {
    Files.createDirectories(tree.resolve("daemon/packaging"));
    temporary = Files.createDirectory(tree.resolve("temporary"));
    for (String file : new String[] {"sluice", "daemon/packaging/programs.sh"}) {
      Files.copy(HOME.resolve(file), tree.resolve(file));
    }
  }

  /**
   * @param said on standard output and standard error together
   */
  private record Launch(int code, String said) {}

  private Launch build(int mavenExits) throws IOException, InterruptedException {
    return launch("printf '" + PAINTED + "\\n'\nexit " + mavenExits, "build");
  }

  /** The tests, which pass; one is noted. */
  private Launch test(String note) throws IOException, InterruptedException {
    return launch("mkdir -p target\necho '" + note + "' >target/slow-tests.txt", "test", "--quick");
  }

  /**
   * @param maven what it does, as a script of the shell
   */
  private Launch launch(String maven, String... arguments)
      throws IOException, InterruptedException {
    Path tools = Files.createDirectory(tree.resolve("tools"));
    Files.writeString(tools.resolve("mvn"), "#!/bin/sh\n" + maven + "\n");
    Files.setPosixFilePermissions(
        tools.resolve("mvn"), PosixFilePermissions.fromString("rwxr-xr-x"));
    Path said = tree.resolve("said");
    ProcessBuilder builder =
        new ProcessBuilder(command(arguments))
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeAll(Set.of("MAVEN_HOME", "M2_HOME", "SLUICE_TEST_MINUTES"));
    environment.put("PATH", tools + ":" + environment.get("PATH"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("TMPDIR", temporary.toString());
    environment.put("SLUICE_NO_INSTALL", "1");
    return new Launch(builder.start().waitFor(), Files.readString(said));
  }

  private List<String> command(String... arguments) {
    return Stream.concat(Stream.of(tree.resolve("sluice").toString()), Stream.of(arguments))
        .toList();
  }

  @Test
  void build_mavenFails_saysWhyWithoutEscapesAndWhereThatStands() throws Exception {
    Launch build = build(1);

    assertThat(build.code()).as(build.said()).isEqualTo(BUILD_FAILED);
    assertThat(build.said())
        .startsWith("[ERROR] no where\n")
        .contains("sluice: the build failed; Maven's reason is above\n  fix: ")
        .doesNotContain(String.valueOf(ESCAPE));
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void build_mavenSucceeds_leavesNoEscapes() throws Exception {
    Launch build = build(0);

    assertThat(build.code()).as(build.said()).isZero();
    assertThat(build.said()).isEqualTo("[ERROR] no where\n");
  }

  @Test
  void test_oneTookLongThoughNothingWasKeptWaiting_failsAndSaysWhich() throws Exception {
    String note = "83 s, 61 s undisturbed, load 0.90: void A.b()";
    Launch test = test(note);

    assertThat(test.code()).as(test.said()).isEqualTo(1);
    assertThat(test.said())
        .contains("test: FAILED, some took more than 60 s", note)
        .doesNotContain("test: passed");
  }

  @Test
  void test_oneTookLongOnABusyMachine_passesAndSaysWhereThatStands() throws Exception {
    Launch test = test("183 s, 60 s undisturbed, load 9.10: void A.b()");

    assertThat(test.code()).as(test.said()).isZero();
    assertThat(test.said()).contains("test: passed", "./sluice test --slow");
  }
}

package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.checks.TakesLong;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The walk of docs/getting-started.md, typed as it stands there: process, and move. */
final class GettingStartedTest {
  private static final Path HOME =
      Path.of(Objects.requireNonNull(System.getProperty("sluice.home")));
  private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
  private static final int PATIENCE_MINUTES = 10;

  @TempDir private Path dir;

  @Test
  @TakesLong("each command of the page is a process of its own, and two daemons start")
  void walk_processAndMove_doesWhatThePageSays() throws Exception {
    assumeTrue(has("cc") && has("make"), "no C compiler, or no make");
    String page = Files.readString(HOME.resolve("docs/getting-started.md"));
    String parts = page.substring(page.indexOf("\n## 1. "), page.indexOf("\n## 3. "));
    List<String> blocks = BLOCK.matcher(parts).results().map(block -> block.group(1)).toList();
    assertThat(blocks).hasSizeGreaterThan(8);
    Path script = dir.resolve("walk.sh");
    Files.writeString(
        script,
        "set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + String.join("\n", blocks));
    copyStubs();
    program("sluiced", modules(), "io.sluice.daemon/io.sluice.daemon.Sluiced");
    program("sluicectl", modules(), "io.sluice.sluicectl/io.sluice.sluicectl.SluiceCtl");

    ProcessBuilder builder =
        new ProcessBuilder("bash", script.toString())
            .directory(dir.toFile())
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("log").toFile());
    builder.environment().put("PATH", dir.resolve("bin") + ":" + System.getenv("PATH"));
    builder.environment().put("SLUICE_TREE", dir.resolve("tree").toString());
    Process walk = builder.start();
    boolean ended = walk.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES);
    String told = Files.readString(dir.resolve("log"));
    if (!ended) {
      walk.descendants().forEach(ProcessHandle::destroyForcibly);
      walk.destroyForcibly();
    }

    assertThat(ended).as(told).isTrue();
    assertThat(walk.exitValue()).as(told).isZero();
    assertThat(told)
        .contains("example: ok", "guest \"web-01\" has moved", "GPU stood still")
        .containsPattern("(?m)^once: ok [1-9]");
    assertThat(dir.resolve("walk/report.html")).content().contains("<svg");
  }

  private static boolean has(String program) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
  }

  /** Nothing is built in the tree. */
  private void copyStubs() throws IOException, InterruptedException {
    Path tree = Files.createDirectory(dir.resolve("tree"));
    Process copy =
        new ProcessBuilder(
                "cp", "-r", HOME.resolve("guest-driver-stubs").toString(), tree.toString())
            .start();
    assertThat(copy.waitFor()).isZero();
  }

  /** The daemon's, and sluicectl, which has no others. */
  private static String modules() {
    String control =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> entry.contains("sluicectl"))
            .findFirst()
            .orElseThrow();
    return System.getProperty("jdk.module.path") + File.pathSeparator + control;
  }

  private void program(String name, String modules, String main) throws IOException {
    Path bin = Files.createDirectories(dir.resolve("bin"));
    Path file = bin.resolve(name);
    Files.writeString(
        file,
        """
        #!/bin/sh
        exec '%s/bin/java' -XX:+UseSerialGC --illegal-native-access=deny \\
          --enable-native-access=io.sluice.abi,com.github.luben.zstd_jni,io.netty.common,io.netty.tcnative.classes.openssl \\
          --module-path '%s' --module %s "$@"
        """
            .formatted(System.getProperty("java.home"), modules, main));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}

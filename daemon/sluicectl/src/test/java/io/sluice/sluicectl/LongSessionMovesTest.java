package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sluicectl.Ctl.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions on their way for longer than other answers of the daemon are waited for. */
final class LongSessionMovesTest extends ServedDaemon {
  private static final String ORDINARY_LIMIT = "-Dsun.rmi.transport.tcp.responseTimeout=5000";

  /** Another command, asked for later, is not waited for any more before this one may end. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "session move web-01 7 --to pocl",
        "session checkpoint web-01 7 --file /a/file",
        "session restore web-01 7 --file /a/file"
      })
  void session_onItsWayForLongerThanOtherAnswersMayTake_isWaitedFor(String command)
      throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    sessions.hold(done);
    Process move = start("move", command);
    try {
      sessions.awaitMove();
      Process other = start("other", "session end web-01 7");
      assertThat(other.waitFor()).isEqualTo(ExitCode.UNREACHABLE);
      assertThat(said("other")).contains("[SLU-CTL-005]");

      done.countDown();

      assertThat(move.waitFor()).as(said("move")).isZero();
      assertThat(said("move")).contains("rounds", "MiB").doesNotContain("error");
    } finally {
      done.countDown();
      move.destroy();
    }
  }

  @Test
  void sessionMove_theDaemonGoes_saysWhereToLook() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    sessions.hold(done);
    FutureTask<Run> running =
        new FutureTask<>(() -> ctl.run("session", "move", "web-01", "7", "--to", "pocl"));
    Thread.ofPlatform().start(running);
    try {
      sessions.awaitMove();
      server.close();

      assertThat(running.get().code()).isEqualTo(ExitCode.UNREACHABLE);
      assertThat(running.get().err())
          .contains("broke before session 7 of guest \"web-01\" was there", "[SLU-CTL-005]")
          .contains("it goes on: sluicectl session list web-01 says where it is");
    } finally {
      done.countDown();
    }
  }

  /** A process of its own: RMI reads once how long answers are waited for. */
  private Process start(String name, String command) throws IOException {
    List<String> words = new ArrayList<>();
    Collections.addAll(
        words,
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        ORDINARY_LIMIT,
        "--module-path",
        System.getProperty("jdk.module.path"),
        "--module",
        "io.sluice.sluicectl/io.sluice.sluicectl.SluiceCtl",
        "--socket",
        dir.resolve("control").toString());
    Collections.addAll(words, command.split(" "));
    return new ProcessBuilder(words)
        .redirectErrorStream(true)
        .redirectOutput(dir.resolve(name).toFile())
        .start();
  }

  private String said(String name) throws IOException {
    return Files.readString(dir.resolve(name));
  }
}

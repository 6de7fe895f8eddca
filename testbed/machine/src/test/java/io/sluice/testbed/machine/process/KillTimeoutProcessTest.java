package io.sluice.testbed.machine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.RealKernel;
import io.sluice.management.NotificationTypes;
import io.sluice.management.QuotaStatus;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.support.BusyGuest;
import io.sluice.testbed.machine.support.CPrograms;
import io.sluice.testbed.machine.support.Daemons;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process that is a guest by itself keeps the GPU from others. The program, {@code offend},
 * checks what the process is told, and that nothing happens to it while it is alone.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class KillTimeoutProcessTest {
  private static final String OFFENDER = "offender";
  private static final String OTHER = "other";
  private static final long LIMIT_MS = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<String> heard = new CopyOnWriteArrayList<>();
  private CPrograms programs;
  private DaemonProcess daemon;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    programs = CPrograms.build(directory, "offend");
    daemon =
        DaemonProcess.start(
            Files.createDirectory(directory.resolve("run")), List.of(OFFENDER, OTHER));
    daemon.connection().daemon().setQuota(OFFENDER, null, null, null, null, LIMIT_MS);
    daemon
        .connection()
        .listen(
            news -> {
              if (news.getType().equals(NotificationTypes.CHANNEL_KILLED)) {
                heard.add(news.getMessage());
              }
            },
            () -> {});
  }

  @AfterAll
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  private QuotaStatus quota(String guest) {
    return Objects.requireNonNull(daemon.connection().daemon().getQuotas().get(guest), guest);
  }

  @ParameterizedTest
  @CsvSource({"grid, 1", "acquire, 1", "grid, 4", "acquire, 8"})
  void endlessWork_whileAnotherProcessWorks_isKilledAndNothingElse(String what, int channels)
      throws Exception {
    Daemons.awaitGone(daemon, OFFENDER);
    Daemons.awaitGone(daemon, OTHER);
    QuotaStatus before = quota(OFFENDER);
    heard.clear();
    try (BusyGuest other = new BusyGuest(RealKernel.create(), daemon.socket(OTHER));
        CPrograms.Running offender =
            programs.start(
                daemon.socket(OFFENDER),
                "offend",
                "--channels",
                Integer.toString(channels),
                what,
                Long.toString(LIMIT_MS))) {
      assertThat(offender.await("offend: ")).as(offender.said()).isEqualTo("alone ok");
      assertThat(quota(OFFENDER).kills()).isEqualTo(before.kills());
      other.work();
      assertThat(offender.end()).as(offender.said()).isZero();
      assertThat(other.finish()).isEmpty();
      assertThat(quota(OFFENDER).kills()).isEqualTo(before.kills() + channels);
      await().atMost(PATIENCE).until(() -> heard.size() == channels);
      assertThat(heard)
          .allMatch(line ->
              line.matches("offender: channel \\d+, its command lasted \\d+ ms of " + LIMIT_MS));
      assertThat(quota(OTHER).kills()).isZero();
      await().atMost(PATIENCE).until(() -> quota(OTHER).gpuNs() > 0);
    }
  }
}

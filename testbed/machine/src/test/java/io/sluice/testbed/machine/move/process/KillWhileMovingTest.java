package io.sluice.testbed.machine.move.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.RealKernel;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.QuotaStatus;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.support.BusyGuest;
import io.sluice.testbed.machine.support.CPrograms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that keeps the GPU from others is to change its daemon. The program, {@code offend},
 * goes on looking at its memory by another channel all the time.
 */
final class KillWhileMovingTest {
  private static final String OFFENDER = "offender";
  private static final String OTHER = "other";
  private static final long LIMIT_MS = 200;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private DaemonProcess first;
  private DaemonProcess second;
  private CPrograms programs;

  @BeforeEach
  void start(@TempDir Path directory) throws Exception {
    programs = CPrograms.build(directory, "offend");
    first = daemon(directory.resolve("a"));
    second = daemon(directory.resolve("b"));
  }

  private static DaemonProcess daemon(Path directory) throws Exception {
    DaemonProcess daemon =
        DaemonProcess.start(Files.createDirectory(directory), List.of(OFFENDER, OTHER));
    daemon.connection().daemon().setQuota(OFFENDER, null, null, null, null, LIMIT_MS);
    return daemon;
  }

  @AfterEach
  void stop() throws Exception {
    if (first != null) {
      first.close();
    }
    if (second != null) {
      second.close();
    }
  }

  private static QuotaStatus quota(DaemonProcess daemon, String guest) {
    return Objects.requireNonNull(daemon.connection().daemon().getQuotas().get(guest));
  }

  private MigrationStatusView migrate(Map<String, String> options) throws Exception {
    String to = "unix:" + second.connection().migrations().getSocketPath();
    first.connection().migrations().start(OFFENDER, to, options);
    await().atMost(PATIENCE).until(() -> status().over());
    return status();
  }

  private MigrationStatusView status() {
    return Objects.requireNonNull(first.connection().migrations().getMigrations().get(OFFENDER));
  }

  private CPrograms.Running offend(String what) throws Exception {
    CPrograms.Running offender =
        programs.start(first.socket(OFFENDER), "offend", what, Long.toString(LIMIT_MS));
    assertThat(offender.await("offend: ")).as(offender.said()).isEqualTo("alone ok");
    return offender;
  }

  /** While it is alone it moves with its wait; where others have work it is killed. */
  @Test
  void endlessAcquire_movesAndIsKilledAtTheDestination() throws Exception {
    try (CPrograms.Running offender = offend("acquire");
        BusyGuest other = new BusyGuest(RealKernel.create(), second.socket(OTHER))) {
      MigrationStatusView view = migrate(Map.of());
      assertThat(view.phase()).as(view.reason()).isEqualTo("done");
      assertThat(quota(first, OFFENDER).kills() + quota(second, OFFENDER).kills()).isZero();

      other.work();

      assertThat(offender.end()).as(offender.said()).isZero();
      assertThat(other.finish()).isEmpty();
      assertThat(quota(first, OFFENDER).kills()).isZero();
      assertThat(quota(second, OFFENDER).kills()).isEqualTo(1);
    }
  }

  /** A grid moves when it has ended: this one keeps its guest here, and is killed here. */
  @Test
  void endlessGrid_doesNotMoveAndIsKilledWhereItIs() throws Exception {
    try (CPrograms.Running offender = offend("grid");
        BusyGuest other = new BusyGuest(RealKernel.create(), first.socket(OTHER))) {
      MigrationStatusView view = migrate(Map.of("drain-timeout", "500ms"));
      assertThat(view.phase()).isEqualTo("aborted");
      assertThat(view.reason()).contains("channel").contains("does not end");
      assertThat(quota(first, OFFENDER).kills()).isZero();
      assertThat(quota(second, OFFENDER).usesGpu()).isFalse();

      other.work();

      assertThat(offender.end()).as(offender.said()).isZero();
      assertThat(other.finish()).isEmpty();
      assertThat(quota(first, OFFENDER).kills()).isEqualTo(1);
    }
  }

  /** Others wait at the source while it is drained: then it moves without what is dead. */
  @Test
  void endlessGrid_killedWhileItIsDrained_theRestMoves() throws Exception {
    try (CPrograms.Running offender = offend("grid");
        BusyGuest other = new BusyGuest(RealKernel.create(), first.socket(OTHER))) {
      first
          .connection()
          .migrations()
          .start(
              OFFENDER,
              "unix:" + second.connection().migrations().getSocketPath(),
              Map.of("drain-timeout", "60s"));
      other.work();
      await().atMost(PATIENCE).until(() -> status().over());
      assertThat(status().phase()).as(status().reason()).isEqualTo("done");
      assertThat(offender.end()).as(offender.said()).isZero();
      assertThat(other.finish()).isEmpty();
      assertThat(quota(first, OFFENDER).kills()).isEqualTo(1);
    }
  }
}

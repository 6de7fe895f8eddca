package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.management.ErrorCode;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.QuotaStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Quotas, eviction and the watchdog, while a process that never stops changes its daemon. */
final class SharingMigrationTest {
  private static final long MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String MOVED = "moved";
  private static final String OTHER = "other";

  private final Kernel kernel = RealKernel.create();
  @TempDir private Path dir;
  private SluicedInstance first;
  private SluicedInstance second;

  @BeforeEach
  void start() throws Exception {
    first = daemon("a");
    second = daemon("b");
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
  }

  private SluicedInstance daemon(String name) throws Exception {
    Path file =
        Files.writeString(
            dir.resolve(name + ".toml"),
            """
            [daemon]
            run-dir = "%s"
            state-dir = "%s"
            [gpu.embedded]
            vram = "64MiB"
            [[guest]]
            name = "moved"
            kill-timeout = "60ms"
            [[guest]]
            name = "other"
            """
                .formatted(dir.resolve(name), dir.resolve(name + "-state")));
    return SluicedInstance.start(new ConfigLoader(Map.of(), Map.of()).load(file));
  }

  private static QuotaStatus quota(SluicedInstance daemon, String guest) {
    return Objects.requireNonNull(daemon.daemon().getQuotas().get(guest));
  }

  private static void limit(SluicedInstance daemon, String guest, long mib) throws Exception {
    daemon.daemon().setQuota(guest, null, null, mib * MIB, null, null);
  }

  private static MigrationStatusView migrate(SluicedInstance from, SluicedInstance to)
      throws Exception {
    from.migrations().start(MOVED, "unix:" + to.migrations().getSocketPath(), Map.of());
    await().atMost(PATIENCE).until(() -> status(from).over());
    return status(from);
  }

  private static void migrateForGood(SluicedInstance from, SluicedInstance to) throws Exception {
    MigrationStatusView view = migrate(from, to);
    assertThat(view.phase()).as(view.reason()).isEqualTo("done");
    assertThat(from.guest(MOVED).getMemoryUsedBytes()).isZero();
    assertThat(quota(from, MOVED).evictedBytes()).isZero();
  }

  private static MigrationStatusView status(SluicedInstance daemon) {
    return Objects.requireNonNull(daemon.migrations().getMigrations().get(MOVED));
  }

  /** What it holds and what is evicted of it stays what it is when the destination has no more. */
  @Test
  void start_evictedGuest_isEvictedThereAndReturnsWhenThereIsRoom() throws Exception {
    try (WorkingGuest moved = new WorkingGuest(kernel, first.guestSocket(MOVED))) {
      moved.hold(16, 4, 8);
      limit(first, MOVED, 18);
      limit(second, MOVED, 18);
      await().atMost(PATIENCE).until(() -> quota(first, MOVED).evictedBytes() >= 16 * MIB);
      QuotaStatus before = quota(first, MOVED);
      moved.verify();

      migrateForGood(first, second);

      QuotaStatus after = quota(second, MOVED);
      assertThat(after.heldBytes()).isEqualTo(before.heldBytes());
      assertThat(after.evictedBytes()).isEqualTo(before.evictedBytes());
      assertThat(after.evictions()).as("nothing had to be evicted again").isZero();
      assertThat(after.shareBytes()).isEqualTo(18 * MIB);
      moved.verify();
      limit(second, MOVED, 64);
      await().atMost(PATIENCE).until(() -> quota(second, MOVED).evictedBytes() == 0);
      moved.awaitMore(100);
      moved.finish();
    }
  }

  @Test
  void start_ontoACardFullOfAnother_bothHaveTheirSharesAndTheirBytes() throws Exception {
    try (WorkingGuest moved = new WorkingGuest(kernel, first.guestSocket(MOVED));
        WorkingGuest other = new WorkingGuest(kernel, second.guestSocket(OTHER))) {
      moved.hold(16, 16, 8);
      other.hold(8, 8, 8, 8, 8, 8, 8);
      assertThat(quota(second, OTHER).heldBytes()).isGreaterThan(56 * MIB);

      migrateForGood(first, second);

      QuotaStatus held = quota(second, MOVED);
      assertThat(held.heldBytes()).isBetween(16 * MIB, 32 * MIB);
      assertThat(held.heldBytes() + held.evictedBytes()).isGreaterThan(40 * MIB);
      assertThat(quota(second, OTHER).heldBytes()).isLessThanOrEqualTo(32 * MIB);
      moved.verify();
      other.verify();
      moved.awaitMore(100);
      moved.finish();
      other.finish();
    }
  }

  @Test
  void start_limitTooSmallAtTheDestination_isRefusedBeforeAnythingIsTouched() throws Exception {
    try (WorkingGuest moved = new WorkingGuest(kernel, first.guestSocket(MOVED));
        WorkingGuest other = new WorkingGuest(kernel, second.guestSocket(OTHER))) {
      moved.hold(16, 8);
      other.hold(32, 16, 8);
      limit(second, MOVED, 20);
      QuotaStatus before = quota(first, MOVED);

      MigrationStatusView view = migrate(first, second);

      assertThat(view.phase()).isEqualTo("aborted");
      assertThat(view.reason()).contains("more video memory than it may have here");
      assertThat(view.reason()).contains("limit=" + 20 * MIB);
      assertThat(view.remedy()).contains("Raise the guest's limit");
      assertThat(quota(first, MOVED).heldBytes()).isEqualTo(before.heldBytes());
      assertThat(quota(second, MOVED).usesGpu()).isFalse();
      assertThat(quota(second, OTHER).evictions()).isZero();
      moved.awaitMore(100);
      moved.finish();
      other.finish();
    }
  }

  /** Shares go up and down at both ends all the time, by another guest's minimum. */
  @Test
  void start_whileBuffersAreEvictedAndReturn_nothingIsLost() throws Exception {
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    AtomicBoolean over = new AtomicBoolean();
    try (WorkingGuest here = new WorkingGuest(kernel, first.guestSocket(OTHER));
        WorkingGuest there = new WorkingGuest(kernel, second.guestSocket(OTHER));
        WorkingGuest moved = new WorkingGuest(kernel, first.guestSocket(MOVED))) {
      moved.hold(8, 4, 2, 8, 1, 4);
      Thread operator = new Thread(() -> changeShares(over, failure));
      operator.start();
      for (int i = 0; i < 8; i++) {
        moved.awaitMore(100);
        if (i % 2 == 0) {
          migrateForGood(first, second);
        } else {
          migrateForGood(second, first);
        }
        moved.verify();
      }
      over.set(true);
      operator.join();
      assertThat(failure.get()).isNull();
      assertThat(quota(first, MOVED).evictions()).isPositive();
      assertThat(quota(first, MOVED).returns()).isPositive();
      for (WorkingGuest each : List.of(moved, here, there)) {
        each.finish();
      }
    }
  }

  private void changeShares(AtomicBoolean over, AtomicReference<@Nullable Throwable> failure) {
    try {
      for (long mib = 48; !over.get(); mib = 48 - mib) {
        for (SluicedInstance daemon : List.of(first, second)) {
          long bytes = mib * MIB;
          await()
              .atMost(PATIENCE)
              .pollDelay(Duration.ZERO)
              .until(() -> over.get() || changed(daemon, bytes));
        }
      }
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  /** Whether it is taken: twenty changes are in a second. */
  private static boolean changed(SluicedInstance daemon, long minimumBytes)
      throws OperationsException {
    try {
      daemon.daemon().setQuota(OTHER, minimumBytes, null, null, null, null);
      return true;
    } catch (OperationsException e) {
      if (!String.valueOf(e.getMessage()).contains(ErrorCode.QUOTA_RATE.code())) {
        throw e;
      }
      return false;
    }
  }

  /**
   * An acquire that never ends, and guests at both ends that have work: wherever it is when its
   * time is over, it is killed once, the process is told, and its other work is not touched.
   */
  @Test
  void start_whileAChannelIsToBeKilled_itIsKilledOnceAndTheRestMoves() throws Exception {
    try (WorkingGuest here = new WorkingGuest(kernel, first.guestSocket(OTHER), true);
        WorkingGuest there = new WorkingGuest(kernel, second.guestSocket(OTHER), true);
        WorkingGuest moved = new WorkingGuest(kernel, first.guestSocket(MOVED))) {
      SluicedInstance from = first;
      for (int trip = 0; trip < 6; trip++) {
        SluicedInstance to = from == first ? second : first;
        long before = kills();
        try (Buffer never = moved.device.allocateProcess(4096);
            ClientChannel stuck = moved.space.newChannel()) {
          GpuVa awaited = moved.space.map(never);
          stuck.submit(new Pushbuffer().acquire(awaited, 1));
          Thread.sleep(15L * trip); // sooner and later than its time-out

          migrateForGood(from, to);

          await().atMost(PATIENCE).until(() -> stuck.error() != 0);
          assertThat(stuck.error()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
          assertThat(kills()).isEqualTo(before + 1);
          moved.space.unmap(awaited);
        }
        moved.awaitMore(100);
        from = to;
      }
      for (WorkingGuest each : List.of(moved, here, there)) {
        each.finish();
      }
      assertThat(quota(first, OTHER).kills() + quota(second, OTHER).kills()).isZero();
    }
  }

  private long kills() {
    return quota(first, MOVED).kills() + quota(second, MOVED).kills();
  }

  /** A process dies while its buffers move, or while it moves itself. */
  @Test
  void death_whileBuffersMoveOrTheGuestDoes_leavesTheOthersRight() throws Exception {
    try (WorkingGuest other = new WorkingGuest(kernel, first.guestSocket(OTHER))) {
      other.hold(16, 8);
      for (int i = 0; i < 12; i++) {
        AttachedDevice dies = AttachedDevice.attach(kernel, first.guestSocket(MOVED));
        for (int k = 0; k < 16; k++) {
          dies.allocateVideo(2 * MIB);
        }
        Thread death = new Thread(dies::close);
        limit(first, MOVED, 4); // moves begin now
        if (i % 3 == 0) {
          first.migrations().start(MOVED, "unix:" + second.migrations().getSocketPath(), Map.of());
        }
        death.start();
        limit(first, MOVED, 64);
        death.join();
        await().atMost(PATIENCE).until(() -> first.guest(MOVED).getState().equals("waiting"));
        await().atMost(PATIENCE).until(() -> hasNothing(first) && hasNothing(second));
        await().atMost(PATIENCE).until(() -> quota(first, OTHER).evictedBytes() == 0);
      }
      other.finish();
    }
  }

  private static boolean hasNothing(SluicedInstance daemon) {
    MigrationStatusView view = daemon.migrations().getMigrations().get(MOVED);
    return (view == null || view.over())
        && daemon.guest(MOVED).getMemoryUsedBytes() == 0
        && quota(daemon, MOVED).heldBytes() == 0
        && quota(daemon, MOVED).evictedBytes() == 0;
  }
}

package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.FieldWriter;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.management.MigrationStatusView;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.memory.Lanes;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A guest that would come when something fails that nobody foresaw. */
final class IncomingMigrationTest {
  private static final long LONG_NS = 3_600_000_000_000L;

  @TempDir private Path dir;
  private final AtomicLong nowNs = new AtomicLong(1);
  private final PeerScript link = new PeerScript();

  private IncomingMigration migration() throws Exception {
    return new IncomingMigration(
        new IncomingMigration.Surroundings(
            RealKernel.create(),
            NoGuests.of(dir, nowNs::get),
            new CommitLedger(dir),
            () -> nowNs.getAndAdd(1_000_000_000), // its peer is not waited for
            _ -> {},
            _ -> {}),
        link,
        new IncomingMigration.ReceiverFactory() {
          @Override
          public Optional<Reason> unready(GuestHost host) {
            return Optional.empty();
          }

          @Override
          public IncomingMigration.Receiver at(GuestHost host) {
            throw new AssertionError("nobody comes");
          }
        },
        Lanes.one());
  }

  @Test
  void run_error_isDiscardedAndTheSourceIsToldWhy() throws Exception {
    link.next = new InternalError("by the test");
    IncomingMigration migration = migration();
    migration.run();
    MigrationStatusView view = migration.view();
    assertThat(view.phase()).isEqualTo("discarded");
    assertThat(view.reason()).contains("nobody foresaw", "by the test");
    assertThat(link.told).containsExactly(FrameType.ABORT);
    assertThat(link.failure()).isPresent();
  }

  /** "No" would be for ever: the source would let run what may run here. */
  @Test
  void run_inquiryWhoseRecordCannotBeLookedAt_isNotAnswered() throws Exception {
    UUID id = new UUID(3, 4);
    Path record = Files.createDirectory(dir.resolve("migrations")).resolve(id.toString());
    Files.createSymbolicLink(record, record);
    byte[] asked = new FieldWriter().u64(3).u64(4).toBytes();
    link.says(Frame.of(FrameType.INQUIRE, ByteBuffer.wrap(asked)));
    migration().run();
    assertThat(link.told).containsExactly(FrameType.ABORT);
  }

  @Test
  void view_afterTheEnd_lastsNoLonger() throws Exception {
    IncomingMigration migration = migration();
    link.close();
    migration.run();
    long lasted = migration.view().elapsedNs();
    nowNs.addAndGet(LONG_NS);
    assertThat(migration.view().over()).isTrue();
    assertThat(migration.view().elapsedNs()).isEqualTo(lasted);
  }
}

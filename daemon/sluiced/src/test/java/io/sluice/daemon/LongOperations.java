package io.sluice.daemon;

import static org.awaitility.Awaitility.await;

import io.sluice.management.ErrorCode;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.management.Problem;
import java.time.Duration;
import javax.management.OperationsException;

/** Checkpoints and restores of which a test needs the end. */
final class LongOperations {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private LongOperations() {}

  static void checkpoint(MigrationsMXBean migrations, String guest, String file, boolean live)
      throws OperationsException {
    MigrationStatusView _ = end(migrations, migrations.checkpoint(guest, file, live));
  }

  static void restore(MigrationsMXBean migrations, String guest, String file)
      throws OperationsException {
    MigrationStatusView _ = end(migrations, migrations.restore(guest, file));
  }

  /**
   * Waits for it.
   *
   * @throws OperationsException when it has come to nothing
   */
  static MigrationStatusView end(MigrationsMXBean migrations, String id)
      throws OperationsException {
    await().atMost(PATIENCE).until(() -> migrations.status(id).over());
    MigrationStatusView view = migrations.status(id);
    if (view.phase().equals(MigrationStatusView.FAILED)) {
      throw Problem.of(ErrorCode.CHECKPOINT_FAILED, view.kind(), view.reason(), view.remedy())
          .exception();
    }
    return view;
  }
}

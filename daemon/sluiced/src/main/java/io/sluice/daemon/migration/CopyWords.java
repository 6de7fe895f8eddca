package io.sluice.daemon.migration;

import io.sluice.management.MigrationStatusView;
import io.sluice.migrate.checkpoint.CheckpointWriter;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.phase.Phase;
import java.util.Optional;

/**
 * The words for a copy into a file. The engine gives it up once all is in the file, so that the
 * guest goes on; to an operator that is no failure.
 *
 * @param file it is written to
 */
record CopyWords(CheckpointWriter file) {
  private static final String FINISHING = "finishing";
  private static final Reason UNFINISHED = new Reason("", "it was not finished", "");

  /** Where it stands. */
  String phase(Phase engine, boolean over) {
    if (over) {
      return file.isComplete() ? MigrationStatusView.DONE : MigrationStatusView.FAILED;
    }
    return engine == Phase.ABORTING || engine == Phase.ABORTED ? FINISHING : engine.label();
  }

  /**
   * Why it has come to nothing; empty words when it has not.
   *
   * @param engine why the engine gave it up
   */
  Reason reason(Optional<Reason> engine, boolean over) {
    if (!over || file.isComplete()) {
      return new Reason("", "", "");
    }
    return file.failure().map(Reason::of).or(() -> engine).orElse(UNFINISHED);
  }
}

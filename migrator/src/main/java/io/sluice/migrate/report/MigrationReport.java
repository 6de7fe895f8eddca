package io.sluice.migrate.report;

import io.sluice.migrate.engine.MigrationStatus;

/**
 * The report of a migration, which it watches: as text, as JSON, or as a page of HTML that needs
 * nothing else. It is there also when the migration failed, and while it goes on.
 */
public final class MigrationReport {
  private final MoveHistory history;

  /**
   * @param startNs of the clock that statuses are stamped with
   * @param context what is known beside them
   */
  public MigrationReport(long startNs, MoveContext context) {
    history = new MoveHistory(startNs, context);
  }

  /** Takes note of how things stand. */
  public void observe(MigrationStatus status) {
    history.observe(status);
  }

  /**
   * How long the guest's GPU has stood still: from the end of what was submitted to its going on.
   */
  public long gpuPausedNs() {
    return history.gpuPausedNs();
  }

  /** How long the machine has stood still; 0 of a process, which does not. */
  public long machinePausedNs() {
    return history.machinePausedNs();
  }

  /** For people. */
  public String text() {
    return ReportText.of(history);
  }

  /** For programs; {@code schemaVersion} changes when a field changes its meaning. */
  public String json() {
    return ReportJson.of(history);
  }

  /** For people with a browser: one file, with plots. */
  public String html() {
    return ReportHtml.of(history);
  }
}

package io.sluice.migrate.qmp;

/**
 * The answer to {@code query-migrate}, in QEMU's own terms.
 *
 * @param status such as {@code active}, {@code pre-switchover}, {@code completed}
 * @param ramTransferredBytes sent so far
 * @param ramRemainingBytes left to send
 * @param ramTotalBytes of the machine
 * @param ramPasses how often QEMU has looked which of it was written; the first time when it began
 * @param dirtyPagesPerSecond pages the guest dirties
 * @param expectedDowntimeMs QEMU's own estimate
 * @param downtimeMs of a migration that has ended
 * @param error why it failed; empty when it did not
 */
public record MigrationProgress(
    String status,
    long ramTransferredBytes,
    long ramRemainingBytes,
    long ramTotalBytes,
    long ramPasses,
    long dirtyPagesPerSecond,
    long expectedDowntimeMs,
    long downtimeMs,
    String error) {
  /** Nothing was migrated yet. */
  public static final String NONE = "none";

  static MigrationProgress of(JsonObject answer) {
    JsonObject ram = answer.object("ram").orElse(JsonObject.EMPTY);
    return new MigrationProgress(
        answer.text("status").orElse(NONE),
        ram.number("transferred").orElse(0),
        ram.number("remaining").orElse(0),
        ram.number("total").orElse(0),
        ram.number("dirty-sync-count").orElse(0),
        ram.number("dirty-pages-rate").orElse(0),
        answer.number("expected-downtime").orElse(0),
        answer.number("downtime").orElse(0),
        answer.text("error-desc").orElse(""));
  }
}

package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written down of guests that have come, and when. */
final class CommitLedgerTest {
  private static final UUID ID = new UUID(3, 4);

  @TempDir private Path state;
  private Path record = Path.of("");
  private Path staged = Path.of("");

  @BeforeEach
  void name() {
    record = state.resolve("migrations").resolve(ID.toString());
    staged = record.resolveSibling(ID + ".new");
  }

  private CommitLedger ledger() {
    return new CommitLedger(state);
  }

  @Test
  void prepare_alone_isNoRecord() {
    CommitLedger ledger = ledger();
    ledger.prepare(ID, "web");
    assertThat(staged).exists();
    assertThat(ledger.isCommitted(ID)).isFalse();
    assertThat(ledger().isCommitted(ID)).as("to a daemon that starts anew").isFalse();
    assertThat(ledger.notBegun("web")).isEmpty();
  }

  @Test
  void commit_prepared_isKnownToTheNextDaemon() {
    CommitLedger ledger = ledger();
    ledger.prepare(ID, "web");
    ledger.commit(ID, "web");
    assertThat(staged).doesNotExist();
    assertThat(ledger().isCommitted(ID)).isTrue();
    assertThat(ledger().notBegun("web")).containsExactly(ID);
  }

  @Test
  void commit_notPrepared_isKnownToTheNextDaemon() {
    ledger().commit(ID, "web");
    assertThat(ledger().notBegun("web")).containsExactly(ID);
  }

  /** Whoever cleans the disk meanwhile. */
  @Test
  void commit_whatWasPreparedIsGone_isWrittenAllTheSame() throws IOException {
    CommitLedger ledger = ledger();
    ledger.prepare(ID, "web");
    Files.delete(staged);
    ledger.commit(ID, "web");
    assertThat(ledger().notBegun("web")).containsExactly(ID);
  }

  /** A disk that fails may show what it refused to take. */
  @Test
  void isCommitted_recordAppearsThatWasSaidNotToBeWritten_isNot() throws IOException {
    CommitLedger ledger = ledger();
    Files.writeString(staged.getParent(), "not a directory");
    assertThatThrownBy(() -> ledger.commit(ID, "web")).isInstanceOf(RefusedException.class);
    Files.delete(staged.getParent());
    Files.createDirectory(staged.getParent());
    Files.writeString(record, "web\n");
    assertThat(ledger.isCommitted(ID)).isFalse();
  }

  @Test
  void prepare_cannotBeWritten_saysSoWhileTheGuestStillRuns() throws IOException {
    Files.writeString(state.resolve("migrations"), "not a directory");
    CommitLedger ledger = ledger();
    assertThatThrownBy(() -> ledger.prepare(ID, "web"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-MIG-058");
    ledger.forget(ID);
    Files.delete(state.resolve("migrations"));
    assertThat(ledger.isCommitted(ID)).isFalse();
  }

  /** To its source "no" would mean that the guest is its own. */
  @Test
  void isCommitted_recordCannotBeLookedAt_isNoAnswer() throws IOException {
    CommitLedger ledger = ledger();
    Files.createDirectory(record.getParent());
    Files.createSymbolicLink(record, record); // ELOOP, also for root
    assertThatThrownBy(() -> ledger.isCommitted(ID))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-MIG-069");
  }

  /** The host may have lost its power before it was noted that the guest ran. */
  @Test
  void prepare_cameEarlier_thatIsOver() {
    UUID earlier = new UUID(5, 6);
    UUID others = new UUID(7, 8);
    ledger().commit(earlier, "web");
    ledger().commit(others, "db");
    ledger().prepare(ID, "web");
    assertThat(ledger().notBegun("web")).isEmpty();
    assertThat(ledger().notBegun("db")).containsExactly(others);
    assertThat(ledger().isCommitted(earlier)).as("for ever").isTrue();
  }

  @Test
  void prepare_cannotNoteThatWhatCameEarlierIsOver_saysSoWhileTheGuestStillRuns()
      throws IOException {
    UUID earlier = new UUID(5, 6);
    ledger().commit(earlier, "web");
    Files.createDirectories(record.resolveSibling(earlier + ".runs.new/full"));
    assertThatThrownBy(() -> ledger().prepare(ID, "web"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-MIG-058");
    assertThat(staged).doesNotExist();
  }

  @Test
  void begun_committed_isKnownToTheNextDaemon() {
    ledger().commit(ID, "web");
    ledger().begun(ID);
    assertThat(ledger().notBegun("web")).isEmpty();
    ledger().forgetFormer();
    assertThat(ledger().notBegun("web")).isEmpty();
  }

  @Test
  void forget_prepared_leavesNothing() {
    CommitLedger ledger = ledger();
    ledger.prepare(ID, "web");
    ledger.forget(ID);
    assertThat(staged).doesNotExist();
    assertThat(ledger.isCommitted(ID)).isFalse();
  }

  @Test
  void forgetFormer_daemonWasKilled_whatItPreparedIsGoneAndWhatItCommittedIsNot() {
    UUID other = new UUID(5, 6);
    CommitLedger killed = ledger();
    killed.prepare(ID, "web");
    killed.commit(other, "web");
    CommitLedger ledger = ledger();
    ledger.forgetFormer();
    assertThat(staged).doesNotExist();
    assertThat(ledger.isCommitted(ID)).isFalse();
    assertThat(ledger.isCommitted(other)).isTrue();
  }

  @Test
  void forgetFormer_noDaemonBefore_isNothing() {
    ledger().forgetFormer();
    assertThat(state).isEmptyDirectory();
  }

  @Test
  void forget_committed_staysKnown() {
    CommitLedger ledger = ledger();
    ledger.prepare(ID, "web");
    ledger.commit(ID, "web");
    ledger.forget(ID);
    assertThat(ledger.isCommitted(ID)).isTrue();
  }

  @Test
  void commit_cannotBeWritten_saysSoAndIsNot() throws IOException {
    CommitLedger ledger = ledger();
    ledger.prepare(ID, "web");
    Files.delete(staged);
    Files.delete(staged.getParent());
    Files.writeString(staged.getParent(), "not a directory");
    assertThatThrownBy(() -> ledger.commit(ID, "web"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-MIG-058");
    assertThat(ledger.isCommitted(ID)).isFalse();
  }
}

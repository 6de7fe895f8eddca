package io.sluice.testbed.machine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.DaemonMXBean;
import io.sluice.management.QuotaStatus;
import io.sluice.testbed.machine.support.MachineShell;
import io.sluice.testbed.machine.support.Machines;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Quotas that change under the programs of a real machine. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SharingGuestTest {
  private static final String GUEST = "guest";
  private static final long MIB = 1 << 20;
  private static final int CHANGES = 40;

  /** The pace of the changes: twenty are taken in a second, whether or not the moves keep up. */
  private static final Duration BETWEEN = Duration.ofMillis(60);

  private Machines machines;
  private MachineShell shell;
  private DaemonMXBean daemon;
  private long cardBytes;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    machines = Machines.start(directory, List.of(GUEST));
    daemon = machines.daemon().connection().daemon();
    cardBytes = Objects.requireNonNull(daemon.getGpus().get("embedded")).vramBytes();
    shell = MachineShell.boot(machines, GUEST);
  }

  @AfterAll
  void stop() throws Exception {
    if (shell != null) {
      shell.close();
    }
    if (machines != null) {
      machines.close();
    }
  }

  private QuotaStatus quota() {
    return Objects.requireNonNull(daemon.getQuotas().get(GUEST));
  }

  private void set(long limitBytes, String beyondShare) throws Exception {
    daemon.setQuota(GUEST, null, null, limitBytes, beyondShare, null);
  }

  /** The program finds every word where it was to be, submitted once and executed once. */
  @Test
  void once_whileItsBuffersAreEvictedAndReturn_losesNothing() throws Exception {
    shell.start("once 10");
    shell.await("once: ");
    QuotaStatus before = quota();
    for (int i = 0; i < CHANGES; i++) {
      set(i % 2 == 0 ? MIB : cardBytes, "out-of-memory");
      Thread.sleep(BETWEEN);
    }
    assertThat(shell.end()).as(shell.console()).isZero();
    assertThat(quota().evictions()).isGreaterThan(before.evictions());
    assertThat(quota().returns()).isGreaterThan(before.returns());
  }

  @Test
  void allocation_beyondTheLimit_isRefusedOrGetsSystemMemoryByPolicy() throws Exception {
    String copy = "copytest " + 8 * MIB;
    set(4 * MIB, "out-of-memory");
    long refusals = quota().refusals();
    assertThat(shell.run(copy)).as(shell.console()).isNotZero();
    assertThat(shell.console()).contains("Cannot allocate memory");
    assertThat(quota().refusals()).isGreaterThan(refusals);

    set(4 * MIB, "system-memory");
    assertThat(shell.run(copy)).as(shell.console()).isZero();

    set(cardBytes, "out-of-memory");
    assertThat(shell.run(copy)).as(shell.console()).isZero();
  }
}

package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.management.MigrationBlocker;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A process that never stops submitting, while its daemon changes under it. */
final class ProcessMigrationTest {
  private static final int COPIES_AN_ENTRY = 1000;
  private static final int ENTRIES = 10;
  private static final String GUEST = "moved";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Kernel kernel = RealKernel.create();
  @TempDir private Path dir;
  private SluicedInstance first;
  private SluicedInstance second;

  @BeforeEach
  void start() throws Exception {
    first = TestDaemons.start(dir, "a", "64MiB", GUEST, "clone");
    second = TestDaemons.start(dir, "b", "64MiB", GUEST, "clone");
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
  }

  private static MigrationStatusView migrate(SluicedInstance from, SluicedInstance to)
      throws OperationsException {
    MigrationsMXBean bean = from.migrations();
    bean.start(GUEST, "unix:" + to.migrations().getSocketPath(), Map.of());
    await().atMost(PATIENCE).until(() -> status(from).over());
    return status(from);
  }

  private static MigrationStatusView status(SluicedInstance daemon) {
    return Objects.requireNonNull(daemon.migrations().getMigrations().get(GUEST));
  }

  @Test
  void start_processThatSubmits_goesToAndFroAndNothingIsLostOrRunTwice() throws Exception {
    try (EndlessWork work = new EndlessWork(kernel, first.guestSocket(GUEST))) {
      for (int i = 0; i < 6; i++) {
        work.awaitMore(300);
        SluicedInstance from = i % 2 == 0 ? first : second;
        SluicedInstance to = i % 2 == 0 ? second : first;
        MigrationStatusView view = migrate(from, to);
        assertThat(view.phase()).as(view.reason()).isEqualTo("done");
        assertThat(to.guest(GUEST).getState()).isEqualTo("running");
        assertThat(from.guest(GUEST).getState()).isEqualTo("waiting");
        assertThat(from.guest(GUEST).getMemoryUsedBytes()).isZero();
      }
      work.awaitMore(300);
      work.finish();
      MigrationsMXBean migrations = first.migrations();
      assertThat(migrations.report(GUEST, "text"))
          .contains("guest \"moved\" has moved", "commit", "GPU stood still")
          .doesNotContain("machine stood still"); // it is a process
      assertThat(migrations.report(GUEST, "json"))
          .startsWith("{\"schemaVersion\":1,")
          .contains("\"machinePausedNs\":0,")
          .containsPattern("\"gpuPausedNs\":[1-9]");
      Files.writeString(
          Path.of("target", "process-migration.html"), migrations.report(GUEST, "html"));
    }
  }

  /** The destination knows its name from the source. */
  @Test
  void start_process_isNamedInTheLogsOfBothSides() throws Exception {
    Logger phases = (Logger) LoggerFactory.getLogger("io.sluice.migrate.phase.PhaseLog");
    ListAppender<ILoggingEvent> said = new ListAppender<>();
    said.start();
    phases.setLevel(Level.INFO);
    phases.addAppender(said);
    try (EndlessWork work = new EndlessWork(kernel, first.guestSocket(GUEST))) {
      work.awaitMore(50);
      assertThat(migrate(first, second).phase()).isEqualTo("done");
      work.finish();
    } finally {
      phases.detachAppender(said);
      phases.setLevel(null);
    }
    synchronized (said) { // as it appends
      assertThat(said.list)
          .flatExtracting(ILoggingEvent::getKeyValuePairs)
          .filteredOn(pair -> pair.key.equals("guest"))
          .isNotEmpty()
          .extracting(pair -> pair.value)
          .containsOnly(GUEST);
    }
  }

  @Test
  void start_destinationThatIsTaken_isRefusedAndTheProcessGoesOn() throws Exception {
    try (EndlessWork work = new EndlessWork(kernel, first.guestSocket(GUEST));
        AttachedDevice _ = AttachedDevice.attach(kernel, second.guestSocket(GUEST))) {
      work.awaitMore(50);
      MigrationStatusView view = migrate(first, second);
      assertThat(view.phase()).isEqualTo("aborted");
      assertThat(view.reason()).contains("somebody is attached");
      assertThat(view.remedy()).isNotEmpty();
      work.awaitMore(300);
      work.finish();
    }
  }

  @Test
  void start_destinationWithAnotherMemory_isRefusedAndTheProcessGoesOn() throws Exception {
    try (SluicedInstance small = TestDaemons.start(dir, "c", "32MiB", GUEST);
        EndlessWork work = new EndlessWork(kernel, first.guestSocket(GUEST))) {
      work.awaitMore(50);
      MigrationStatusView view = migrate(first, small);
      assertThat(view.phase()).isEqualTo("aborted");
      work.awaitMore(300);
      work.finish();
    }
  }

  @Test
  void check_nobodyThere_saysWhatBlocks() throws Exception {
    assertThat(codes(first, "unix:" + dir.resolve("nothing")))
        .containsExactly("SLU-MIG-040", "SLU-MIG-054");
    assertThatThrownBy(() -> first.migrations().start(GUEST, "host", Map.of()))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-MIG-052");
    assertThatThrownBy(() -> first.migrations().start(GUEST, "unix:x", Map.of("speed", "1")))
        .hasMessageContaining("SLU-MIG-053");
  }

  private static List<String> codes(SluicedInstance from, String to) throws OperationsException {
    return from.migrations().check(GUEST, to, Map.of()).blockers().stream()
        .map(MigrationBlocker::code)
        .toList();
  }

  private static String socketOf(SluicedInstance daemon) {
    return "unix:" + daemon.migrations().getSocketPath();
  }

  @Test
  void check_destinationThatCouldTakeIt_findsNothingAndMakesNothing() throws Exception {
    try (EndlessWork work = new EndlessWork(kernel, first.guestSocket(GUEST))) {
      work.awaitMore(50);
      for (int i = 0; i < 3; i++) {
        assertThat(codes(first, socketOf(second))).isEmpty();
      }
      assertThat(second.guest(GUEST).getState()).isEqualTo("waiting");
      assertThat(second.guest(GUEST).getMemoryUsedBytes()).isZero();
      assertThat(second.migrations().getMigrations()).isEmpty();
      work.awaitMore(300);
      assertThat(migrate(first, second).phase()).isEqualTo("done");
      work.finish();
    }
  }

  @Test
  void check_destinationThatCannotTakeIt_namesAllThatIsAgainstIt() throws Exception {
    try (SluicedInstance small = TestDaemons.start(dir, "c", "32MiB", GUEST, "other");
        SluicedInstance strange = TestDaemons.start(dir, "d", "64MiB", "other");
        AttachedDevice _ = AttachedDevice.attach(kernel, second.guestSocket(GUEST));
        AttachedDevice neighbour = AttachedDevice.attach(kernel, small.guestSocket("other"));
        Buffer _ = neighbour.allocateVideo(30 << 20);
        EndlessWork work = new EndlessWork(kernel, first.guestSocket(GUEST));
        Buffer _ = work.device.allocateVideo(8 << 20)) {
      assertThat(codes(first, socketOf(second))).containsExactly("SLU-MIG-060");
      assertThat(codes(first, socketOf(strange))).containsExactly("SLU-MIG-059");
      assertThat(codes(first, socketOf(small))).contains("SLU-MIG-064");
      assertThat(first.migrations().check(GUEST, socketOf(small), Map.of()).blockers())
          .allMatch(blocker -> !blocker.remedy().isEmpty());
      work.awaitMore(50);
      work.finish();
    }
  }

  // ---- work that does not end ----

  /**
   * Copies the same line over and over, for hours. What is drained is what was fetched: so each
   * entry lasts many times as long as a test waits for a drain, also on a fast machine.
   */
  private static void copyWithoutEnd(ClientChannel channel, GpuVa at) {
    Pushbuffer words = new Pushbuffer().bindEngines();
    for (int i = 0; i < COPIES_AN_ENTRY; i++) {
      words
          .methods(Pushbuffer.PCOPY0, 0x30c, 0, (int) at.value(), 0, (int) at.value() + 0x8000)
          .methods(Pushbuffer.PCOPY0, 0x31c, 0, 0, 0x8000, 0x1fff)
          .methods(Pushbuffer.PCOPY0, 0x300, 0x110);
    }
    for (int i = 0; i < ENTRIES; i++) {
      channel.submit(words);
    }
    await().atMost(PATIENCE).until(() -> channel.get() > 0);
  }

  @Test
  void start_workThatDoesNotEnd_isGivenUpAndTheWorkGoesOn() throws Exception {
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Space space = device.newSpace();
        Buffer data = device.allocateVideo(1 << 20);
        ClientChannel busy = space.newChannel()) {
      copyWithoutEnd(busy, space.map(data));
      first
          .migrations()
          .start(
              GUEST,
              "unix:" + second.migrations().getSocketPath(),
              Map.of("drain-timeout", "200ms", "on-timeout", "abort"));
      await().atMost(PATIENCE).until(() -> status(first).over());
      assertThat(status(first).phase()).isEqualTo("aborted");
      assertThat(status(first).reason()).contains("does not end, cid=" + busy.id());
      assertThat(busy.error()).isZero();
      assertThat(device.ping(1)).isEqualTo(1);
    }
  }

  /** Whoever has an old id does not give up what another operator began since. */
  @Test
  void abort_byTheIdOfAnother_leavesTheOneThatRuns() throws Exception {
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Space space = device.newSpace();
        Buffer data = device.allocateVideo(1 << 20);
        ClientChannel busy = space.newChannel()) {
      copyWithoutEnd(busy, space.map(data));
      String id =
          first.migrations().start(GUEST, "unix:" + second.migrations().getSocketPath(), Map.of());

      assertThatThrownBy(
              () -> first.migrations().abort(GUEST, "11111111-2222-3333-4444-555555555555"))
          .hasMessageContaining("SLU-MIG-055")
          .hasMessageContaining("another one is under way: " + id);
      assertThat(status(first).over()).isFalse();
      first.migrations().abort(GUEST, id);

      await().atMost(PATIENCE).until(() -> status(first).over());
      assertThat(status(first).phase()).isEqualTo("aborted");
    }
  }

  @Test
  void start_workThatDoesNotEnd_forced_endsThatChannelAndMovesTheOthers() throws Exception {
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Space space = device.newSpace();
        Buffer data = device.allocateVideo(1 << 20);
        ClientChannel busy = space.newChannel();
        ClientChannel waiting = space.newChannel()) {
      GpuVa va = space.map(data);
      GpuVa word = new GpuVa(va.value() + (1 << 20) - 4096);
      int fence = waiting.submitWithFence(new Pushbuffer().acquire(word, 5).release(word, 6));
      copyWithoutEnd(busy, va);
      first
          .migrations()
          .start(
              GUEST,
              "unix:" + second.migrations().getSocketPath(),
              Map.of("drain-timeout", "200ms", "on-timeout", "force"));
      await().atMost(PATIENCE).until(() -> status(first).over());
      assertThat(status(first).phase()).as(status(first).reason()).isEqualTo("done");
      assertThat(first.migrations().report(GUEST, "text")).contains("ended=1");
      // Told why, by the page that it polls and by the host; what did not run long is not touched.
      assertThat(busy.error()).isEqualTo(GuestAbi.ERROR_OPERATOR);
      assertThat(second.guest(GUEST).getChannels().get(busy.id()))
          .extracting("state", "error")
          .containsExactly("dead", "operator");
      data.bytes().set(ValueLayout.JAVA_INT, (1 << 20) - 4096, 5);
      waiting.awaitByPolling(fence);
      assertThat(waiting.error()).isZero();
    }
  }
}

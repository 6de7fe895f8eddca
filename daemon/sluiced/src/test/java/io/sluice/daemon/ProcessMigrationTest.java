package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.management.MigrationBlocker;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that never stops submitting, while its daemon changes under it. */
final class ProcessMigrationTest {
  private static final String GUEST = "moved";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Kernel kernel = RealKernel.create();
  @TempDir private Path dir;
  private SluicedInstance first;
  private SluicedInstance second;

  @BeforeEach
  void start() throws Exception {
    first = daemon("a", "64MiB", GUEST, "clone");
    second = daemon("b", "64MiB", GUEST, "clone");
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
  }

  private SluicedInstance daemon(String name, String vram, String... guests) throws Exception {
    StringBuilder text = new StringBuilder("[daemon]\n");
    text.append("run-dir = \"").append(dir.resolve(name)).append("\"\n");
    text.append("state-dir = \"").append(dir.resolve(name + "-state")).append("\"\n");
    text.append("[gpu.embedded]\nvram = \"").append(vram).append("\"\n");
    for (String guest : guests) {
      text.append("[[guest]]\nname = \"").append(guest).append("\"\n");
    }
    Path file = Files.writeString(dir.resolve(name + ".toml"), text);
    return SluicedInstance.start(new ConfigLoader(Map.of(), Map.of()).load(file));
  }

  /** What a process does that submits without end. */
  private static final class Work implements Runnable, AutoCloseable {
    static final int PAGES = 64;
    private static final int TIMEOUT_MS = 60_000;
    private final AttachedDevice device;
    private final Space space;
    private final Buffer data;
    private final Buffer own;
    private final ClientChannel channel;
    private final long dataVa;
    private final long ownVa;
    private final int[] last = new int[PAGES];
    private final Thread thread = new Thread(this);
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;
    private volatile int submitted;

    Work(Kernel kernel, Path socket) {
      device = AttachedDevice.attach(kernel, socket);
      space = device.newSpace();
      data = device.allocateVideo((PAGES + 1) * 4096L);
      own = device.allocateProcess(PAGES * 4096L);
      channel = space.newChannel();
      dataVa = space.map(data).value();
      ownVa = space.map(own).value();
      thread.start();
    }

    @Override
    public void run() {
      try {
        while (!stopped) {
          submitOne(submitted + 1);
          submitted++;
        }
        channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().reference(submitted)));
      } catch (Throwable e) {
        failure = e;
      }
    }

    /** Runs once and after its predecessor, or the channel waits for ever. */
    private void submitOne(int n) {
      GpuVa chain = new GpuVa(dataVa + PAGES * 4096L);
      int page = n * 7 % PAGES;
      Pushbuffer words =
          new Pushbuffer()
              .acquire(chain, n - 1)
              .release(new GpuVa(dataVa + page * 4096L), n)
              .release(new GpuVa(ownVa + page * 4096L), n)
              .release(chain, n);
      last[page] = n;
      if (n % 64 == 0) {
        assertThat(channel.awaitByInterrupt(channel.submitWithInterrupt(words), TIMEOUT_MS))
            .as("an interrupt")
            .isTrue();
      } else {
        channel.submit(words);
      }
      if (n % 500 == 0) {
        assertThat(device.ping(n)).isEqualTo(n);
      }
      if (n % 700 == 0) {
        device.allocateVideo(8192).close();
      }
    }

    void awaitMore(int count) {
      int from = submitted;
      await().atMost(PATIENCE).until(() -> failure != null || submitted >= from + count);
      assertThat(failure).isNull();
    }

    void finish() throws InterruptedException {
      stopped = true;
      thread.join(PATIENCE.toMillis());
      assertThat(failure).isNull();
      assertThat(thread.isAlive()).as("everything submitted was executed").isFalse();
      for (int page = 0; page < PAGES; page++) {
        assertThat(data.bytes().get(ValueLayout.JAVA_INT, page * 4096L)).isEqualTo(last[page]);
        assertThat(own.bytes().get(ValueLayout.JAVA_INT, page * 4096L)).isEqualTo(last[page]);
      }
      assertThat(channel.error()).isZero();
    }

    @Override
    public void close() {
      stopped = true;
      channel.close();
      data.close();
      own.close();
      space.close();
      device.close();
    }
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
    try (Work work = new Work(kernel, first.guestSocket(GUEST))) {
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

  @Test
  void start_destinationThatIsTaken_isRefusedAndTheProcessGoesOn() throws Exception {
    try (Work work = new Work(kernel, first.guestSocket(GUEST));
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
    try (SluicedInstance small = daemon("c", "32MiB", GUEST);
        Work work = new Work(kernel, first.guestSocket(GUEST))) {
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
    try (Work work = new Work(kernel, first.guestSocket(GUEST))) {
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
    try (SluicedInstance small = daemon("c", "32MiB", GUEST, "other");
        SluicedInstance strange = daemon("d", "64MiB", "other");
        AttachedDevice _ = AttachedDevice.attach(kernel, second.guestSocket(GUEST));
        AttachedDevice neighbour = AttachedDevice.attach(kernel, small.guestSocket("other"));
        Buffer _ = neighbour.allocateVideo(30 << 20);
        Work work = new Work(kernel, first.guestSocket(GUEST));
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

  /** Copies the same line over and over, for hours. */
  private static void copyWithoutEnd(ClientChannel channel, GpuVa at) {
    Pushbuffer words = new Pushbuffer().bindEngines();
    for (int i = 0; i < 100; i++) {
      words
          .methods(Pushbuffer.PCOPY0, 0x30c, 0, (int) at.value(), 0, (int) at.value() + 0x8000)
          .methods(Pushbuffer.PCOPY0, 0x31c, 0, 0, 0x8000, 0x1fff)
          .methods(Pushbuffer.PCOPY0, 0x300, 0x110);
    }
    for (int i = 0; i < 100; i++) {
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

  // ---- checkpoints ----

  @Test
  void checkpoint_clonedIntoAnother_hasTheMemory() throws Exception {
    Path file = dir.resolve("guest.checkpoint");
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Space space = device.newSpace();
        Buffer data = device.allocateVideo(1 << 20)) {
      GpuVa _ = space.map(data);
      for (long at = 0; at < data.sizeBytes(); at += 8) {
        data.bytes().set(ValueLayout.JAVA_LONG, at, at * 31);
      }
      LongOperations.checkpoint(first.migrations(), GUEST, file.toString(), true);
      data.bytes().fill((byte) 0);
    }
    for (SluicedInstance daemon : new SluicedInstance[] {first, second}) {
      try (AttachedDevice device = AttachedDevice.attach(kernel, daemon.guestSocket("clone"))) {
        LongOperations.restore(daemon.migrations(), "clone", file.toString());
        assertThat(daemon.guest("clone").getMemoryUsedBytes()).isEqualTo(1 << 20);
        assertThat(device.ping(7)).isEqualTo(7);
      }
    }
  }

  @Test
  void checkpoint_begun_isWatchedByItsIdAndEndsAsDone() throws Exception {
    Path file = dir.resolve("guest.checkpoint");
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Buffer data = device.allocateVideo(1 << 20)) {
      data.bytes().fill((byte) 5);

      String id = first.migrations().checkpoint(GUEST, file.toString(), true);
      MigrationStatusView written = LongOperations.end(first.migrations(), id);

      assertThat(written)
          .extracting("guest", "id", "kind", "phase", "reason", "peer")
          .containsExactly(GUEST, id, "checkpoint", "done", "", "file:" + file);
      assertThat(written.bytesSent()).isGreaterThan(1 << 20);
      assertThat(status(first)).isEqualTo(written);
      String again = first.migrations().checkpoint(GUEST, file.toString(), true);
      assertThat(LongOperations.end(first.migrations(), again).phase()).isEqualTo("done");
      assertThat(first.migrations().status(id)).as("remembered").isEqualTo(written);
      assertThat(first.migrations().status(id.substring(0, 13))).isEqualTo(written);
      assertThatThrownBy(() -> first.migrations().status(id.substring(0, 2)))
          .hasMessageContaining("SLU-MIG-050");
    }
    try (AttachedDevice _ = AttachedDevice.attach(kernel, first.guestSocket("clone"))) {
      String id = first.migrations().restore("clone", file.toString());
      MigrationStatusView made = LongOperations.end(first.migrations(), id);

      assertThat(made)
          .extracting("guest", "id", "kind", "phase", "reason", "peer", "bytesTotal", "bytesLeft")
          .containsExactly(
              "clone", id, "restore", "done", "", "file:" + file, Files.size(file), 0L);
      assertThatThrownBy(() -> first.migrations().abort("clone"))
          .hasMessageContaining("SLU-MIG-05");
    }
  }

  @Test
  void restore_damagedFile_isRefused() throws Exception {
    Path file = dir.resolve("guest.checkpoint");
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Buffer data = device.allocateVideo(1 << 20)) {
      data.bytes().fill((byte) 5);
      LongOperations.checkpoint(first.migrations(), GUEST, file.toString(), false);
    }
    byte[] whole = Files.readAllBytes(file);
    try (AttachedDevice _ = AttachedDevice.attach(kernel, first.guestSocket("clone"))) {
      for (int cut : new int[] {0, 10, 200, whole.length / 2, whole.length - 1}) {
        Path part = Files.write(dir.resolve("cut"), java.util.Arrays.copyOf(whole, cut));
        assertRefused(part);
      }
      Path flipped = Files.write(dir.resolve("flipped"), whole);
      try (RandomAccessFile bytes = new RandomAccessFile(flipped.toFile(), "rw")) {
        bytes.seek(whole.length / 2);
        bytes.write(whole[whole.length / 2] ^ 4);
      }
      assertRefused(flipped);
      LongOperations.restore(first.migrations(), "clone", file.toString());
    }
  }

  private void assertRefused(Path file) {
    assertThatThrownBy(() -> LongOperations.restore(first.migrations(), "clone", file.toString()))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-MIG-057");
    assertThat(first.guest("clone").getMemoryUsedBytes()).isZero();
  }

  @Test
  void checkpoint_machineWhoseMonitorIsDead_isRefusedAndLeavesNothing() throws Exception {
    Path monitor = Path.of(first.guest(GUEST).getQmpPath());
    Path file = dir.resolve("guest.checkpoint");
    Path ofAProcess = dir.resolve("process.checkpoint");
    try (AttachedDevice _ = AttachedDevice.attach(kernel, first.guestSocket(GUEST))) {
      LongOperations.checkpoint(first.migrations(), GUEST, ofAProcess.toString(), false);
      Files.createFile(monitor);
      assertThatThrownBy(
              () -> LongOperations.checkpoint(first.migrations(), GUEST, file.toString(), true))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("QMP socket cannot be used");
      assertThatThrownBy(
              () -> LongOperations.restore(first.migrations(), GUEST, ofAProcess.toString()))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("the file is of a process");
      assertThat(dir).isDirectoryNotContaining("glob:**guest.checkpoint*");
    } finally {
      Files.deleteIfExists(monitor);
    }
  }

  /** What an operator names is no way to destroy what the daemon, or somebody else, lives on. */
  @Test
  void checkpoint_whereTheDaemonsFilesAre_isRefusedAndTheyStay() throws Exception {
    Path state = dir.resolve("a-state");
    first.daemon().createGuest("created", "", 0);
    byte[] guests = Files.readAllBytes(state.resolve("guests.toml"));
    Path link = Files.createSymbolicLink(dir.resolve("link"), state);
    Path configured = Files.createDirectory(dir.resolve("conf.d"));
    try (AttachedDevice _ = AttachedDevice.attach(kernel, first.guestSocket(GUEST))) {
      for (Path file :
          List.of(
              state.resolve("guests.toml"),
              state.resolve("new"),
              state.resolve("checkpoints"),
              state.resolve("checkpoints/../guests.toml"),
              link.resolve("guests.toml"),
              first.guestSocket(GUEST),
              dir.resolve("a/new"),
              configured.resolve("new.toml"),
              Path.of("relative"))) {
        assertThatThrownBy(
                () -> LongOperations.checkpoint(first.migrations(), GUEST, file.toString(), true))
            .as("%s", file)
            .isInstanceOf(OperationsException.class)
            .hasMessageContaining("SLU-MIG-080");
      }
      assertThatThrownBy(
              () -> first.daemon().createGuest("x", "", 0, state.resolve("y").toString()))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("SLU-GUEST-010");
      Path own = state.resolve("checkpoints/guest");
      LongOperations.checkpoint(first.migrations(), GUEST, own.toString(), true);
      LongOperations.checkpoint(first.migrations(), GUEST, own.toString(), false);
      assertThat(own).isRegularFile();
    }
    assertThat(state.resolve("guests.toml")).hasBinaryContent(guests);
    assertThat(state.resolve("new")).doesNotExist();
    assertThat(configured).isEmptyDirectory();
  }

  @Test
  void checkpoint_overWhatIsNone_isRefusedAndItStays() throws Exception {
    Path key = Files.writeString(dir.resolve("key"), "a secret");
    Path empty = Files.createFile(dir.resolve("empty"));
    Path beside = Files.writeString(dir.resolve("guest.partial"), "somebody's");
    Path link = Files.createSymbolicLink(dir.resolve("link"), key);
    try (AttachedDevice _ = AttachedDevice.attach(kernel, first.guestSocket(GUEST))) {
      for (Path file : List.of(key, empty, dir.resolve("guest"), link)) {
        assertThatThrownBy(
                () -> LongOperations.checkpoint(first.migrations(), GUEST, file.toString(), true))
            .as("%s", file)
            .isInstanceOf(OperationsException.class)
            .hasMessageContaining("there is something that is no checkpoint");
      }
      assertThatThrownBy(() -> LongOperations.restore(first.migrations(), GUEST, "/dev/zero"))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("it is no file");
      assertThatThrownBy(
              () -> LongOperations.restore(first.migrations(), GUEST, dir.resolve("x").toString()))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("there is no file " + dir.resolve("x"));
      assertThatThrownBy(() -> LongOperations.restore(first.migrations(), GUEST, "/etc/passwd"))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("/etc/passwd is not a checkpoint of Sluice")
          .hasMessageContaining("fix: name a file that guest checkpoint has written");
      Path nowhere = dir.resolve("no/such/file");
      assertThatThrownBy(
              () -> LongOperations.checkpoint(first.migrations(), GUEST, nowhere.toString(), true))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("there is no directory " + nowhere.getParent());
    }
    assertThat(key).hasContent("a secret");
    assertThat(empty).isEmptyFile();
    assertThat(beside).hasContent("somebody's");
    assertThat(link).isSymbolicLink();
  }

  @Test
  void checkpoint_directoryThatIsNone_isRefusedAndTheGuestGoesOn() {
    Path full = Path.of("/dev/full/guest.checkpoint");
    try (Work work = new Work(kernel, first.guestSocket(GUEST))) {
      work.awaitMore(50);
      assertThatThrownBy(
              () -> LongOperations.checkpoint(first.migrations(), GUEST, full.toString(), true))
          .isInstanceOf(OperationsException.class);
      work.awaitMore(100);
    }
  }

  @Test
  void checkpoint_diskFull_leavesTheFormerOneAndTheGuestGoesOn() throws Exception {
    Path disk = Files.createDirectory(dir.resolve("disk"));
    assumeTrue(
        isDone("mount", "-t", "tmpfs", "-o", "size=2m", "none", disk.toString()),
        "no small disk: mounting one takes root");
    try {
      Path file = disk.resolve("guest.checkpoint");
      byte[] noise = new byte[4 << 20];
      new Random(1).nextBytes(noise);
      try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
          Buffer small = device.allocateVideo(1 << 20)) {
        small.bytes().copyFrom(MemorySegment.ofArray(noise).asSlice(0, 1 << 20));
        LongOperations.checkpoint(first.migrations(), GUEST, file.toString(), true);
        byte[] former = Files.readAllBytes(file);
        try (Buffer large = device.allocateVideo(noise.length)) {
          large.bytes().copyFrom(MemorySegment.ofArray(noise));
          for (boolean live : new boolean[] {true, false}) {
            assertThatThrownBy(() ->
                    LongOperations.checkpoint(first.migrations(), GUEST, file.toString(), live))
                .isInstanceOf(OperationsException.class)
                .hasMessageContaining("No space left on device")
                .hasMessageContaining("see to the room on that disk");
            assertThat(disk).isDirectoryNotContaining(path -> !path.equals(file));
          }
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(former);
        assertThat(device.ping(3)).isEqualTo(3);
      }
      try (AttachedDevice clone = AttachedDevice.attach(kernel, second.guestSocket("clone"))) {
        LongOperations.restore(second.migrations(), "clone", file.toString());
        assertThat(clone.ping(4)).isEqualTo(4);
      }
    } finally {
      assertThat(isDone("umount", disk.toString())).isTrue();
    }
  }

  private static boolean isDone(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
  }
}

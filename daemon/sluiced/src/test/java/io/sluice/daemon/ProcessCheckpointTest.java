package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.Space;
import io.sluice.management.CheckpointView;
import io.sluice.management.MigrationStatusView;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints of processes: files, what may stand where they are to be, and who goes on. */
final class ProcessCheckpointTest {
  private static final String GUEST = "saved";

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
  void checkpoints_ofADirectory_areThoseThatWereWrittenThere() throws Exception {
    assertThat(first.migrations().checkpoints("")).as("nobody has made one").isEmpty();
    Path usual = Files.createDirectories(dir.resolve("a-state/checkpoints"));
    Path file = usual.resolve("one.sluice");
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Buffer data = device.allocateVideo(1 << 20)) {
      data.bytes().fill((byte) 5);
      LongOperations.checkpoint(first.migrations(), GUEST, file.toString(), true);
    }
    byte[] whole = Files.readAllBytes(file);
    Files.write(usual.resolve("two.sluice.partial"), Arrays.copyOf(whole, whole.length - 1));
    Files.writeString(usual.resolve("notes"), "of the operator");

    List<CheckpointView> found = first.migrations().checkpoints("");

    assertThat(found)
        .extracting(
            CheckpointView::file,
            CheckpointView::kind,
            CheckpointView::guest,
            CheckpointView::state,
            CheckpointView::videoBytes,
            CheckpointView::sizeBytes)
        .containsExactly(
            tuple(file.toString(), "process", GUEST, "complete", 1L << 20, (long) whole.length),
            tuple(
                usual.resolve("two.sluice.partial").toString(),
                "process",
                GUEST,
                "incomplete",
                1L << 20,
                whole.length - 1L));
    assertThat(first.migrations().checkpoints(file.toString())).isEqualTo(found.subList(0, 1));
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
      assertThat(first.migrations().getMigrations().get(GUEST)).isEqualTo(written);
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
    try (EndlessWork work = new EndlessWork(kernel, first.guestSocket(GUEST))) {
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

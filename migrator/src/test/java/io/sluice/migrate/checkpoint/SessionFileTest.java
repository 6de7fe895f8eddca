package io.sluice.migrate.checkpoint;

import static io.sluice.migrate.checkpoint.SessionsInFile.COMPLETE;
import static io.sluice.migrate.checkpoint.SessionsInFile.PREPARED;
import static io.sluice.migrate.checkpoint.SessionsInFile.frame;
import static io.sluice.migrate.checkpoint.SessionsInFile.join;
import static io.sluice.migrate.checkpoint.SessionsInFile.receive;
import static io.sluice.migrate.checkpoint.SessionsInFile.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of one session, and those that are none. */
@Timeout(120)
final class SessionFileTest {
  private static final UUID ID = new UUID(3, 7);
  private static final byte[] READY = SessionFrames.ready().array();
  private static final SessionAllowance AMPLE = SessionAllowance.ofOne(1 << 20);
  private static final byte[] LARGE = frame(7, new byte[(1 << 20) + 5]); // several sections

  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();
  private final Set<UUID> waiting = new HashSet<>();

  private Path file() {
    return directory.resolve("session");
  }

  private Path staged() {
    return directory.resolve("session.partial");
  }

  /** The host of a session, as its writer sees it. */
  private final class Host implements AutoCloseable {
    private final List<Fd> pair = kernel.socketpair();
    private final CompletableFuture<Void> recorded;

    Host(SessionFileWriter writer) {
      recorded = CompletableFuture.runAsync(() -> writer.record(pair.get(0)));
    }

    /** Sends what ends in a question; whether it was answered. */
    boolean ask(byte[]... frames) {
      send(kernel, pair.get(1), join(frames));
      return Arrays.equals(receive(kernel, pair.get(1), READY.length), READY);
    }

    @Override
    public void close() {
      pair.get(1).close();
      recorded.join();
      pair.get(0).close();
    }
  }

  private SessionFileWriter create(UUID id) {
    return create(id, AMPLE);
  }

  private SessionFileWriter create(UUID id, SessionAllowance allowance) {
    return SessionFileWriter.create(
        FilePlace.open(kernel, file()), id, kernel, allowance, waiting::contains);
  }

  private void save() {
    save(file(), ID);
    assertThat(directory).isDirectoryNotContaining("glob:**.partial");
  }

  private void save(Path to, UUID id) {
    try (SessionFileWriter writer =
        SessionFileWriter.create(
            FilePlace.open(kernel, to), id, kernel, AMPLE, waiting::contains)) {
      try (Host host = new Host(writer)) {
        assertThat(host.ask(frame(1), frame(PREPARED))).isTrue();
        assertThat(host.ask(LARGE, frame(COMPLETE))).isTrue();
        assertThat(idOf(writer.staged())).as("before it is answered").isEqualTo(id);
      }
      writer.publish();
    }
  }

  private UUID idOf(Path path) {
    try (SessionFileReader reader = SessionFileReader.open(kernel, path)) {
      return reader.id();
    }
  }

  /** Who can write in its directory gives the name to another file between the two. */
  @Test
  void feed_anotherFileHasTheNameByThen_isOfTheOneThatWasVerified() throws Exception {
    save();
    List<Fd> pair = kernel.socketpair();
    try (SessionFileReader reader = SessionFileReader.open(kernel, file());
        Fd own = pair.get(0);
        Fd host = pair.get(1)) {
      Path other = Files.write(directory.resolve("other"), new byte[] {1, 2, 3});
      Path _ = Files.move(other, file(), StandardCopyOption.REPLACE_EXISTING);
      CompletableFuture<Void> fed = CompletableFuture.runAsync(() -> reader.feed(own, kernel));
      CompletableFuture<Void> ended = fed.whenComplete((_, _) -> kernel.shutdown(own));
      byte[] first = join(frame(1), frame(PREPARED));
      assertThat(receive(kernel, host, first.length)).isEqualTo(first);
      send(kernel, host, READY);
      byte[] second = join(LARGE, frame(COMPLETE));
      assertThat(receive(kernel, host, second.length)).isEqualTo(second);
      send(kernel, host, READY);
      ended.join();
    }
  }

  @Test
  void session_intoAFileAndOut_isTheSameToTheByte() {
    save();
    List<Fd> pair = kernel.socketpair();
    try (SessionFileReader reader = SessionFileReader.open(kernel, file());
        Fd own = pair.get(0);
        Fd host = pair.get(1)) {
      assertThat(reader.id()).isEqualTo(ID);
      CompletableFuture<Void> fed = CompletableFuture.runAsync(() -> reader.feed(own, kernel));
      byte[] first = join(frame(1), frame(PREPARED));
      assertThat(receive(kernel, host, first.length)).isEqualTo(first);
      send(kernel, host, READY);
      byte[] second = join(LARGE, frame(COMPLETE));
      assertThat(receive(kernel, host, second.length)).isEqualTo(second);
      assertThat(fed).isNotDone();
      send(kernel, host, READY);
      fed.join();
    }
  }

  @Test
  void close_sessionThatStayed_leavesTheFileBefore() throws Exception {
    save();
    byte[] before = Files.readAllBytes(file());
    try (SessionFileWriter writer = create(new UUID(1, 1))) {
      try (Host host = new Host(writer)) {
        assertThat(host.ask(frame(1), frame(COMPLETE))).isTrue();
      }
    }
    assertThat(file()).hasBinaryContent(before);
    assertThat(directory).isDirectoryNotContaining("glob:**.partial");
  }

  @Test
  void record_noise_endsTheStreamAndLeavesNothing() {
    try (SessionFileWriter writer = create(ID)) {
      try (Host host = new Host(writer)) {
        assertThat(host.ask(new byte[] {1, 0, 0, 0, 14, 0, 0, 0})).isFalse();
      }
      assertThatThrownBy(writer::publish).isInstanceOf(IllegalStateException.class);
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void record_withoutEnd_isEndedAtTheAllowanceAndSaysWhy() {
    try (SessionFileWriter writer = create(ID, new SessionAllowance(3L * LARGE.length))) {
      List<Fd> pair = kernel.socketpair();
      try (Fd own = pair.get(0);
          Fd host = pair.get(1)) {
        CompletableFuture<Void> recorded = CompletableFuture.runAsync(() -> writer.record(own));
        assertThatThrownBy(
                () -> {
                  while (true) {
                    send(kernel, host, LARGE);
                  }
                })
            .hasMessageContaining("EPIPE");
        recorded.join();
      }
      assertThat(writer.failure().orElseThrow())
          .hasMessageContaining("SLU-CKP-010")
          .hasMessageContaining("bytes=" + 3L * LARGE.length);
      assertThat(writer.isWhole()).isFalse();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void record_saysNothing_isEndedAndSaysWhy() {
    try (SessionFileWriter writer = create(ID)) {
      List<Fd> pair = kernel.socketpair();
      try (Fd own = pair.get(0);
          Fd host = pair.get(1)) {
        send(kernel, host, frame(1));
        writer.record(own, 1);
        assertThat(receive(kernel, host, READY.length)).as("its end").isEmpty();
      }
      assertThat(writer.failure().orElseThrow()).hasMessageContaining("SLU-CKP-011");
    }
    assertThat(directory).isEmptyDirectory();
  }

  /** A session that is whole says nothing for as long as its machine, or its host, takes. */
  @Test
  void record_saysNothingWhenItIsWhole_isWaitedFor() {
    try (SessionFileWriter writer = create(ID)) {
      List<Fd> pair = kernel.socketpair();
      try (Fd own = pair.get(0);
          Fd host = pair.get(1)) {
        send(kernel, host, frame(COMPLETE));
        CompletableFuture<Void> recorded = CompletableFuture.runAsync(() -> writer.record(own, 1));
        assertThat(receive(kernel, host, READY.length)).isEqualTo(READY);
        host.close();
        recorded.join();
      }
      assertThat(writer.failure()).isEmpty();
      assertThat(writer.isWhole()).isTrue();
    }
  }

  @Test
  void allowance_ofAnyLimit_isNoSmallerThanIt() {
    for (long memory : new long[] {0, 1, 4L << 30, 64L << 40, Long.MAX_VALUE / 2}) {
      SessionAllowance.ofOne(memory).take(memory);
      SessionAllowance.withMachine(memory / 64).take(memory / 64 * 64);
    }
    assertThatThrownBy(() -> SessionAllowance.ofOne(1).take((1L << 30) + 9))
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void create_somethingElseHasTheName_isRefusedAndStays() throws Exception {
    Path _ = Files.writeString(file(), "somebody's");
    assertThatThrownBy(() -> create(ID)).hasMessageContaining("SLU-CKP-007");
    try (CheckpointWriter _ =
        CheckpointWriter.create(FilePlace.open(kernel, directory.resolve("checkpoint")))) {
      assertThatThrownBy(() -> CheckpointWriter.create(FilePlace.open(kernel, file())))
          .hasMessageContaining("SLU-CKP-007");
    }
    assertThat(file()).hasContent("somebody's");
  }

  @Test
  void create_whileAnotherOneIsWritten_isRefusedAndThatIsWhole() {
    try (SessionFileWriter writer = create(ID)) {
      assertThatThrownBy(() -> create(new UUID(1, 1)))
          .as("nothing of the first is on the disk yet")
          .hasMessageContaining("another one is written there");
      try (Host host = new Host(writer)) {
        assertThat(host.ask(frame(1), frame(PREPARED))).isTrue();
        assertThat(host.ask(LARGE, frame(COMPLETE))).isTrue();
      }
      assertThatThrownBy(() -> create(new UUID(1, 1)))
          .hasMessageContaining("another one is written there");
      assertThatThrownBy(() -> CheckpointWriter.create(FilePlace.open(kernel, file())))
          .hasMessageContaining("SLU-CKP");
      writer.publish();
    }
    assertThat(idOf(file())).isEqualTo(ID);
    try (SessionFileWriter _ = create(new UUID(1, 1))) {
      assertThat(staged()).exists();
    }
    assertThat(idOf(file())).isEqualTo(ID);
  }

  @Test
  void create_whereASessionWaits_isRefusedUntilItDoesNot() {
    save();
    waiting.add(ID);
    assertThatThrownBy(() -> create(new UUID(1, 1))).hasMessageContaining("SLU-CKP-009");
    assertThat(idOf(file())).isEqualTo(ID);
    waiting.clear();
    create(new UUID(1, 1)).close();
  }

  @Test
  void create_whereAFileCouldNotGetItsName_isRefusedWhileASessionWaitsInIt() throws Exception {
    save();
    Path _ = Files.move(file(), staged());
    waiting.add(ID);
    assertThatThrownBy(() -> create(new UUID(1, 1))).hasMessageContaining("SLU-CKP-009");
    assertThat(idOf(staged())).isEqualTo(ID);
    waiting.clear();
    create(new UUID(1, 1)).close();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void publish_whereASessionWaitsMeanwhile_isRefusedAndStaysWhereItIs() {
    try (SessionFileWriter writer = create(ID)) {
      try (Host host = new Host(writer)) {
        assertThat(host.ask(frame(1), frame(COMPLETE))).isTrue();
      }
      save(directory.resolve("other"), new UUID(1, 1));
      assertThat(directory.resolve("other").toFile().renameTo(file().toFile())).isTrue();
      waiting.add(new UUID(1, 1));
      assertThatThrownBy(writer::publish).hasMessageContaining("SLU-CKP-009");
    }
    assertThat(idOf(file())).isEqualTo(new UUID(1, 1));
    assertThat(idOf(staged())).isEqualTo(ID);
  }

  @Test
  void publish_directoryThatBecameALinkMeanwhile_isWhereTheDirectoryIs() throws Exception {
    Path theirs = Files.createDirectory(directory.resolve("theirs"));
    Path own = Files.createDirectory(directory.resolve("own"));
    FilePlace place = FilePlace.open(kernel, theirs.resolve("session"));
    Path moved = Files.move(theirs, directory.resolve("moved"));
    Path _ = Files.createSymbolicLink(theirs, own);
    try (SessionFileWriter writer =
        SessionFileWriter.create(place, ID, kernel, AMPLE, waiting::contains)) {
      assertThat(moved.resolve("session.partial")).exists();
      try (Host host = new Host(writer)) {
        assertThat(host.ask(frame(1), frame(COMPLETE))).isTrue();
      }
      writer.publish();
    }
    assertThat(own).isEmptyDirectory();
    assertThat(moved).isDirectoryContaining("glob:**/session");
    assertThat(idOf(moved.resolve("session"))).isEqualTo(ID);
  }

  @Test
  void close_directoryThatBecameALinkMeanwhile_leavesTheOthersFile() throws Exception {
    Path theirs = Files.createDirectory(directory.resolve("theirs"));
    Path own = Files.createDirectory(directory.resolve("own"));
    Path kept = Files.writeString(own.resolve("session.partial"), "the daemon's");
    FilePlace place = FilePlace.open(kernel, theirs.resolve("session"));
    try (SessionFileWriter _ =
        SessionFileWriter.create(place, ID, kernel, AMPLE, waiting::contains)) {
      Path _ = Files.move(theirs, directory.resolve("moved"));
      Path _ = Files.createSymbolicLink(theirs, own);
    }
    assertThat(kept).hasContent("the daemon's");
    assertThat(directory.resolve("moved")).isEmptyDirectory();
  }

  @Test
  void checkpoint_overASession_isRefused() {
    save();
    assertThatThrownBy(() -> CheckpointWriter.create(FilePlace.open(kernel, file())))
        .hasMessageContaining("SLU-CKP-007");
    assertThatThrownBy(() -> CheckpointReader.open(kernel, file()))
        .hasMessageContaining("not a checkpoint");
  }

  @Test
  void open_anyByteChangedOrCutOff_isRefused() throws Exception {
    try (SessionFileWriter writer = create(ID)) {
      try (Host host = new Host(writer)) {
        assertThat(host.ask(frame(1), frame(COMPLETE))).isTrue();
      }
      writer.publish();
    }
    byte[] whole = Files.readAllBytes(file());
    for (int at = 0; at < whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x10;
      Path _ = Files.write(file(), damaged);
      assertThatThrownBy(() -> SessionFileReader.open(kernel, file()))
          .as("at %d", at)
          .isInstanceOf(RefusedException.class);
      Path _ = Files.write(file(), Arrays.copyOf(whole, at));
      assertThatThrownBy(() -> SessionFileReader.open(kernel, file()))
          .as("cut off at %d", at)
          .isInstanceOf(RefusedException.class);
    }
  }
}

package io.sluice.migrate.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.RealKernel;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.phase.Tables;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of a file that is played, and the words of an engine that come out of turn. */
final class PlayStageTest {
  @TempDir private Path directory;

  @Test
  void table_everyPair_isAsTheOracleSays() {
    List<String> way = List.of("BEGUN", "OFFERED", "ACCEPTED", "READY", "COMMITTED");
    ImmutableSetMultimap.Builder<String, String> oracle = ImmutableSetMultimap.builder();
    for (int i = 0; i < way.size(); i++) {
      oracle.put(way.get(i), "FAILED");
      if (i > 0) {
        oracle.put(way.get(i - 1), way.get(i));
      }
    }
    Tables.requireEqual(PlayStage.class, oracle.put("FAILED", "FAILED").build());
  }

  private static Frame frame(FrameType type) {
    return new Frame(type, 1, ByteBuffer.allocate(64));
  }

  private static void send(MigrationLink link, FrameType type) {
    assertThat(link.send(MigrationLink.CONTROL, frame(type))).isTrue();
  }

  private static @Nullable FrameType poll(MigrationLink link) {
    Frame frame = link.poll(MigrationLink.CONTROL);
    return frame == null ? null : frame.type();
  }

  private CheckpointReader open() {
    Path file = directory.resolve("one");
    try (CheckpointWriter writer =
        CheckpointWriter.create(FilePlace.open(RealKernel.create(), file))) {
      for (FrameType type : List.of(FrameType.OFFER, FrameType.RESTORE, FrameType.COMMIT)) {
        send(writer, type);
      }
    }
    return CheckpointReader.open(RealKernel.create(), file);
  }

  @Test
  void poll_wholeFile_waitsForTheAnswerAndCommitsOnce() {
    try (CheckpointReader reader = open()) {
      assertThat(reader.poll(1)).as("no pages").isNull();
      assertThat(poll(reader)).isEqualTo(FrameType.OFFER);
      assertThat(poll(reader)).isNull();
      send(reader, FrameType.ACCEPT);
      assertThat(poll(reader)).isEqualTo(FrameType.RESTORE);
      assertThat(poll(reader)).isNull();
      send(reader, FrameType.READY);
      assertThat(reader.poll(1)).isNull();
      assertThat(poll(reader)).isEqualTo(FrameType.COMMIT);
      assertThat(poll(reader)).isNull();
      assertThat(reader.failure()).isEmpty();
    }
  }

  @Test
  void send_outOfTurn_isABugAndChangesNothing() {
    try (CheckpointReader reader = open()) {
      assertBug(reader, FrameType.ACCEPT);
      assertBug(reader, FrameType.READY);
      assertThat(poll(reader)).isEqualTo(FrameType.OFFER);
      assertBug(reader, FrameType.READY);
      assertThat(poll(reader)).as("not accepted").isNull();
      send(reader, FrameType.ACCEPT);
      assertBug(reader, FrameType.ACCEPT);
      send(reader, FrameType.READY);
      assertBug(reader, FrameType.READY);
      assertThat(poll(reader)).isEqualTo(FrameType.COMMIT);
      assertBug(reader, FrameType.READY);
    }
  }

  private static void assertBug(CheckpointReader reader, FrameType type) {
    assertThatThrownBy(() -> send(reader, type)).isInstanceOf(AssertionError.class);
  }

  @Test
  void poll_closedFile_isRefusedAndStaysSo() {
    CheckpointReader reader = open();
    reader.close();
    assertThatThrownBy(() -> poll(reader)).isInstanceOf(RefusedException.class);
    RefusedException why = reader.failure().orElseThrow();
    assertThatThrownBy(() -> poll(reader)).isSameAs(why);
    assertThatThrownBy(() -> reader.poll(1)).isSameAs(why);
    assertBug(reader, FrameType.ACCEPT);
    reader.close();
    assertThat(reader.failure()).contains(why);
  }
}

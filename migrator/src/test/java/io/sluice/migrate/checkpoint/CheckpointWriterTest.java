package io.sluice.migrate.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of frames that come in the order in which the engine sends them. */
final class CheckpointWriterTest {
  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();

  private static Frame frame(FrameType type, int first, int second) {
    ByteBuffer payload = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    return Frame.of(type, payload.putInt(first).putInt(second).putLong(0).flip());
  }

  private static boolean readyIsSaid(CheckpointWriter writer) {
    boolean ready = false;
    for (Frame said = writer.poll(MigrationLink.CONTROL);
        said != null;
        said = writer.poll(MigrationLink.CONTROL)) {
      ready |= said.type() == FrameType.READY;
    }
    return ready;
  }

  @Test
  void close_wholeAndNotWanted_leavesNothing() {
    try (CheckpointWriter writer =
        CheckpointWriter.create(FilePlace.open(kernel, directory.resolve("unwanted")))) {
      boolean sent = writer.send(MigrationLink.CONTROL, frame(FrameType.OFFER, 1, 1));
      sent &= writer.send(MigrationLink.CONTROL, frame(FrameType.RESTORE, 0, 0));
      assertThat(sent).isTrue();
      assertThat(readyIsSaid(writer)).isTrue();
      writer.close();
      assertThat(writer.isComplete()).isFalse();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void close_somethingElseHasCome_isNotReplaced() throws Exception {
    Path file = directory.resolve("guest.checkpoint");
    try (CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file))) {
      boolean sent = writer.send(MigrationLink.CONTROL, frame(FrameType.OFFER, 1, 1));
      sent &= writer.send(MigrationLink.CONTROL, frame(FrameType.RESTORE, 0, 0));
      sent &= writer.send(MigrationLink.CONTROL, Frame.of(FrameType.COMMIT));
      assertThat(sent).isTrue();
      Path _ = Files.writeString(file, "somebody's");
      writer.close();
      assertThat(writer.isComplete()).isFalse();
      assertThat(writer.failure().orElseThrow().code()).isEqualTo("SLU-CKP-007");
    }
    assertThat(file).hasContent("somebody's");
    assertThat(directory).isDirectoryNotContaining("glob:**.partial");
  }

  /** More memory than is sent in one step of the engine. */
  @Test
  void send_pagesBehindTheState_areInTheFileBeforeItIsComplete() {
    Path file = directory.resolve("guest.checkpoint");
    try (CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file))) {
      boolean sent = writer.send(MigrationLink.CONTROL, frame(FrameType.OFFER, 1, 1));
      sent &= writer.send(1, frame(FrameType.PAGES, 0, 0));
      sent &= writer.send(1, frame(FrameType.BARRIER, 1, 0));
      sent &= writer.send(MigrationLink.CONTROL, frame(FrameType.STATE, 0, 0));
      sent &= writer.send(MigrationLink.CONTROL, frame(FrameType.RESTORE, 2, 0));
      assertThat(readyIsSaid(writer)).as("while pages come").isFalse();
      sent &= writer.send(1, frame(FrameType.PAGES, 0, 0));
      assertThat(readyIsSaid(writer)).isFalse();
      sent &= writer.send(1, frame(FrameType.BARRIER, 2, 0));
      assertThat(readyIsSaid(writer)).isTrue();
      assertThat(file).as("nobody has said that it is wanted").doesNotExist();
      sent &= writer.send(MigrationLink.CONTROL, Frame.of(FrameType.COMMIT));
      assertThat(sent).isTrue();
      writer.close();
      assertThat(writer.isComplete()).isTrue();
    }
    List<FrameType> found = new ArrayList<>();
    try (CheckpointReader reader = CheckpointReader.open(kernel, file)) {
      for (int i = 0; i < 100; i++) {
        for (int stream = 0; stream < 2; stream++) {
          Frame next = reader.poll(stream);
          if (next != null) {
            found.add(next.type());
          }
          if (next != null && next.type() == FrameType.OFFER) {
            boolean _ = reader.send(MigrationLink.CONTROL, frame(FrameType.ACCEPT, 1, 0));
          }
        }
      }
    }
    assertThat(found)
        .containsExactly(
            FrameType.OFFER,
            FrameType.PAGES,
            FrameType.BARRIER,
            FrameType.STATE,
            FrameType.PAGES,
            FrameType.BARRIER,
            FrameType.RESTORE);
  }
}

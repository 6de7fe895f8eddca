package io.sluice.migrate.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.common.collect.ImmutableList;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.session.SessionMessages;
import io.sluice.vdevice.dma.GuestRange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files that pretend to be checkpoints, whose sums and count of parts are made right when the input
 * says so: refused with the file's name, or played as a source would play it, to the end.
 */
final class CheckpointFuzzTest {
  private static final int HEAD_BYTES = 16;
  private static final int MEND = 1;

  private Path file;

  @BeforeEach
  void choose() throws IOException {
    file = Files.createTempFile("sluice", ".checkpoint");
  }

  @AfterEach
  void remove() throws IOException {
    Files.delete(file);
  }

  static Stream<byte[]> files() {
    Section head =
        new Section(
            StagedFile.HEAD_SECTION, 1, CheckpointWriter.MAGIC.getBytes(StandardCharsets.US_ASCII));
    Section offer = new Section(FrameType.OFFER.number(), 1, new byte[40]);
    Section pages = new Section(FrameType.PAGES.number(), 1, new byte[64]);
    Section machine = new Section(CheckpointWriter.MACHINE_SECTION, 1, new byte[32]);
    Section word =
        StoredSessions.section(
            1,
            new SessionMessages.Word(
                SessionMessages.SESSION,
                1,
                1,
                ImmutableList.of(GuestRange.checked(new Iova(0x1000), 4096))));
    Section bytes = StoredSessions.section(1, ByteBuffer.wrap(new byte[24]));
    return Stream.of(
        seed(MEND, head, offer, pages),
        seed(0, head, offer, machine),
        seed(MEND, head, offer, machine, word, bytes));
  }

  private static byte[] seed(int how, Section... sections) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(how);
    for (Section section : sections) {
      all.writeBytes(bytes(section));
    }
    byte[] count =
        ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(sections.length).array();
    all.writeBytes(bytes(new Section(StagedFile.END_SECTION, 1, count)));
    return all.toByteArray();
  }

  private static byte[] bytes(Section section) {
    ByteBuffer bytes = ByteBuffer.allocate(section.sizeBytes());
    section.write(bytes);
    return bytes.array();
  }

  @MethodSource("files")
  @FuzzTest
  void file(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    byte[] content = Arrays.copyOfRange(input, 1, input.length);
    if ((input[0] & MEND) != 0) {
      mend(content);
    }
    Path _ = Files.write(file, content);
    CheckpointReader reader;
    try {
      reader = CheckpointReader.open(RealKernel.create(), file);
    } catch (RefusedException e) {
      assertThat(e.code()).startsWith("SLU-");
      return;
    }
    try {
      int frames = play(reader);
      assertThat(frames).isLessThanOrEqualTo(content.length / HEAD_BYTES);
      assertThat(reader.failure()).isEmpty();
    } finally {
      reader.close();
    }
  }

  private static int play(CheckpointReader reader) {
    int frames = 0;
    while (true) {
      Frame next = reader.poll(MigrationLink.CONTROL);
      if (next == null) {
        next = reader.poll(1);
      }
      if (next == null) {
        return frames;
      }
      assertThat(next.payload().remaining()).isLessThanOrEqualTo(1 << 20);
      frames++;
      if (frames == 1) {
        assertThat(reader.send(MigrationLink.CONTROL, Frame.of(FrameType.ACCEPT))).isTrue();
      }
    }
  }

  /** Makes the sums of all whole sections right, and the count in the one that ends it. */
  private static void mend(byte[] bytes) {
    ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long sections = 0;
    int at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      int length = words.getInt(at + 8);
      if (length < 0 || length > bytes.length - at - HEAD_BYTES) {
        return;
      }
      if (words.getInt(at) == StagedFile.END_SECTION && length == Long.BYTES) {
        words.putLong(at + HEAD_BYTES, sections);
      }
      CRC32C sum = new CRC32C();
      sum.update(bytes, at, 12);
      sum.update(bytes, at + HEAD_BYTES, length);
      words.putInt(at + 12, (int) sum.getValue());
      sections++;
      at += HEAD_BYTES + length;
    }
  }
}

package io.sluice.migrate.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.FieldWriter;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.record.Section;
import io.sluice.migrate.checkpoint.CheckpointHead.Kind;
import io.sluice.migrate.link.FrameType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The beginnings of files, whole, cut off, damaged and of others. */
final class CheckpointHeadTest {
  private static final byte[] NO_MACHINE = {};
  private static final long USED = 5L << 20;

  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();

  /** As {@code Offer} lays it out. */
  private static Section offer(byte[] machine) {
    FieldWriter out = new FieldWriter();
    out.bits(1).bits(1).u64(7).u64(8).bits(0xc0).bits(0);
    out.u64(64L << 20).u64(USED).u64(0).bits(1).text("web-01");
    out.bits(machine.length).raw(ByteBuffer.wrap(machine));
    return new Section(FrameType.OFFER.number(), 1, out.toBytes());
  }

  private Path written(Section head, Section... parts) throws IOException {
    Path file = directory.resolve("file");
    StagedFile staged = StagedFile.create(FilePlace.open(kernel, file), head, _ -> false);
    for (Section part : parts) {
      staged.write(part);
    }
    staged.end();
    staged.publish();
    return file;
  }

  private Path guest(byte[] machine) throws IOException {
    return written(
        StagedFile.head(CheckpointWriter.MAGIC),
        offer(machine),
        new Section(FrameType.PAGES.number(), 1, new byte[1000]));
  }

  @Test
  void of_wholeFiles_hasTheirKindAndGuest() throws Exception {
    assertThat(CheckpointHead.of(kernel, guest(NO_MACHINE)))
        .contains(new CheckpointHead(Kind.PROCESS, "web-01", USED, true));
    assertThat(CheckpointHead.of(kernel, guest(new byte[] {1})))
        .contains(new CheckpointHead(Kind.MACHINE, "web-01", USED, true));
    Files.delete(directory.resolve("file"));
    assertThat(CheckpointHead.of(kernel, written(SessionFileWriter.HEAD)))
        .contains(new CheckpointHead(Kind.SESSION, "", 0, true));
  }

  @Test
  void of_fileThatIsCutOffAnywhere_isNoneOrHasNoEnd() throws Exception {
    byte[] whole = Files.readAllBytes(guest(NO_MACHINE));
    Path cut = directory.resolve("cut");
    int heads = 0;
    for (int bytes = 0; bytes < whole.length; bytes++) {
      Files.write(cut, Arrays.copyOf(whole, bytes));
      Optional<CheckpointHead> found = CheckpointHead.of(kernel, cut);
      if (found.isPresent()) {
        heads++;
        assertThat(found.get().ended()).as("bytes=%s", bytes).isFalse();
        assertThat(found.get().kind()).isIn(Kind.UNKNOWN, Kind.PROCESS);
      }
    }
    assertThat(heads).isGreaterThan(1000);
  }

  @Test
  void of_damagedOffer_isOfNobody() throws Exception {
    byte[] whole = Files.readAllBytes(guest(NO_MACHINE));
    int inOffer = StagedFile.head(CheckpointWriter.MAGIC).sizeBytes() + 30;
    whole[inOffer] ^= 1;
    Path damaged = Files.write(directory.resolve("damaged"), whole);

    assertThat(CheckpointHead.of(kernel, damaged))
        .contains(new CheckpointHead(Kind.UNKNOWN, "", 0, false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "#!/bin/sh\nexit 1\n", "sluice checkpoint, so they say"})
  void of_otherFiles_isNothing(String text) throws Exception {
    assertThat(CheckpointHead.of(kernel, Files.writeString(directory.resolve("other"), text)))
        .isEmpty();
  }

  @Test
  void of_whatIsNoFile_isNothing() throws Exception {
    assertThat(CheckpointHead.of(kernel, directory)).isEmpty();
    assertThat(CheckpointHead.of(kernel, directory.resolve("missing"))).isEmpty();
    assertThat(CheckpointHead.of(kernel, Path.of("/dev/zero"))).isEmpty();
    assertThat(CheckpointHead.of(kernel, Path.of("/proc/self/status"))).isEmpty();
  }
}

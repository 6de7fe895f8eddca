package io.sluice.migrate.checkpoint;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.record.Section;
import io.sluice.channel.record.SectionHeader;
import io.sluice.migrate.engine.Offer;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The beginning of a file that a guest or a session was written to: what is known of it without
 * reading all of it. Whether it is undamaged shows when it is restored.
 *
 * @param kind what was written
 * @param guest its name; empty of a session, and of a file that is cut off before it
 * @param videoBytes video memory that the guest held; 0 of a session
 * @param ended whether the file has its last section
 */
public record CheckpointHead(Kind kind, String guest, long videoBytes, boolean ended) {
  private static final Section GUEST_HEAD = StagedFile.head(CheckpointWriter.MAGIC);
  private static final int LEAST_BYTES =
      Math.min(GUEST_HEAD.sizeBytes(), SessionFileWriter.HEAD.sizeBytes());
  private static final int END_BYTES = SectionHeader.BYTES + Long.BYTES;

  /** The kinds of what is written. */
  public enum Kind {
    /** A guest whose client is a machine, which is in the file, too. */
    MACHINE,
    /** A guest whose client is a process. */
    PROCESS,
    /** A guest of which the file does not say whose, as it is cut off. */
    UNKNOWN,
    /** One session of an API. */
    SESSION
  }

  /**
   * Looks into a file.
   *
   * @return nothing when it is something else
   * @throws IOException when it cannot be read
   */
  public static Optional<CheckpointHead> of(Kernel kernel, Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try (FileChannel channel = NamedFile.open(kernel, file, StandardOpenOption.READ)) {
      // Files of the kernel have no length, and may keep whoever reads them.
      if (channel.size() < LEAST_BYTES) {
        return Optional.empty();
      }
      InputStream in = Channels.newInputStream(channel);
      Optional<Section> head = next(in, file);
      if (head.filter(SessionFileWriter.HEAD::equals).isPresent()) {
        return Optional.of(new CheckpointHead(Kind.SESSION, "", 0, hasEnd(channel)));
      }
      return head.filter(GUEST_HEAD::equals).isPresent()
          ? Optional.of(ofGuest(in, file, channel))
          : Optional.empty();
    }
  }

  private static CheckpointHead ofGuest(InputStream in, Path file, FileChannel channel)
      throws IOException {
    Optional<Offer> offer = offer(in, file);
    if (offer.isEmpty()) {
      return new CheckpointHead(Kind.UNKNOWN, "", 0, false);
    }
    Offer of = offer.get();
    return new CheckpointHead(
        of.machine().hasRemaining() ? Kind.MACHINE : Kind.PROCESS,
        of.name(),
        of.vramUsedBytes(),
        hasEnd(channel));
  }

  /** The source's offer, which is first. */
  private static Optional<Offer> offer(InputStream in, Path file) throws IOException {
    Optional<Section> section =
        next(in, file).filter(next -> FrameType.of(next.id()) == FrameType.OFFER);
    try {
      return section.map(
          next -> Offer.decode(new Frame(FrameType.OFFER, next.version(), next.payload())));
    } catch (RefusedException _) {
      return Optional.empty();
    }
  }

  /** A section; none where there is no whole and right one. */
  private static Optional<Section> next(InputStream in, Path file) throws IOException {
    try {
      return Optional.of(CheckpointReader.read(in, file));
    } catch (RefusedException _) {
      return Optional.empty();
    }
  }

  private static boolean hasEnd(FileChannel channel) throws IOException {
    long start = channel.size() - END_BYTES;
    ByteBuffer end = ByteBuffer.allocate(END_BYTES);
    while (start >= 0 && end.hasRemaining()) {
      if (channel.read(end, start + end.position()) < 0) {
        return false; // it became shorter
      }
    }
    if (start < 0) {
      return false;
    }
    try {
      return Section.read(end.flip()).id() == StagedFile.END_SECTION;
    } catch (RefusedException _) {
      return false;
    }
  }
}

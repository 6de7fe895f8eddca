package io.sluice.migrate.checkpoint;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.record.Section;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A file of sections that is being written, and that only its owner can read. It has another name
 * until it is complete and flushed, and is locked so long: of two that are to have one name, the
 * second is refused. One thread at a time uses it.
 *
 * <pre>
 *  section 0x1f1 version 1: what it is, such as "sluice checkpoint"
 *  …
 *  section 0x1f2 version 1: u64 how many sections came before
 * </pre>
 */
final class StagedFile {
  static final int HEAD_SECTION = 0x1f1;
  static final int END_SECTION = 0x1f2;

  private static final int BUFFER_BYTES = 4 << 20;

  private static final String STAGED = ".partial";

  private final FilePlace place; // owned
  private final Section head;
  private final Predicate<Path> needed;
  private final FileChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private long sections;
  private long bytes;

  private StagedFile(FilePlace place, Section head, Predicate<Path> needed, FileChannel channel) {
    this.place = place;
    this.head = head;
    this.needed = needed;
    this.channel = channel;
  }

  /** The head of files of a kind. */
  static Section head(String magic) {
    return new Section(HEAD_SECTION, 1, magic.getBytes(StandardCharsets.US_ASCII));
  }

  /**
   * Begins a file. An earlier one of its kind and name is replaced in the end, and nothing else.
   *
   * @param place owned from now on
   * @param needed whether a file of this kind is needed where it is
   * @throws RefusedException when it cannot be made
   */
  static StagedFile create(FilePlace place, Section head, Predicate<Path> needed) {
    boolean complete = false;
    try {
      requireReplaceable(place, "", head, needed);
      StagedFile made = new StagedFile(place, head, needed, claim(place, head, needed));
      made.write(head);
      complete = true;
      return made;
    } catch (IOException e) {
      throw refused(place, e);
    } finally {
      if (!complete) {
        place.close();
      }
    }
  }

  /**
   * The file while it has not its name, made anew and locked. What an earlier attempt has left is
   * removed, not used: who has made a file, or opened it before, could read and change all that is
   * written to it. Nobody removes a file whose lock he does not have.
   */
  private static FileChannel claim(FilePlace place, Section head, Predicate<Path> needed)
      throws IOException {
    Path staged = place.used(STAGED);
    if (!Files.exists(staged, LinkOption.NOFOLLOW_LINKS)) {
      return make(place);
    }
    if (!isEmpty(staged)) {
      requireReplaceable(place, STAGED, head, needed);
    }
    Object key = key(staged);
    try (FileChannel left = place.openThere(STAGED, StandardOpenOption.WRITE)) {
      requireClaimed(left, key, place);
      Files.delete(staged);
      return make(place);
    }
  }

  private static FileChannel make(FilePlace place) throws IOException {
    Object key;
    FileChannel channel;
    try (Fd made = place.make(STAGED)) { // closed before there is a lock, which would end with it
      Path file = FilePlace.path(made);
      key = fileKey(file);
      channel = FileChannel.open(file, StandardOpenOption.WRITE);
    }
    boolean isOurs = false;
    try {
      requireClaimed(channel, key, place);
      isOurs = true;
      return channel;
    } finally {
      if (!isOurs) {
        channel.close();
      }
    }
  }

  /**
   * Locks it.
   *
   * @param key of the open file, which may have got its name meanwhile
   */
  private static void requireClaimed(FileChannel channel, Object key, FilePlace place)
      throws IOException {
    if (!isLocked(channel) || !key.equals(key(place.used(STAGED)))) {
      throw new RefusedException(
          CheckpointCode.WRITE,
          Errno.EBUSY,
          "the checkpoint cannot be written, another one is written there just now, "
              + place.named(STAGED),
          "Choose another name, or wait until that is written.");
    }
  }

  /** Locks it until it is closed; false when another one, of this process or not, has it. */
  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException _) {
      return false;
    }
  }

  /** By which a file is the same, whatever name it has; of none, of nothing. */
  private static Object key(Path file) throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    return fileKey(file, LinkOption.NOFOLLOW_LINKS);
  }

  private static Object fileKey(Path file, LinkOption... options) throws IOException {
    return Optional.ofNullable(
        Files.readAttributes(file, BasicFileAttributes.class, options).fileKey());
  }

  private static boolean isEmpty(Path file) throws IOException {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) == 0;
  }

  /** Whoever names a file may not be its owner: what is none of ours is not ours to replace. */
  private static void requireReplaceable(
      FilePlace place, String ending, Section head, Predicate<Path> needed) throws IOException {
    Path file = place.used(ending);
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!isBegun(place, ending, head)) {
      throw new RefusedException(
          CheckpointCode.NOT_OURS,
          Errno.EEXIST,
          "the checkpoint cannot be written, there is something that is no checkpoint, file="
              + place.named(ending),
          "Choose another name, or remove what is there.");
    }
    if (needed.test(file)) {
      throw new RefusedException(
          CheckpointCode.NEEDED,
          Errno.EEXIST,
          "the checkpoint cannot be written, a session waits in what is there, file="
              + place.named(ending),
          "Choose another name, or restore that session first.");
    }
  }

  /** Whether a file begins as those of a kind do, whatever comes then. */
  private static boolean isBegun(FilePlace place, String ending, Section head) throws IOException {
    if (!Files.isRegularFile(place.used(ending), LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (FileChannel there = place.openThere(ending, StandardOpenOption.READ)) {
      byte[] found = Channels.newInputStream(there).readNBytes(head.sizeBytes());
      ByteBuffer expected = ByteBuffer.allocate(head.sizeBytes());
      head.write(expected);
      return Arrays.equals(found, expected.array());
    }
  }

  /** Appends a section. */
  void write(Section section) throws IOException {
    if (buffer.remaining() < section.sizeBytes()) {
      drain();
    }
    section.write(buffer);
    sections++;
    bytes += section.sizeBytes();
  }

  private void drain() throws IOException {
    buffer.flip();
    while (buffer.hasRemaining()) {
      int _ = channel.write(buffer);
    }
    buffer.clear();
  }

  /** Bytes of its sections so far. */
  long bytes() {
    return bytes;
  }

  /** Where it is while it has not its name. */
  Path staged() {
    return place.named(STAGED);
  }

  /** Ends it, and has the disk hold it. */
  void end() throws IOException {
    ByteBuffer count = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    count.putLong(sections);
    write(new Section(END_SECTION, 1, count.array()));
    drain();
    channel.force(true);
  }

  /** Gives it its name, once it is at its end. */
  void publish() throws IOException {
    try (channel) { // not before it has its name
      requireReplaceable(place, "", head, needed);
      Files.move(
          place.used(STAGED),
          place.used(""),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    }
    try (FileChannel directory = FileChannel.open(place.directory(), StandardOpenOption.READ)) {
      directory.force(true);
    }
    place.close();
  }

  /** Leaves it where it is when it could not get its name. */
  void leave() {
    place.close();
  }

  /** Removes it. */
  void discard() throws IOException {
    try (place;
        channel) {
      Files.deleteIfExists(place.used(STAGED));
    }
  }

  /** Why it cannot be written. */
  RefusedException refused(IOException e) {
    return refused(place, e);
  }

  /**
   * The reason in words: an exception's message has the path by which the file was used, which
   * tells nobody anything.
   */
  static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException _ -> "permission denied";
      case NoSuchFileException _ -> "it is gone";
      case FileSystemException of ->
          Objects.requireNonNullElse(of.getReason(), of.getClass().getSimpleName());
      default -> String.valueOf(e.getMessage());
    };
  }

  private static RefusedException refused(FilePlace place, IOException e) {
    return new RefusedException(
        CheckpointCode.WRITE,
        Errno.EIO,
        "the checkpoint cannot be written, " + place.named(STAGED) + ": " + reason(e),
        "See to the room on that disk and the permissions of the directory.");
  }
}

package io.sluice.migrate.checkpoint;

import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.record.Section;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The reader of a file of one session. All of it is verified before anything of it is used, and
 * what is used is of the file that was verified, whatever has its name by then.
 */
public final class SessionFileReader implements AutoCloseable {
  private final Path file;
  private final FileChannel channel; // owned
  private final UUID id;

  private SessionFileReader(Path file, FileChannel channel, UUID id) {
    this.file = file;
    this.channel = channel;
    this.id = id;
  }

  /**
   * Verifies a file, which stays open until this is closed.
   *
   * @throws RefusedException when it is none of a session, is cut off or damaged
   */
  public static SessionFileReader open(Kernel kernel, Path file) {
    if (!Files.isRegularFile(file)) {
      throw refused(file, "it is no file");
    }
    FileChannel channel = null;
    boolean complete = false;
    try {
      channel = NamedFile.open(kernel, file, StandardOpenOption.READ);
      SessionFileReader reader = new SessionFileReader(file, channel, verify(channel, file));
      complete = true;
      return reader;
    } catch (IOException e) {
      throw refused(file, StagedFile.reason(e));
    } finally {
      if (!complete) {
        close(channel);
      }
    }
  }

  /** The id of a whole file. */
  private static UUID verify(FileChannel channel, Path file) throws IOException {
    try (InputStream in = SharedFileStream.of(channel)) {
      if (!CheckpointReader.read(in, file).equals(SessionFileWriter.HEAD)) {
        throw refused(file, "it is no file of a session");
      }
      UUID id = id(CheckpointReader.read(in, file), file);
      SessionFrames frames = new SessionFrames();
      long sections = 2;
      Section section = CheckpointReader.read(in, file);
      while (section.id() != StagedFile.END_SECTION) {
        ByteBuffer payload = bytes(section, file);
        while (payload.hasRemaining()) {
          boolean _ = frames.take(payload);
        }
        sections++;
        section = CheckpointReader.read(in, file);
      }
      if (!frames.isComplete()
          || section.payload().remaining() != Long.BYTES
          || section.payload().getLong() != sections
          || in.read() >= 0) {
        throw refused(file, "parts are missing or too many, parts=" + sections);
      }
      return id;
    }
  }

  /** The id of a session's file, which may be incomplete; none of what has none. */
  static Optional<UUID> idOf(Kernel kernel, Path file) {
    try (FileChannel channel = NamedFile.open(kernel, file, StandardOpenOption.READ)) {
      InputStream in = SharedFileStream.of(channel);
      return CheckpointReader.read(in, file).equals(SessionFileWriter.HEAD)
          ? Optional.of(id(CheckpointReader.read(in, file), file))
          : Optional.empty();
    } catch (IOException | RefusedException _) {
      return Optional.empty();
    }
  }

  private static UUID id(Section section, Path file) {
    if (section.id() != SessionFileWriter.ID_SECTION || section.version() != 1) {
      throw refused(file, "it says of no session that it is its");
    }
    FieldReader in =
        new FieldReader(section.payload(), (_, what) -> refused(file, "wrong is " + what));
    UUID id = new UUID(in.u64(), in.u64());
    in.end();
    return id;
  }

  private static ByteBuffer bytes(Section section, Path file) {
    ByteBuffer payload = section.payload();
    if (section.id() != StoredSessions.BYTES_SECTION
        || section.version() != 1
        || StoredSessions.stream(payload) != SessionFileWriter.STREAM) {
      throw refused(file, "it has a part of no known kind, id=" + section.id());
    }
    return payload;
  }

  private static void close(@Nullable FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException _) {
      // it was only read
    }
  }

  @Override
  public void close() {
    close(channel);
  }

  /** By which the file is known. */
  public UUID id() {
    return id;
  }

  /**
   * Sends the session to whoever makes it again, and hears what that says.
   *
   * @param stream to it; stays the caller's
   * @throws io.sluice.abi.SluiceException when it does not take all
   */
  public void feed(Fd stream, Kernel kernel) {
    FedSession session = new FedSession("the session", stream, kernel, _ -> {});
    try (InputStream in = SharedFileStream.of(channel)) {
      Section _ = CheckpointReader.read(in, file);
      Section _ = CheckpointReader.read(in, file);
      Section section = CheckpointReader.read(in, file);
      while (section.id() != StagedFile.END_SECTION) {
        session.send(bytes(section, file));
        section = CheckpointReader.read(in, file);
      }
    } catch (IOException e) {
      throw refused(file, String.valueOf(e.getMessage()));
    }
  }

  private static RefusedException refused(Path file, String why) {
    return new RefusedException(
        CheckpointCode.READ,
        Errno.EPROTO,
        "the checkpoint cannot be used, " + file + ": " + why,
        "Name the file that the session was written to.");
  }
}

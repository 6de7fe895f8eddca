package io.sluice.migrate.checkpoint;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.record.Section;
import io.sluice.channel.record.SectionHeader;
import io.sluice.migrate.checkpoint.StoredSessions.Stored;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.phase.StateMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The destination's end of a migration out of a file: plays the source that wrote it. The whole
 * file is read and verified before anything of it is used. It is opened once, because another
 * checkpoint may get its name at any time: what is used is what was verified, and is of one moment.
 * {@link PlayStage} has its stages.
 */
public final class CheckpointReader implements MigrationLink {
  private final Path file; // only for people once it is open
  private final FileChannel channel;
  private final InputStream in; // of the frames
  private final Found found;
  private final StateMachine<PlayStage, PlayState> life;
  private Next next = new Next.Unread();
  private long bytes;
  private final AtomicLong taken = new AtomicLong(); // bytes, by its machine and its sessions
  private long takenSeen;

  /**
   * The parts of a file that no frame is of.
   *
   * @param machine whether there is a machine's own stream
   */
  private record Found(boolean machine, ImmutableList<Stored> sessions) {}

  /** The states, each with what it must know. */
  private sealed interface PlayState extends StateMachine.State<PlayStage> {
    /** One in which all is well. */
    record Playing(PlayStage stage) implements PlayState {}

    /** {@link PlayStage#FAILED}. */
    record Failed(RefusedException why) implements PlayState {
      @Override
      public PlayStage stage() {
        return PlayStage.FAILED;
      }
    }
  }

  /** The frame that comes next in the file. */
  private sealed interface Next {
    /** It was not read yet. */
    record Unread() implements Next {}

    /** It waits to be taken. */
    record Waiting(Frame frame) implements Next {}

    /** There is none. */
    record Nothing() implements Next {}
  }

  private CheckpointReader(Path file, FileChannel channel, Found found) {
    this.file = file;
    this.channel = channel;
    this.found = found;
    in = SharedFileStream.of(channel);
    life = new StateMachine<>("checkpoint " + file, new PlayState.Playing(PlayStage.BEGUN));
  }

  /**
   * Verifies a file and opens it.
   *
   * @throws RefusedException when it is none, is cut off, damaged or of an unknown version
   */
  public static CheckpointReader open(Kernel kernel, Path file) {
    long _ = requireCheckpoint(kernel, file);
    try {
      return open(file, NamedFile.open(kernel, file, StandardOpenOption.READ));
    } catch (IOException e) {
      throw refused(file, StagedFile.reason(e));
    }
  }

  private static CheckpointReader open(Path file, FileChannel channel) throws IOException {
    boolean complete = false;
    try {
      requireKind(SharedFileStream.of(channel), file); // its name may be another file's by now
      Found found = verify(SharedFileStream.of(channel), file);
      CheckpointReader reader = new CheckpointReader(file, channel, found);
      Section _ = reader.readOn();
      complete = true;
      return reader;
    } finally {
      if (!complete) {
        channel.close();
      }
    }
  }

  /**
   * Looks whether a file begins as checkpoints do; whether it is whole shows when it is opened.
   *
   * @return its bytes
   * @throws RefusedException when it is not there, or something else
   */
  public static long requireCheckpoint(Kernel kernel, Path file) {
    if (!Files.exists(file)) {
      throw new RefusedException(
          CheckpointCode.READ,
          Errno.ENOENT,
          "the checkpoint cannot be used, there is no file " + file,
          "Name a file that guest checkpoint has written; the daemon reads it.");
    }
    if (!Files.isRegularFile(file)) {
      throw refused(file, "it is no file");
    }
    try (FileChannel channel = NamedFile.open(kernel, file, StandardOpenOption.READ)) {
      requireKind(SharedFileStream.of(channel), file);
      return channel.size();
    } catch (IOException e) {
      throw refused(file, StagedFile.reason(e));
    }
  }

  /** What something else begins with is not told as damage of a checkpoint. */
  private static void requireKind(InputStream in, Path file) throws IOException {
    byte[] magic = CheckpointWriter.MAGIC.getBytes(StandardCharsets.US_ASCII);
    byte[] wanted = new byte[SectionHeader.BYTES + magic.length];
    ByteBuffer.wrap(wanted).order(ByteOrder.LITTLE_ENDIAN).putInt(StagedFile.HEAD_SECTION);
    System.arraycopy(magic, 0, wanted, SectionHeader.BYTES, magic.length);
    byte[] found = in.readNBytes(wanted.length);
    boolean isOne =
        found.length == wanted.length
            && Arrays.equals(found, 0, Integer.BYTES, wanted, 0, Integer.BYTES)
            && Arrays.equals(found, SectionHeader.BYTES, found.length, magic, 0, magic.length);
    if (!isOne) {
      throw new RefusedException(
          CheckpointCode.READ,
          Errno.EPROTO,
          "the checkpoint cannot be used, " + file + " is not a checkpoint of Sluice",
          "Name a file that guest checkpoint has written.");
    }
  }

  private static Found verify(InputStream in, Path file) throws IOException {
    Section first = read(in, file);
    if (first.version() != 1) {
      throw refused(file, "it is of an unknown version, version=" + first.version());
    }
    long sections = 1;
    boolean machine = false;
    StoredSessions sessions = new StoredSessions();
    Section section = read(in, file);
    while (section.id() != StagedFile.END_SECTION) {
      if (section.id() == CheckpointWriter.MACHINE_SECTION) {
        machine = true;
      } else if (StoredSessions.isOfSessions(section)) {
        sessions.take(section);
      } else if (FrameType.of(section.id()) == null) {
        throw refused(file, "it has a part of no known kind, id=" + section.id());
      }
      sections++;
      section = read(in, file);
    }
    if (section.payload().remaining() != Long.BYTES
        || section.payload().getLong() != sections
        || in.read() >= 0) {
      throw refused(file, "parts are missing or too many, parts=" + sections);
    }
    return new Found(machine, sessions.whole());
  }

  /** Whether it is of a machine; otherwise of a process. */
  public boolean hasMachine() {
    return found.machine();
  }

  /** Whether there are API sessions of its machine in it. */
  public boolean hasSessions() {
    return !found.sessions().isEmpty();
  }

  ImmutableList<Stored> sessions() {
    return found.sessions();
  }

  Path file() {
    return file;
  }

  /** The whole of it once more, for what is no frame; stays open until this is closed. */
  InputStream stream() {
    return SharedFileStream.of(channel);
  }

  /** Its machine, or a session host, has taken so many bytes; called by any thread. */
  void tookBytes(int count) {
    taken.addAndGet(count);
  }

  static Section read(InputStream in, Path file) throws IOException {
    byte[] head = in.readNBytes(SectionHeader.BYTES);
    if (head.length < SectionHeader.BYTES) {
      throw refused(file, "it is cut off");
    }
    SectionHeader header = SectionHeader.read(ByteBuffer.wrap(head));
    ByteBuffer all = ByteBuffer.allocate(SectionHeader.BYTES + header.length());
    all.put(head);
    byte[] payload = in.readNBytes(header.length());
    if (payload.length < header.length()) {
      throw refused(file, "it is cut off");
    }
    return Section.read(all.put(payload).flip());
  }

  private Section readOn() throws IOException {
    Section section = read(in, file);
    bytes += section.sizeBytes();
    return section;
  }

  @Override
  public int dataStreams() {
    return 1;
  }

  /** What the destination says moves this on. */
  @Override
  public boolean send(int stream, Frame frame) {
    switch (frame.type()) {
      case ACCEPT -> enter(PlayStage.ACCEPTED, "there is room");
      case READY -> enter(PlayStage.READY, "the guest is built");
      default -> {}
    }
    return true;
  }

  @Override
  public @Nullable Frame poll(int stream) {
    if (life.state() instanceof PlayState.Failed(RefusedException why)) {
      throw why;
    }
    if (stream == CONTROL && life.stage() == PlayStage.READY) {
      enter(PlayStage.COMMITTED, "nobody else has it");
      return Frame.of(FrameType.COMMIT);
    }
    if (stream == CONTROL && takenSeen != taken.get()) {
      takenSeen = taken.get();
      return Frame.of(FrameType.HEARTBEAT);
    }
    if (life.stage() == PlayStage.OFFERED) {
      return null;
    }
    lookAhead();
    if (!(next instanceof Next.Waiting(Frame frame)) || frame.isOfPages() != (stream != CONTROL)) {
      return null;
    }
    next = new Next.Unread();
    if (life.stage() == PlayStage.BEGUN) {
      enter(PlayStage.OFFERED, "its first frame is taken");
    }
    return frame;
  }

  private void enter(PlayStage stage, String reason) {
    life.enter(new PlayState.Playing(stage), reason);
  }

  private void lookAhead() {
    if (!(next instanceof Next.Unread)) {
      return;
    }
    try {
      Section section = readOn();
      while (section.id() == CheckpointWriter.MACHINE_SECTION
          || StoredSessions.isOfSessions(section)) {
        section = readOn(); // goes another way
      }
      FrameType type = FrameType.of(section.id());
      next =
          type == null
              ? new Next.Nothing()
              : new Next.Waiting(new Frame(type, section.version(), section.payload()));
    } catch (IOException e) {
      throw fail(e);
    }
  }

  private RefusedException fail(IOException e) {
    RefusedException why = refused(file, StagedFile.reason(e));
    life.enter(new PlayState.Failed(why), "it cannot be read");
    return why;
  }

  @Override
  public boolean isFlushed() {
    return true;
  }

  @Override
  public Optional<RefusedException> failure() {
    return life.state() instanceof PlayState.Failed(RefusedException why)
        ? Optional.of(why)
        : Optional.empty();
  }

  @Override
  public void setWaker(Runnable waker) {}

  @Override
  public Statistics statistics() {
    return new Statistics(0, bytes, 0, 0, 0, 0);
  }

  @Override
  public void close() {
    try (channel) {
      in.close(); // it has read ahead
    } catch (IOException e) {
      RefusedException _ = fail(e);
    }
  }

  private static RefusedException refused(Path file, String why) {
    return new RefusedException(
        CheckpointCode.READ,
        Errno.EPROTO,
        "the checkpoint cannot be used, " + file + ": " + why,
        "Take another checkpoint, or use an earlier one.");
  }
}

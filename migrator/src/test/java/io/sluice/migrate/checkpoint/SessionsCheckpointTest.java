package io.sluice.migrate.checkpoint;

import static io.sluice.migrate.checkpoint.SessionsInFile.COMPLETE;
import static io.sluice.migrate.checkpoint.SessionsInFile.PREPARED;
import static io.sluice.migrate.checkpoint.SessionsInFile.frame;
import static io.sluice.migrate.checkpoint.SessionsInFile.join;
import static io.sluice.migrate.checkpoint.SessionsInFile.memory;
import static io.sluice.migrate.checkpoint.SessionsInFile.receive;
import static io.sluice.migrate.checkpoint.SessionsInFile.send;
import static io.sluice.migrate.checkpoint.SessionsInFile.session;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.qemu.RamTransport;
import io.sluice.migrate.session.SessionWords;
import io.sluice.testbed.fakes.FakeKernel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sessions of a machine on their way into a file and out of it, and files that lie. */
@Timeout(120)
final class SessionsCheckpointTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();
  private static final byte[] READY = SessionFrames.ready().array();
  private static final SessionAllowance AMPLE = SessionAllowance.withMachine(1 << 20);
  private static final byte[] LARGE = frame(7, new byte[(1 << 20) + 5]); // several sections

  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();

  private Path file() {
    return directory.resolve("guest.checkpoint");
  }

  private Path socket() {
    return directory.resolve("sessions");
  }

  private static Frame frameOf(FrameType type) {
    ByteBuffer payload = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    return Frame.of(type, payload.putInt(0).putInt(1).putLong(0).flip());
  }

  /** What a source does with the way into a file. */
  @FunctionalInterface
  private interface Writing {
    void write(Path tap);
  }

  private void save(Writing sessions) {
    save(AMPLE, sessions);
  }

  private void save(SessionAllowance allowance, Writing sessions) {
    try (CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file()))) {
      RamTransport.Source tap =
          MachineCheckpoint.sessionsInto(writer, allowance, socket(), kernel, THREADS);
      assertThat(tap.isAnswered()).isFalse();
      String uri = tap.open(ByteBuffer.allocate(0));
      assertThat(uri).isEqualTo("unix:" + socket());
      sessions.write(socket());
      boolean taken = writer.send(MigrationLink.CONTROL, frameOf(FrameType.OFFER));
      taken &= writer.send(MigrationLink.CONTROL, frameOf(FrameType.RESTORE));
      taken &= writer.send(MigrationLink.CONTROL, Frame.of(FrameType.COMMIT));
      assertThat(taken).isTrue();
      tap.close();
    }
    assertThat(file()).exists();
    assertThat(socket()).doesNotExist();
  }

  /** Sends what ends in a question, and hears the answer. */
  private void ask(Fd stream, byte[]... frames) {
    send(kernel, stream, join(frames));
    assertThat(receive(kernel, stream, READY.length)).isEqualTo(READY);
  }

  /** Session 3 has memory that it is given when it has been asked about already; 5 is small. */
  private void saveTwo() {
    save(tap -> {
      try (Fd three = SessionWords.say(kernel, tap, session(3));
          Fd five = SessionWords.say(kernel, tap, session(5))) {
        ask(three, frame(1, (byte) 9), frame(PREPARED));
        ask(five, frame(1), frame(PREPARED));
        SessionWords.say(kernel, tap, memory(3, 1)).close();
        ask(three, LARGE, frame(PREPARED));
        ask(five, frame(COMPLETE));
        ask(three, frame(12), frame(COMPLETE));
      }
    });
  }

  private static byte[] three() {
    return join(
        frame(1, (byte) 9), frame(PREPARED), LARGE, frame(PREPARED), frame(12), frame(COMPLETE));
  }

  private static byte[] five() {
    return join(frame(1), frame(PREPARED), frame(COMPLETE));
  }

  @Test
  void sessions_intoAFileAndOut_areTheSameToTheByte() throws Exception {
    saveTwo();
    try (CheckpointReader reader = CheckpointReader.open(kernel, file())) {
      assertThat(reader.hasSessions()).isTrue();
      RamTransport.Target feed = MachineCheckpoint.sessionsFrom(reader, socket(), kernel, THREADS);
      try (SessionsInFile.Destination host = new SessionsInFile.Destination(kernel, feed.uri())) {
        feed.listening();
        await().atMost(PATIENCE).until(() -> feed.isThrough() || feed.refusal().isPresent());
        assertThat(feed.refusal()).isEmpty();
        assertThat(host.words).containsExactly(session(3), memory(3, 1), session(5));
        assertThat(host.received(3)).isEqualTo(three());
        assertThat(host.received(5)).isEqualTo(five());
        feed.close();
      }
      assertThat(socket()).doesNotExist();
      assertThat(next(reader)).as("something goes on").isEqualTo(FrameType.HEARTBEAT);
      assertThat(next(reader)).isEqualTo(FrameType.OFFER);
    }
  }

  @Test
  void sessions_anotherFileGetsItsNameMeanwhile_areThoseThatWereVerified() throws Exception {
    saveTwo();
    try (CheckpointReader reader = CheckpointReader.open(kernel, file())) {
      save(tap -> {
        try (Fd stream = SessionWords.say(kernel, tap, session(3))) {
          ask(stream, frame(2), frame(COMPLETE));
        }
      });
      RamTransport.Target feed = MachineCheckpoint.sessionsFrom(reader, socket(), kernel, THREADS);
      try (SessionsInFile.Destination host = new SessionsInFile.Destination(kernel, feed.uri());
          feed) {
        feed.listening();
        await().atMost(PATIENCE).until(() -> feed.isThrough() || feed.refusal().isPresent());
        assertThat(feed.refusal()).isEmpty();
        assertThat(host.received(3)).isEqualTo(three());
        assertThat(host.received(5)).isEqualTo(five());
      }
    }
  }

  private static @Nullable FrameType next(CheckpointReader reader) {
    Frame frame = reader.poll(MigrationLink.CONTROL);
    return frame == null ? null : frame.type();
  }

  @Test
  void feed_hostRefuses_itsReasonsAreSaid() throws Exception {
    saveTwo();
    byte[] reason = "a program of binaries".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer fields = ByteBuffer.allocate(8 + reason.length).order(ByteOrder.LITTLE_ENDIAN);
    fields.putInt(1).putInt(reason.length).put(reason);
    assertRefusal(frame(18, fields.array()), "a program of binaries");
  }

  @Test
  void feed_hostEndsTheStreamOrAnswersNoise_isRefused() throws Exception {
    saveTwo();
    assertRefusal(new byte[0], "has ended it");
    assertRefusal(frame(7), "something else");
    assertRefusal(frame(18, (byte) 1, (byte) 0, (byte) 0, (byte) 0), "no reason");
    assertRefusal(new byte[8], "frame of 0 bytes");
  }

  private void assertRefusal(byte[] answer, String why) throws Exception {
    try (CheckpointReader reader = CheckpointReader.open(kernel, file())) {
      RamTransport.Target feed = MachineCheckpoint.sessionsFrom(reader, socket(), kernel, THREADS);
      try (SessionsInFile.Destination host = new SessionsInFile.Destination(kernel, feed.uri())) {
        host.answer(3, answer);
        feed.listening();
        await().atMost(PATIENCE).until(() -> feed.isThrough() || feed.refusal().isPresent());
        assertThat(feed.isThrough()).isFalse();
        assertThat(feed.refusal().orElseThrow()).contains(why);
        feed.close();
      }
    }
    assertThat(socket()).doesNotExist();
  }

  @Test
  void close_hostDoesNotAnswer_feedEnds() throws Exception {
    saveTwo();
    try (CheckpointReader reader = CheckpointReader.open(kernel, file());
        Fd silent = kernel.listen(socket().resolveSibling("silent"), 1)) {
      assertThat(silent.isOpen()).isTrue();
      RamTransport.Target feed = MachineCheckpoint.sessionsFrom(reader, socket(), kernel, THREADS);
      try (Fd listener = kernel.listen(socket(), 1)) {
        feed.listening();
        try (Fd stream = kernel.accept(listener)) {
          assertThat(SessionWords.hear(kernel, stream)).contains(session(3));
          SessionWords.answer(kernel, stream, 5);
        }
        await().atMost(PATIENCE).until(() -> feed.refusal().isPresent());
        feed.close();
      }
    }
  }

  @Test
  void sessions_thatEndedMeanwhile_areNotMadeAgain() throws Exception {
    save(tap -> {
      Fd first = SessionWords.say(kernel, tap, session(1));
      ask(first, frame(1), frame(COMPLETE));
      first.close();
      try (Fd _ = SessionWords.say(kernel, tap, session(2));
          Fd second = SessionWords.say(kernel, tap, session(1))) { // of the same handle
        ask(second, frame(2), frame(COMPLETE));
      }
    });
    try (CheckpointReader reader = CheckpointReader.open(kernel, file())) {
      assertThat(reader.sessions()).extracting(StoredSessions.Stored::handle).containsExactly(1);
      assertThat(reader.sessions()).extracting(StoredSessions.Stored::stream).containsExactly(3);
    }
  }

  @Test
  void tap_fileIsNotWantedAnyMore_sessionsHearIt() {
    CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file()));
    RamTransport.Source tap =
        MachineCheckpoint.sessionsInto(writer, AMPLE, socket(), kernel, THREADS);
    String _ = tap.open(ByteBuffer.allocate(0));
    try (Fd stream = SessionWords.say(kernel, socket(), session(1))) {
      writer.close();
      send(kernel, stream, join(frame(1), frame(PREPARED)));
      assertThat(receive(kernel, stream, READY.length)).isEmpty();
      assertThatThrownBy(() -> SessionWords.say(kernel, socket(), session(2)))
          .isInstanceOf(RefusedException.class);
    }
    tap.close();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void tap_hostSendsNoise_itsStreamEndsAndOthersGoOn() {
    save(tap -> {
      try (Fd liar = SessionWords.say(kernel, tap, session(1));
          Fd other = SessionWords.say(kernel, tap, session(2))) {
        send(kernel, liar, new byte[] {7, 0, 0, 0, 14, 0, 0, 0});
        assertThat(receive(kernel, liar, READY.length)).isEmpty();
        assertThatThrownBy(() -> SessionWords.say(kernel, tap, memory(9, 1)))
            .hasMessageContaining("ENOENT");
        ask(other, frame(COMPLETE));
      }
    });
  }

  @Test
  void tap_moreBytesThanTheAllowance_endsTheStreamAndThereIsNoFile() {
    CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file()));
    SessionAllowance allowance = new SessionAllowance(2L * READY.length + LARGE.length - 1);
    RamTransport.Source tap =
        MachineCheckpoint.sessionsInto(writer, allowance, socket(), kernel, THREADS);
    String _ = tap.open(ByteBuffer.allocate(0));
    try (Fd first = SessionWords.say(kernel, socket(), session(1));
        Fd second = SessionWords.say(kernel, socket(), session(2))) {
      ask(first, frame(1), frame(PREPARED));
      assertThat(writer.failure()).isEmpty();
      send(kernel, second, LARGE); // one byte too many of both together
      assertThat(receive(kernel, second, READY.length)).isEmpty();
    }
    await().atMost(PATIENCE).until(() -> writer.failure().isPresent());
    assertThat(writer.failure().orElseThrow()).hasMessageContaining("SLU-CKP-010");
    tap.close();
    writer.close();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void tap_asManyBytesAsTheAllowance_isTaken() {
    SessionAllowance allowance = new SessionAllowance(LARGE.length + frame(COMPLETE).length);
    save(
        allowance,
        tap -> {
          try (Fd stream = SessionWords.say(kernel, tap, session(1))) {
            ask(stream, LARGE, frame(COMPLETE));
          }
        });
  }

  @Test
  void refuse_wantedFile_isThereAllTheSame() {
    RefusedException late =
        new RefusedException(CheckpointCode.SESSION_SILENT, Errno.ETIMEDOUT, "late", "");
    try (CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file()))) {
      boolean taken = writer.send(MigrationLink.CONTROL, frameOf(FrameType.OFFER));
      taken &= writer.send(MigrationLink.CONTROL, frameOf(FrameType.RESTORE));
      taken &= writer.send(MigrationLink.CONTROL, Frame.of(FrameType.COMMIT));
      assertThat(taken).isTrue();
      writer.refuse(late);
      assertThat(writer.failure()).isEmpty();
    }
    assertThat(file()).exists();
  }

  @Test
  void tap_noThreadForASession_itsStreamEndsAndOthersGoOn() {
    AtomicInteger made = new AtomicInteger();
    ThreadFactory scarce =
        work -> {
          if (made.incrementAndGet() == 2) { // the first one accepts
            throw new OutOfMemoryError("injected: no thread");
          }
          return THREADS.newThread(work);
        };
    try (CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file()))) {
      RamTransport.Source tap =
          MachineCheckpoint.sessionsInto(writer, AMPLE, socket(), kernel, scarce);
      String _ = tap.open(ByteBuffer.allocate(0));
      try (Fd first = SessionWords.say(kernel, socket(), session(1))) {
        assertThat(receive(kernel, first, READY.length)).isEmpty();
        try (Fd second = SessionWords.say(kernel, socket(), session(2))) {
          ask(second, frame(1), frame(COMPLETE));
        }
      }
      tap.close();
    }
    assertThat(socket()).doesNotExist();
  }

  /** In this kernel a receive waits for ever. */
  @Test
  void close_whileAWordIsNotFinished_doesNotWaitForIt() {
    FakeKernel fake = new FakeKernel();
    try (CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file()))) {
      RamTransport.Source tap =
          MachineCheckpoint.sessionsInto(writer, AMPLE, socket(), fake, THREADS);
      String _ = tap.open(ByteBuffer.allocate(0));
      try (Fd stream = fake.connect(socket())) {
        send(fake, stream, new byte[1]);
        await().atMost(PATIENCE).until(() -> fake.count("recvmsg") >= 2);
        tap.close();
      }
    }
    assertThat(fake.openFds()).isEmpty();
  }

  /** What a file of today has, to the byte: those of other versions of Sluice have it, too. */
  @Test
  void section_ofASession_isWhatItHasAlwaysBeen() {
    Section word = StoredSessions.section(7, session(3));
    assertThat(word.id()).isEqualTo(0x1f4);
    assertThat(hex(word))
        .isEqualTo(
            "07000000" // stream
                + "01000000030000000100000002000000" // a session, its handle, API and ranges
                + "00000100000000000030000000000000"
                + "00000200000000000030000000000000");
    Section bytes = StoredSessions.section(7, ByteBuffer.wrap(frame(COMPLETE)));
    assertThat(bytes.id()).isEqualTo(0x1f5);
    assertThat(hex(bytes)).isEqualTo("07000000" + "080000000f000000");
  }

  private static String hex(Section section) {
    byte[] bytes = new byte[section.payload().remaining()];
    section.payload().get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void take_sectionsThatCannotBe_areRefused() {
    refused("of no session", StoredSessions.section(1, ByteBuffer.wrap(frame(1))));
    refused("memory of no session", StoredSessions.section(1, memory(3, 1)));
    refused("without bytes", new Section(StoredSessions.BYTES_SECTION, 1, new byte[4]));
    refused("unknown version", new Section(StoredSessions.BYTES_SECTION, 2, new byte[5]));
    Section one = StoredSessions.section(1, session(3));
    refused("was there before", one, one);
    refused("was there before", StoredSessions.section(0, session(3)));
    refused("memory of no session", one, StoredSessions.section(1, memory(4, 1)));
    refused("another length", one, longer(StoredSessions.section(1, memory(3, 1))));
    for (String frame :
        List.of("0700000001000000", "0100000101000000", "ffffffff01000000", "0800000001000100")) {
      ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(frame));
      refused("frame of", one, StoredSessions.section(1, bytes));
    }
    ByteBuffer behind = ByteBuffer.wrap(join(frame(COMPLETE), frame(1)));
    refused("behind its end", one, StoredSessions.section(1, behind));
  }

  private static Section longer(Section section) {
    byte[] bytes = HexFormat.of().parseHex(hex(section) + "00");
    return new Section(section.id(), section.version(), bytes);
  }

  private static void refused(String why, Section... sections) {
    StoredSessions stored = new StoredSessions();
    assertThatThrownBy(() -> List.of(sections).forEach(stored::take))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining(why);
  }

  @Test
  void take_moreWordsThanThereMayBe_isRefused() {
    StoredSessions stored = new StoredSessions();
    stored.take(StoredSessions.section(1, session(3)));
    for (int i = 1; i < StoredSessions.MOST_WORDS; i++) {
      stored.take(StoredSessions.section(1, memory(3, 1)));
    }
    assertThatThrownBy(() -> stored.take(StoredSessions.section(1, memory(3, 1))))
        .hasMessageContaining("too many words");
  }

  @Test
  void open_fileWithAnyByteChangedOrCutOff_isRefused() throws Exception {
    save(tap -> {
      try (Fd stream = SessionWords.say(kernel, tap, session(1))) {
        ask(stream, frame(1, (byte) 1), frame(COMPLETE));
      }
    });
    byte[] whole = Files.readAllBytes(file());
    for (int at = 0; at < whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x10;
      Path _ = Files.write(file(), damaged);
      assertThatThrownBy(() -> CheckpointReader.open(kernel, file()))
          .as("at %d", at)
          .isInstanceOf(RefusedException.class);
      Path _ = Files.write(file(), java.util.Arrays.copyOf(whole, at));
      assertThatThrownBy(() -> CheckpointReader.open(kernel, file()))
          .as("cut off at %d", at)
          .isInstanceOf(RefusedException.class);
    }
  }
}

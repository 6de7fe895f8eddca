package io.sluice.migrate.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.qemu.RamTransport;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A machine's own stream on its way into a file and out of it. */
@Timeout(120)
final class MachineCheckpointTest {
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();
  private static final int BYTES = (3 << 20) + 17; // several sections, the last one not full

  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();
  private boolean sent;

  private Path file() {
    return directory.resolve("guest.checkpoint");
  }

  private Path socket() {
    return directory.resolve("stream");
  }

  private static byte[] stream() {
    byte[] bytes = new byte[BYTES];
    new Random(3).nextBytes(bytes);
    return bytes;
  }

  private static Frame frame(FrameType type, int first) {
    ByteBuffer payload = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    return Frame.of(type, payload.putInt(first).putInt(1).putLong(0).flip());
  }

  /** All that a source says of a guest that has no memory. */
  private static void tell(CheckpointWriter writer) {
    boolean taken = writer.send(MigrationLink.CONTROL, frame(FrameType.OFFER, 1));
    taken &= writer.send(MigrationLink.CONTROL, frame(FrameType.STATE, 0));
    taken &= writer.send(MigrationLink.CONTROL, frame(FrameType.RESTORE, 0));
    assertThat(taken).isTrue();
  }

  private static @Nullable FrameType next(MigrationLink link) {
    Frame frame = link.poll(MigrationLink.CONTROL);
    return frame == null ? null : frame.type();
  }

  /** As QEMU would. */
  private static void write(String uri, byte[] bytes) throws IOException {
    try (SocketChannel to = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      boolean connected = to.connect(UnixDomainSocketAddress.of(uri.substring("unix:".length())));
      assertThat(connected).isTrue();
      ByteBuffer out = ByteBuffer.wrap(bytes);
      while (out.hasRemaining()) {
        int _ = to.write(out);
      }
    }
  }

  private static void commit(CheckpointWriter writer) {
    boolean taken = writer.send(MigrationLink.CONTROL, Frame.of(FrameType.COMMIT));
    assertThat(taken).isTrue();
  }

  private void save(byte[] stream) throws IOException {
    sent = false;
    try (CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file()))) {
      writer.expectMachine(() -> sent);
      RamTransport.Source tap = MachineCheckpoint.into(writer, socket(), THREADS);
      write(tap.open(ByteBuffer.allocate(0)), stream);
      tell(writer);
      sent = true;
      while (next(writer) != FrameType.READY) {
        Thread.onSpinWait();
      }
      commit(writer);
      tap.close();
    }
    assertThat(file()).exists();
    assertThat(socket()).doesNotExist();
  }

  @Test
  void from_fileOfAMachine_givesItsStreamToTheByte() throws Exception {
    byte[] stream = stream();
    save(stream);
    try (CheckpointReader reader = CheckpointReader.open(kernel, file());
        ServerSocketChannel qemu = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      assertThat(reader.hasMachine()).isTrue();
      RamTransport.Target feed = MachineCheckpoint.from(reader, socket(), THREADS);
      assertThat(feed.uri()).isEqualTo("unix:" + socket());
      ServerSocketChannel _ = qemu.bind(UnixDomainSocketAddress.of(socket()));
      feed.listening();
      try (SocketChannel from = qemu.accept();
          InputStream in = Channels.newInputStream(from)) {
        assertThat(Arrays.equals(in.readAllBytes(), stream)).isTrue();
      }
      assertThat(next(reader)).as("its machine works").isEqualTo(FrameType.HEARTBEAT);
      assertThat(next(reader)).isEqualTo(FrameType.OFFER);
      assertThat(next(reader)).as("not accepted").isNull();
      feed.close();
      assertThat(socket()).doesNotExist();
    }
  }

  @Test
  void from_anotherFileGetsItsNameMeanwhile_givesTheStreamThatWasVerified() throws Exception {
    byte[] stream = stream();
    save(stream);
    try (CheckpointReader reader = CheckpointReader.open(kernel, file());
        ServerSocketChannel qemu = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      save(new byte[] {1, 2, 3});
      RamTransport.Target feed = MachineCheckpoint.from(reader, socket(), THREADS);
      ServerSocketChannel _ = qemu.bind(UnixDomainSocketAddress.of(socket()));
      feed.listening();
      try (SocketChannel from = qemu.accept();
          InputStream in = Channels.newInputStream(from)) {
        assertThat(Arrays.equals(in.readAllBytes(), stream)).isTrue();
      }
      feed.close();
    }
  }

  @Test
  void poll_machineHasNotSentAll_theFileIsNotComplete() throws Exception {
    try (CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file()))) {
      writer.expectMachine(() -> sent);
      tell(writer);
      assertThat(next(writer)).isEqualTo(FrameType.ACCEPT);
      sent = true;
      assertThat(next(writer)).as("its stream has not ended").isEqualTo(FrameType.HEARTBEAT);
      sent = false;
      writer.machineEnded();
      assertThat(next(writer)).as("it has failed").isNull();
      commit(writer); // out of turn: it counts for nothing
      sent = true;
      assertThat(next(writer)).isEqualTo(FrameType.READY);
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void close_machineHasSentAllAndItIsWanted_theFileIsThere() throws Exception {
    save(stream());
    assertThat(directory).isDirectoryContaining("glob:**guest.checkpoint");
  }

  @Test
  void machine_nobodyWantsTheFileAnyMore_itsConnectionEnds() throws Exception {
    CheckpointWriter writer = CheckpointWriter.create(FilePlace.open(kernel, file()));
    writer.expectMachine(() -> sent);
    RamTransport.Source tap = MachineCheckpoint.into(writer, socket(), THREADS);
    String uri = tap.open(ByteBuffer.allocate(0));
    writer.close();
    assertThatThrownBy(
            () -> {
              while (true) {
                write(uri, stream()); // the first end may only show with the next connection
              }
            })
        .isInstanceOf(IOException.class);
    Section part = new Section(CheckpointWriter.MACHINE_SECTION, 1, new byte[1]);
    assertThatThrownBy(() -> writer.take(part)).isInstanceOf(RefusedException.class);
    tap.close();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void open_streamOfTheMachineIsDamaged_isRefused() throws Exception {
    save(stream());
    byte[] whole = Files.readAllBytes(file());
    whole[whole.length / 2] ^= 1;
    Path _ = Files.write(file(), whole);
    assertThatThrownBy(() -> CheckpointReader.open(kernel, file()))
        .isInstanceOf(RefusedException.class);
  }
}

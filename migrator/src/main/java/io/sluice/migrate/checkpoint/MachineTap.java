package io.sluice.migrate.checkpoint;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.StreamSocket;
import io.sluice.migrate.qemu.RamTransport;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tap of QEMU's stream: it is taken at a socket and written. One that cannot be ends the
 * connection.
 */
final class MachineTap implements RamTransport.Source {
  private static final Logger LOG = LoggerFactory.getLogger(MachineTap.class);
  private static final int CHUNK_BYTES = 512 << 10;

  private final CheckpointWriter writer;
  private final Path socket;
  private final ThreadFactory threads;
  private volatile @Nullable ServerSocketChannel listener;
  private volatile @Nullable SocketChannel machine;
  private volatile boolean closed;

  MachineTap(CheckpointWriter writer, Path socket, ThreadFactory threads) {
    this.writer = writer;
    this.socket = socket;
    this.threads = threads;
  }

  @Override
  public String open(ByteBuffer target) {
    try {
      StreamSocket.remove(socket);
      ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      listener = listening;
      listening.bind(UnixDomainSocketAddress.of(socket));
      Thread thread = threads.newThread(() -> take(listening));
      thread.setName("sluice-checkpoint-machine");
      thread.start();
      return "unix:" + socket;
    } catch (IOException e) {
      throw new RefusedException(
          CheckpointCode.STREAM,
          Errno.EIO,
          "the machine's own stream cannot be taken at " + socket + ": " + e.getMessage(),
          "See to the directory of its QMP socket.");
    }
  }

  /** There is no QEMU that loads it. */
  @Override
  public boolean isAnswered() {
    return false;
  }

  private void take(ServerSocketChannel listening) {
    try (SocketChannel from = listening.accept()) {
      machine = from;
      listening.close();
      ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
      while (from.read(chunk) >= 0) {
        if (!chunk.hasRemaining()) {
          write(chunk);
        }
      }
      write(chunk);
      writer.machineEnded();
    } catch (IOException | SluiceException e) {
      if (!closed) {
        LOG.atWarn().log("a machine's stream does not get into a file", e);
      }
    }
  }

  private void write(ByteBuffer chunk) {
    if (chunk.position() > 0) {
      byte[] part = Arrays.copyOf(chunk.array(), chunk.position());
      writer.take(new Section(CheckpointWriter.MACHINE_SECTION, 1, part));
      chunk.clear();
    }
  }

  @Override
  public void close() {
    closed = true;
    close(listener);
    close(machine);
    try {
      StreamSocket.remove(socket);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("socket", socket).log("an old socket stays", e);
    }
  }

  private static void close(@Nullable AutoCloseable channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (Exception e) {
      LOG.atDebug().log("a machine's stream did not close", e);
    }
  }
}

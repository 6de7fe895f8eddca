package io.sluice.migrate.checkpoint;

import io.sluice.abi.SluiceException;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.StreamSocket;
import io.sluice.migrate.qemu.RamTransport;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The feed of a QEMU that listens: the stream that is in a checkpoint. What goes wrong with that
 * shows at QEMU, whose stream ends too early.
 */
final class MachineFeed implements RamTransport.Target {
  private static final Logger LOG = LoggerFactory.getLogger(MachineFeed.class);

  private final CheckpointReader reader;
  private final Path socket;
  private final ThreadFactory threads;
  private volatile @Nullable SocketChannel machine;
  private volatile boolean closed;

  MachineFeed(CheckpointReader reader, Path socket, ThreadFactory threads) {
    this.reader = reader;
    this.socket = socket;
    this.threads = threads;
  }

  @Override
  public String uri() {
    return "unix:" + socket;
  }

  /** Nobody else is to find it. */
  @Override
  public ByteBuffer address() {
    return ByteBuffer.allocate(0);
  }

  @Override
  public void listening() {
    Thread thread = threads.newThread(this::feed);
    thread.setName("sluice-restore-machine");
    thread.start();
  }

  private void feed() {
    Path file = reader.file();
    try (InputStream in = reader.stream();
        SocketChannel to = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      machine = to;
      to.connect(UnixDomainSocketAddress.of(socket));
      Section section = CheckpointReader.read(in, file);
      while (section.id() != StagedFile.END_SECTION && !closed) {
        if (section.id() == CheckpointWriter.MACHINE_SECTION) {
          write(to, section.payload());
        }
        section = CheckpointReader.read(in, file);
      }
    } catch (IOException | SluiceException e) {
      if (!closed) {
        LOG.atWarn().log("a machine does not take its stream out of a file", e);
      }
    }
  }

  private void write(SocketChannel to, ByteBuffer part) throws IOException {
    while (part.hasRemaining()) {
      reader.tookBytes(to.write(part));
    }
  }

  @Override
  public void close() {
    closed = true;
    SocketChannel open = machine;
    try {
      if (open != null) {
        open.close();
      }
      StreamSocket.remove(socket);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("socket", socket).log("an old socket stays", e);
    }
  }
}

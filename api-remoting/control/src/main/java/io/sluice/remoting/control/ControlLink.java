package io.sluice.remoting.control;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;

/**
 * One end of a control link. Any thread may send; one receives.
 *
 * <p>Descriptors travel with the first bytes of their line. A stream socket gives bytes that were
 * sent before in the same read, and none that were sent after: what comes with a read belongs to
 * the line of its last byte.
 */
public final class ControlLink implements AutoCloseable {
  /** Most bytes of a line: all sessions of a guest with all they may have. */
  static final int MAX_LINE = 4 << 20;

  private static final int BUFFER_BYTES = 16 << 10;

  /** Bytes of one {@code sendmsg}: a socket with room for any has room for these. */
  private static final int CHUNK_BYTES = 16 << 10;

  private final Kernel kernel;
  private final Fd socket;
  private final int patienceMs;
  private final IntConsumer heard;
  private final FdList fds = new FdList(); // of the line that was received, or is being
  private final FdList latest; // that came with what is in the buffer
  private final Object sending = new Object();
  private final Object closing = new Object();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int begin;
  private int end;

  /**
   * A link whose other end is waited for as long as it takes.
   *
   * @param socket a connected stream socket, owned from now on
   */
  public ControlLink(Kernel kernel, Fd socket) {
    this(kernel, socket, Duration.ofMillis(-1));
  }

  /**
   * @param socket a connected stream socket, owned from now on
   * @param patience how long the other end may leave the socket full before the link ends; negative
   *     for as long as it takes
   */
  public ControlLink(Kernel kernel, Fd socket, Duration patience) {
    this(kernel, socket, patience, _ -> {});
  }

  /**
   * A link at which the other end is heard at a pace.
   *
   * @param socket a connected stream socket, owned from now on
   * @param patience how long the other end may leave the socket full before the link ends; negative
   *     for as long as it takes
   * @param heard is told how many bytes each read has brought, and may wait: the other end does,
   *     too, when the socket is full
   */
  public ControlLink(Kernel kernel, Fd socket, Duration patience, IntConsumer heard) {
    this(kernel, socket, patience, heard, UnaryOperator.identity());
  }

  /**
   * A link at which the other end is heard at a pace, and what it sends is closed with care.
   *
   * @param socket a connected stream socket, owned from now on
   * @param patience how long the other end may leave the socket full before the link ends; negative
   *     for as long as it takes
   * @param heard is told how many bytes each read has brought, and may wait
   * @param custody what a descriptor that comes is wrapped into; says how it is closed, which may
   *     last as long as the other end likes
   */
  public ControlLink(
      Kernel kernel, Fd socket, Duration patience, IntConsumer heard, UnaryOperator<Fd> custody) {
    this.kernel = kernel;
    this.socket = socket;
    this.heard = heard;
    latest = new FdList(custody);
    patienceMs = (int) patience.toMillis();
  }

  /**
   * Sends a line, and descriptors with it.
   *
   * @param line without its end
   * @param passed stay the caller's
   * @throws SyscallException when the link is at its end; ETIMEDOUT when it is by that
   */
  public void send(String line, List<Fd> passed) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    synchronized (sending) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment all = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
        for (long sent = 0; sent < bytes.length; sent += CHUNK_BYTES) {
          awaitRoom();
          MemorySegment chunk = all.asSlice(sent, Math.min(CHUNK_BYTES, bytes.length - sent));
          kernel.sendmsg(socket, chunk, sent == 0 ? passed : List.of());
        }
      }
    }
  }

  /** Half a line is of no use to anybody: who waits in vain ends the link. */
  private void awaitRoom() {
    if (kernel.poll(List.of(socket), new short[] {Kernel.POLLOUT}, new short[1], patienceMs) == 0) {
      end();
      throw new SyscallException(
          "poll", socket + ", control link is full, ms=" + patienceMs, Errno.ETIMEDOUT.number());
    }
  }

  /** The next line, or none when the other end has closed. Its descriptors are to be taken. */
  public Optional<String> receive() throws LinkException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      for (int i = begin; i < end; i++) {
        if (buffer[i] == '\n') {
          line.write(buffer, begin, i - begin);
          begin = i + 1;
          if (begin == end) {
            claimLatest();
          }
          return Optional.of(text(line.toByteArray()));
        }
      }
      line.write(buffer, begin, end - begin);
      begin = 0;
      end = 0;
      claimLatest();
      if (line.size() > MAX_LINE) {
        throw new LinkException("a line is too long, max=" + MAX_LINE);
      }
      if (!read()) {
        return Optional.empty();
      }
    }
  }

  /** The line that the last byte of the buffer belongs to has them. */
  private void claimLatest() throws LinkException {
    while (latest.size() > 0) {
      fds.add(latest.take());
    }
    if (fds.size() > Kernel.MAX_MESSAGE_FDS) {
      throw new LinkException("a line comes with too many descriptors, has=" + fds.size());
    }
  }

  private boolean read() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(BUFFER_BYTES);
      long bytes = kernel.recvmsg(socket, into, latest);
      if (bytes <= 0) {
        return false;
      }
      MemorySegment.copy(into, ValueLayout.JAVA_BYTE, 0, buffer, 0, (int) bytes);
      end = (int) bytes;
    }
    heard.accept(end);
    return true;
  }

  private static String text(byte[] line) throws LinkException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    } catch (CharacterCodingException _) {
      throw new LinkException("a line is not UTF-8");
    }
  }

  /** Takes the one descriptor that came with the line just received. */
  public Fd takeDescriptor() throws LinkException {
    if (fds.size() != 1) {
      fds.closeAll();
      throw new LinkException("a line comes with one descriptor, has=" + fds.size());
    }
    return fds.take();
  }

  /** Takes the descriptors that came with the line just received; the caller owns them. */
  public List<Fd> takeDescriptors(int count) throws LinkException {
    if (fds.size() != count) {
      int size = fds.size();
      fds.closeAll();
      throw new LinkException("a line comes with others, wants=" + count + ", has=" + size);
    }
    List<Fd> taken = new ArrayList<>();
    while (taken.size() < count) {
      taken.add(fds.take());
    }
    return taken;
  }

  /** The line just received came with no descriptor. */
  public void refuseDescriptors() throws LinkException {
    if (fds.size() > 0) {
      fds.closeAll();
      throw new LinkException("a line comes with descriptors that nobody asked for");
    }
  }

  /** Wakes whoever receives or sends: the link is at its end for both ends. From any thread. */
  public void end() {
    synchronized (closing) {
      if (socket.isOpen()) {
        kernel.shutdown(socket);
      }
    }
  }

  /** Closes it; by the thread that receives. Whoever sends later fails. */
  @Override
  public void close() {
    end();
    fds.closeAll();
    latest.closeAll();
    synchronized (sending) {
      synchronized (closing) {
        socket.close();
      }
    }
  }
}

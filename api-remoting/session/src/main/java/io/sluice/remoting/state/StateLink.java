package io.sluice.remoting.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One end of a socket that carries a state stream, both ways. One thread reads; any may write, an
 * item behind those of the others, and {@link #end} it.
 *
 * <p>Descriptors come with a frame of their own: the sender sends what waits before it, and a
 * stream socket gives no byte behind descriptors in the same read. So what is read holds one such
 * frame at most, as its last.
 */
public final class StateLink implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 20;

  private final Kernel kernel;
  private final Fd socket;
  private final FdList fds = new FdList();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment out = arena.allocate(BUFFER_BYTES);
  private final MemorySegment in = arena.allocate(BUFFER_BYTES);
  private final ReentrantLock writing = new ReentrantLock();

  @GuardedBy("writing")
  private final FrameWriter writer = new FrameWriter();

  private final Object closing = new Object();
  private int begin;
  private int end;
  private volatile long sent; // changed under writing

  /**
   * @param socket a connected stream socket, owned from now on
   */
  public StateLink(Kernel kernel, Fd socket) {
    this.kernel = kernel;
    this.socket = socket;
  }

  /** How long to wait for a frame, milliseconds; 0 for as long as it takes. */
  public void patience(int milliseconds) {
    kernel.setReceiveTimeout(socket, milliseconds);
  }

  /** Writes an item, which may wait until {@link #flush}. */
  public void write(StateItem item) throws StateException {
    writing.lock();
    try {
      StateCodec.write(item, writer);
      if (writer.size() >= BUFFER_BYTES) {
        send(List.of());
      }
    } finally {
      writing.unlock();
    }
  }

  /**
   * Sends an item with descriptors.
   *
   * @param passed stay the caller's
   */
  public void write(StateItem item, List<Fd> passed) throws StateException {
    writing.lock();
    try {
      send(List.of());
      StateCodec.write(item, writer);
      send(passed);
    } finally {
      writing.unlock();
    }
  }

  /** Sends what waits. */
  public void flush() throws StateException {
    writing.lock();
    try {
      send(List.of());
    } finally {
      writing.unlock();
    }
  }

  @GuardedBy("writing")
  private void send(List<Fd> passed) throws StateException {
    List<Fd> with = passed;
    try {
      for (int at = 0; at < writer.size(); ) {
        int bytes = Math.min(BUFFER_BYTES, writer.size() - at);
        MemorySegment.copy(writer.array(), at, out, ValueLayout.JAVA_BYTE, 0, bytes);
        kernel.sendmsg(socket, out.asSlice(0, bytes), with);
        with = List.of();
        at += bytes;
      }
    } catch (SyscallException | IllegalStateException gone) {
      throw new StateException("the other session host is gone: " + gone.getMessage());
    }
    sent += writer.size();
    writer.clear();
  }

  /** Bytes sent so far. */
  public long sentBytes() {
    return sent;
  }

  /** The next item. */
  public StateItem read() throws StateException {
    if (begin == end) {
      fds.closeAll(); // nobody took them: they came with an item read before
    }
    byte[] header = bytes(StateCodec.HEADER_BYTES);
    FrameReader head = new FrameReader(header);
    int length = head.number(StateCodec.HEADER_BYTES, StateCodec.FRAME_BYTES);
    int type = head.number(0, 0xffff);
    return StateCodec.read(type, new FrameReader(bytes(length - StateCodec.HEADER_BYTES)));
  }

  private byte[] bytes(int count) throws StateException {
    byte[] bytes = new byte[count];
    int at = 0;
    while (at < count) {
      if (begin == end) {
        receive();
      }
      int some = Math.min(count - at, end - begin);
      MemorySegment.copy(in, ValueLayout.JAVA_BYTE, begin, bytes, at, some);
      begin += some;
      at += some;
    }
    return bytes;
  }

  private void receive() throws StateException {
    long count;
    try {
      count = kernel.recvmsg(socket, in, fds);
    } catch (SyscallException | IllegalStateException gone) {
      throw new StateException("the other session host is gone: " + gone.getMessage());
    }
    if (count <= 0) {
      throw new StateException("the other session host ended the stream, or said nothing in time");
    }
    begin = 0;
    end = (int) count;
  }

  /** Takes the descriptors that came with the item just read; the caller owns them. */
  public List<Fd> takeDescriptors(int count) throws StateException {
    if (fds.size() != count) {
      throw new StateException("an item comes with others, wants=" + count + ", has=" + fds.size());
    }
    return java.util.stream.Stream.generate(fds::take).limit(count).toList();
  }

  /**
   * Waits until the other end has ended the stream; what comes before that is nobody's.
   *
   * @param milliseconds how long to wait for a frame
   */
  public void awaitEnd(int milliseconds) {
    try {
      patience(milliseconds);
      while (true) {
        StateItem _ = read();
      }
    } catch (StateException | SyscallException _) {
      // that is it
    }
  }

  /** Has both ends find the stream at its end; from any thread. */
  public void end() {
    synchronized (closing) {
      if (socket.isOpen()) {
        kernel.shutdown(socket);
      }
    }
  }

  @Override
  public void close() {
    end();
    synchronized (closing) {
      socket.close();
    }
    fds.closeAll();
    arena.close();
  }
}

package io.sluice.vdevice;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.vfio.VfioUserHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Takes messages off a stream socket.
 *
 * <p>Exactly the 16 bytes of the header are received first, then the body. Descriptors travel with
 * the first byte of a message; a larger receive would attribute those of the next message, which a
 * client may have sent already, to this one. Peeking does the same.
 *
 * <p>The buffers live as long as the connection. Nothing is allocated for a message that arrives in
 * one piece and whose body is short.
 */
final class MessageReader {
  private static final int SHORT_BODY = 64;

  private final Kernel kernel;
  private final Fd socket;
  private final FdList fds = new FdList();
  private final MemorySegment header;
  private final MemorySegment body;
  private boolean patient;
  private final MemorySegment[] shortBodies = new MemorySegment[SHORT_BODY + 1];

  /**
   * @param arena of the connection; its thread is the only user
   */
  MessageReader(Kernel kernel, Fd socket, Arena arena) {
    this.kernel = kernel;
    this.socket = socket;
    header = arena.allocate(VfioUserHeader.SIZE, 8);
    body = arena.allocate(Limits.MAX_BODY_BYTES, 8);
    for (int bytes = 0; bytes <= SHORT_BODY; bytes++) {
      shortBodies[bytes] = body.asSlice(0, bytes);
    }
  }

  /** Waits for the next header; false when the peer is gone. */
  boolean readHeader() {
    return readFully(header);
  }

  /** What came when a header was waited for. */
  enum Received {
    /** A header. */
    HEADER,
    /** Nothing: the socket's receive timeout is over. */
    NOTHING,
    /** The end of the connection. */
    END
  }

  /** As {@link #readHeader}, but the socket has a receive timeout, which only tells. */
  Received awaitHeader() {
    patient = true;
    long done = kernel.recvmsg(socket, header, fds);
    if (done < 0) {
      return Received.NOTHING;
    }
    return done > 0 && readRest(header, done) ? Received.HEADER : Received.END;
  }

  /** Receives the body of the message; false when the peer went away in the middle. */
  boolean readBody(int bytes) {
    return readFully(bytes <= SHORT_BODY ? shortBodies[bytes] : body.asSlice(0, bytes));
  }

  /** Receives and forgets a body; false when the peer went away in the middle. */
  boolean discardBody(long bytes) {
    long left = bytes;
    while (left > 0) {
      int part = (int) Math.min(left, body.byteSize());
      if (!readBody(part)) {
        return false;
      }
      left -= part;
    }
    return true;
  }

  private boolean readFully(MemorySegment into) {
    long size = into.byteSize();
    if (size == 0) {
      return true;
    }
    long done = receive(into, 0);
    return done > 0 && readRest(into, done);
  }

  private boolean readRest(MemorySegment into, long had) {
    long done = had;
    while (done < into.byteSize()) {
      long more = receive(into, done);
      if (more <= 0) {
        return false;
      }
      done += more;
    }
    return true;
  }

  /** A client may take its time within a message. */
  private long receive(MemorySegment into, long from) {
    long got;
    do {
      got = kernel.recvmsg(socket, from == 0 ? into : into.asSlice(from), fds);
    } while (got < 0 && patient);
    return got;
  }

  /** The header received last. */
  MemorySegment header() {
    return header;
  }

  /** The body received last, at the start of a larger buffer. */
  MemorySegment body() {
    return body;
  }

  /** The descriptors that came with the message; whoever takes one owns it. */
  FdList fds() {
    return fds;
  }
}

package io.sluice.vdevice.protocol;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.vfio.VfioUserHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;

/**
 * The messages of a stream socket, one after the other.
 *
 * <p>A receive asks for {@link #AHEAD} bytes: a register access is there with one system call. What
 * has come of the messages behind it is kept. Descriptors come with the first byte of what a client
 * sent at once, and the kernel ends a receive behind the bytes that brought some; so they belong to
 * the last message of which anything was received. That this is never the wrong one is why no more
 * is asked for: a message that may bring descriptors has as many bytes, and nothing behind it comes
 * with the same receive.
 *
 * <p>The buffer lives as long as the connection. Nothing is allocated for a message that comes in
 * one piece and is short.
 */
public final class MessageReader {
  /**
   * Descriptors that may have come before the whole message has: as many as a message may have, and
   * as many again, so that one which has too many is answered before more are taken.
   */
  private static final int MOST_FDS = 2 * Limits.MAX_MESSAGE_FDS;

  /** Header and body of a REGION_WRITE of 4 bytes; no message that takes descriptors is shorter. */
  public static final int AHEAD = 36;

  private static final int HEADER = (int) VfioUserHeader.SIZE;

  private final Kernel kernel;
  private final Fd socket;
  private final FdList fds;
  private final FdList none = new FdList();
  private final MemorySegment buffer;
  private final MemorySegment start;
  private final MemorySegment header;
  private final MemorySegment body;

  private int had; // bytes in the buffer
  private int size; // of the message that begins it; 0 until its body was asked for
  private boolean fdsOfLater; // fds are a later message's
  private boolean patient;

  /**
   * @param foreign has the custody of the descriptors that come
   * @param arena of the connection; its thread is the only user
   */
  public MessageReader(Kernel kernel, Fd socket, UnaryOperator<Fd> foreign, Arena arena) {
    fds = new FdList(foreign);
    this.kernel = kernel;
    this.socket = socket;
    buffer = arena.allocate(HEADER + Limits.MAX_BODY_BYTES, 8);
    start = buffer.asSlice(0, AHEAD);
    header = buffer.asSlice(0, HEADER);
    body = buffer.asSlice(HEADER);
  }

  /** Waits for the next header, and takes nothing behind it; false when the peer is gone. */
  public boolean readHeader() {
    next();
    return fill(HEADER, HEADER);
  }

  /** The arrival when a header was waited for. */
  public enum Received {
    /** A header. */
    HEADER,
    /** Nothing: the socket's receive timeout is over. */
    NOTHING,
    /** The end of the connection. */
    END
  }

  /**
   * Waits for the next header, on a socket with a receive timeout, which only tells.
   *
   * @param ahead whether what is behind it may be received, too
   */
  public Received awaitHeader(boolean ahead) {
    patient = true;
    next();
    int most = ahead ? AHEAD : HEADER;
    if (had == 0) {
      long got = receive(most);
      if (got < 0) {
        return Received.NOTHING;
      }
      if (got == 0) {
        return Received.END;
      }
    }
    if (!fill(HEADER, most)) {
      return Received.END;
    }
    long whole = VfioUserHeader.MSG_SIZE.get(header);
    fdsOfLater = had > whole && fds.size() > 0;
    return Received.HEADER;
  }

  /** Receives the body of the message; false when the peer went away in the middle. */
  public boolean readBody(int bytes) {
    size = HEADER + bytes;
    return fill(size, size);
  }

  /** Whether something of the next message has been received. */
  public boolean hasMore() {
    return had > size;
  }

  /** Begins with what is behind the message that was read. */
  private void next() {
    had -= size;
    if (had > 0) {
      MemorySegment.copy(buffer, size, buffer, 0, had);
    } else {
      had = 0;
    }
    size = 0;
    fdsOfLater = false;
  }

  /**
   * Receives until there are enough bytes. A client may take its time within a message, but not
   * with a socket in it, which may be its own: whoever waits with that never hears that it is gone.
   * Nor may it bring more descriptors with each byte.
   */
  private boolean fill(int least, int most) {
    while (had < least) {
      if (fds.size() > MOST_FDS) {
        return false;
      }
      long got = receive(most);
      if (got == 0 || got < 0 && (!patient || fds.hasSocket(kernel))) {
        return false;
      }
    }
    return true;
  }

  private long receive(int most) {
    MemorySegment into = had == 0 && most == AHEAD ? start : buffer.asSlice(had, (long) most - had);
    long got = kernel.recvmsg(socket, into, fds);
    if (got > 0) {
      had += (int) got;
    }
    return got;
  }

  /** The header received last. */
  public MemorySegment header() {
    return header;
  }

  /** The body received last, at the start of a larger buffer. */
  public MemorySegment body() {
    return body;
  }

  /** The descriptors that came with the message; whoever takes one owns it. */
  public FdList fds() {
    return fdsOfLater ? none : fds;
  }

  /** Closes what nobody took of all that has come. */
  public void close() {
    fds.closeAll();
  }
}

package io.sluice.vdevice.protocol;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.vfio.VfioUserHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writer of messages: header, body and descriptors leave in one {@code sendmsg}.
 *
 * <p>A body is built in place, behind the room for the header. Each sending thread has its own
 * writer; those of one socket share a lock, so that messages do not mix.
 */
public final class MessageWriter {
  private static final int SHORT_MESSAGE = 96;

  private final Kernel kernel;
  private final Fd socket;
  private final ReentrantLock sendLock;
  private final MemorySegment message;
  private final MemorySegment body;
  private final MemorySegment[] shortMessages = new MemorySegment[SHORT_MESSAGE + 1];

  public MessageWriter(Kernel kernel, Fd socket, ReentrantLock sendLock, Arena arena) {
    this.kernel = kernel;
    this.socket = socket;
    this.sendLock = sendLock;
    message = arena.allocate(VfioUserHeader.SIZE + Limits.MAX_BODY_BYTES, 8);
    body = message.asSlice(VfioUserHeader.SIZE);
    for (int bytes = (int) VfioUserHeader.SIZE; bytes <= SHORT_MESSAGE; bytes++) {
      shortMessages[bytes] = message.asSlice(0, bytes);
    }
  }

  /** Where the body of the next message is built. */
  public MemorySegment body() {
    return body;
  }

  /** Answers a command. */
  public void reply(int id, int command, int bodyBytes, List<Fd> fds) {
    send(id, command, VfioUserHeader.TYPE_REPLY, 0, bodyBytes, fds);
  }

  /** Answers a command that failed: a header alone. */
  public void error(int id, int command, int errno) {
    int flags = VfioUserHeader.TYPE_REPLY | VfioUserHeader.FLAG_ERROR;
    send(id, command, flags, errno, 0, List.of());
  }

  /** Answers a command that failed: a header alone. */
  public void error(int id, int command, Errno errno) {
    error(id, command, errno.number());
  }

  /** Answers whatever a header announces. */
  public void refuse(MemorySegment header, Errno errno) {
    error(VfioUserHeader.MSG_ID.get(header), VfioUserHeader.CMD.get(header), errno);
  }

  /** Sends a command of ours. */
  public void command(int id, Command command, int bodyBytes) {
    send(id, command.code(), VfioUserHeader.TYPE_COMMAND, 0, bodyBytes, List.of());
  }

  private void send(int id, int command, int flags, int errno, int bodyBytes, List<Fd> fds) {
    int bytes = (int) VfioUserHeader.SIZE + bodyBytes;
    VfioUserHeader.MSG_ID.set(message, id);
    VfioUserHeader.CMD.set(message, command);
    VfioUserHeader.MSG_SIZE.setBits(message, bytes);
    VfioUserHeader.FLAGS.setBits(message, flags);
    VfioUserHeader.ERROR_NO.setBits(message, errno);
    MemorySegment out = bytes <= SHORT_MESSAGE ? shortMessages[bytes] : message.asSlice(0, bytes);
    sendLock.lock();
    try {
      kernel.sendmsg(socket, out, fds);
    } finally {
      sendLock.unlock();
    }
  }
}

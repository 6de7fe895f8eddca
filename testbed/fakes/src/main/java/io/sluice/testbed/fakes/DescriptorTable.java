package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/**
 * The open descriptors of the fake's one process: numbers, and the files they refer to. Under the
 * fake's lock.
 */
final class DescriptorTable {
  private static final int FIRST_FD = 3;

  private final IntConsumer closer;
  private final TreeMap<Integer, OpenFile> files = new TreeMap<>();
  private long inodes;

  /**
   * @param closer called, without the lock, when somebody closes a descriptor
   */
  DescriptorTable(IntConsumer closer) {
    this.closer = closer;
  }

  /** The number of a file that is to be made. */
  long nextInode() {
    return ++inodes;
  }

  /** The lowest free number, as POSIX has it. */
  Fd install(OpenFile file) {
    int number = FIRST_FD;
    while (files.containsKey(number)) {
      number++;
    }
    file.acquire();
    files.put(number, file);
    return new Fd(number, closer);
  }

  /** A number that is open already; EBADF. */
  Fd adopt(int number) {
    if (!files.containsKey(number)) {
      throw new SyscallException("fcntl", "fd " + number, Errno.EBADF.number());
    }
    return new Fd(number, closer);
  }

  /** Frees a number. */
  void remove(int number) {
    OpenFile file = files.remove(number);
    if (file == null) {
      throw new AssertionError("a descriptor was closed twice, fd=" + number);
    }
    file.release();
  }

  /** Number and what it is; a copy. */
  Map<Integer, String> names() {
    TreeMap<Integer, String> open = new TreeMap<>();
    files.forEach((number, file) -> open.put(number, file.name));
    return open;
  }

  /**
   * EBADF when it is closed.
   *
   * @param call the system call that asks, for the message
   */
  OpenFile file(Fd fd, String call) {
    OpenFile file = files.get(fd.number());
    if (file == null) {
      throw new SyscallException(call, fd.toString(), Errno.EBADF.number());
    }
    return file;
  }

  /** EINVAL when it is no memory. */
  MemoryFile memoryFile(Fd fd, String call) {
    OpenFile file = file(fd, call);
    if (file instanceof MemoryFile memory) {
      return memory;
    }
    throw file.failure(call, Errno.EINVAL);
  }

  /** EINVAL when it is no eventfd. */
  EventFile eventFile(Fd fd) {
    OpenFile file = file(fd, "write");
    if (file instanceof EventFile event) {
      return event;
    }
    throw file.failure("write", Errno.EINVAL);
  }

  /** ENOTSOCK, ENOTCONN when it is no connection. */
  SocketEnd socketEnd(Fd fd, String call) {
    OpenFile file = file(fd, call);
    if (file instanceof SocketEnd end) {
      return end;
    }
    throw file.failure(call, file instanceof ListenerFile ? Errno.ENOTCONN : Errno.ENOTSOCK);
  }
}

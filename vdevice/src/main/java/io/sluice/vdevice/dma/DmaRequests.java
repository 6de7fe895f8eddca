package io.sluice.vdevice.dma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.vfio.DmaAccess;
import io.sluice.vdevice.protocol.Command;
import io.sluice.vdevice.protocol.MessageWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * DMA_READ and DMA_WRITE: access to guest memory by messages to the client, which sees such writes
 * (QEMU marks the pages dirty). One request is under way at a time.
 *
 * <p>Any thread but the connection's own may ask: that one receives the answers. QEMU answers only
 * when it is not itself waiting for us, so never ask while holding up a reply.
 */
final class DmaRequests {
  /** Requests of {@link #writeBytes} under way at one time. */
  private static final int WINDOW = 32;

  /** Writes that a client may leave unanswered: it is asked for nothing more then. */
  static final int MAX_LATE_WRITES = 1024;

  private final MessageWriter writer;
  private final int maxBytes;
  private final Runnable release;

  private final ReentrantLock turn = new ReentrantLock(); // one request at a time
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition answered = lock.newCondition();

  @GuardedBy("lock")
  private int nextId;

  @GuardedBy("lock")
  private final Map<Integer, Pending> pending = new HashMap<>();

  /** Writes that nobody waited for to their end: the client may yet do them. */
  @GuardedBy("lock")
  private final Set<Integer> lateWrites = new HashSet<>();

  @GuardedBy("lock")
  private boolean closed;

  @GuardedBy("lock")
  private boolean released;

  private static final class Pending {
    final int id;
    final Command command;
    final long address;
    final long count;
    final @Nullable MemorySegment into;
    boolean done;
    int errno;

    Pending(int id, Command command, long address, long count, @Nullable MemorySegment into) {
      this.id = id;
      this.command = command;
      this.address = address;
      this.count = count;
      this.into = into;
    }
  }

  /**
   * @param writer of this object alone
   * @param maxBytes most the client takes in one message
   * @param release gives back what the writer writes from; run once, when this is closed and no
   *     request is under way
   */
  DmaRequests(MessageWriter writer, int maxBytes, Runnable release) {
    this.writer = writer;
    this.maxBytes = maxBytes;
    this.release = release;
  }

  /**
   * Reads guest memory.
   *
   * @throws RefusedException the client's error; ETIMEDOUT; ENOTCONN; EBUSY: it has left too many
   *     writes unanswered
   */
  void read(Iova address, MemorySegment into, Duration timeout) {
    for (long done = 0; done < into.byteSize(); ) {
      long bytes = Math.min(maxBytes, into.byteSize() - done);
      request(
          Command.DMA_READ,
          address.value() + done,
          bytes,
          into.asSlice(done, bytes),
          null,
          timeout);
      done += bytes;
    }
  }

  /**
   * Writes guest memory.
   *
   * @throws RefusedException the client's error; ETIMEDOUT; ENOTCONN; EBUSY: it has left too many
   *     writes unanswered
   */
  void write(Iova address, MemorySegment from, Duration timeout) {
    for (long done = 0; done < from.byteSize(); ) {
      long bytes = Math.min(maxBytes, from.byteSize() - done);
      request(
          Command.DMA_WRITE,
          address.value() + done,
          bytes,
          null,
          from.asSlice(done, bytes),
          timeout);
      done += bytes;
    }
  }

  /**
   * Writes single bytes, with many requests under way at once.
   *
   * @param bytes gives the byte of an address
   * @throws RefusedException the client's error; ETIMEDOUT; ENOTCONN; EBUSY: it has left too many
   *     writes unanswered
   */
  void writeBytes(Iova first, long stride, long count, LongToIntFunction bytes, Duration timeout) {
    turn.lock();
    Deque<Pending> window = new ArrayDeque<>();
    try {
      for (long i = 0; i < count; i++) {
        if (window.size() == WINDOW) {
          await(window.getFirst(), timeout);
          end(window.removeFirst());
        }
        long address = first.value() + i * stride;
        Pending one = begin(Command.DMA_WRITE, address, 1, null);
        window.addLast(one);
        DmaAccess.ADDR.set(writer.body(), address);
        DmaAccess.COUNT.set(writer.body(), 1);
        writer.body().set(ValueLayout.JAVA_BYTE, DmaAccess.SIZE, (byte) bytes.applyAsInt(address));
        writer.command(one.id, Command.DMA_WRITE, (int) DmaAccess.SIZE + 1);
      }
      for (Pending one : window) {
        await(one, timeout);
      }
    } finally {
      window.forEach(this::end);
      turn.unlock();
    }
  }

  private void request(
      Command command,
      long address,
      long count,
      @Nullable MemorySegment into,
      @Nullable MemorySegment from,
      Duration timeout) {
    turn.lock();
    try {
      Pending mine = begin(command, address, count, into);
      try {
        DmaAccess.ADDR.set(writer.body(), address);
        DmaAccess.COUNT.set(writer.body(), count);
        if (from != null) {
          MemorySegment.copy(from, 0, writer.body(), DmaAccess.SIZE, count);
        }
        writer.command(mine.id, command, (int) (DmaAccess.SIZE + (from == null ? 0 : count)));
        await(mine, timeout);
      } finally {
        end(mine);
      }
    } finally {
      turn.unlock();
    }
  }

  private Pending begin(Command command, long address, long count, @Nullable MemorySegment into) {
    lock.lock();
    try {
      if (closed) {
        throw failed(command, address, Errno.ENOTCONN.number());
      }
      if (lateWrites.size() >= MAX_LATE_WRITES) {
        throw failed(command, address, Errno.EBUSY.number());
      }
      do {
        nextId = (nextId + 1) & 0xffff;
      } while (pending.containsKey(nextId) || lateWrites.contains(nextId));
      Pending mine = new Pending(nextId, command, address, count, into);
      pending.put(mine.id, mine);
      return mine;
    } finally {
      lock.unlock();
    }
  }

  private void await(Pending mine, Duration timeout) {
    lock.lock();
    try {
      long left = timeout.toNanos();
      while (!mine.done) {
        if (closed) {
          throw failed(mine.command, mine.address, Errno.ENOTCONN.number());
        }
        if (left <= 0) {
          throw failed(mine.command, mine.address, Errno.ETIMEDOUT.number());
        }
        left = answered.awaitNanos(left);
      }
      if (mine.errno != 0) {
        throw failed(mine.command, mine.address, mine.errno);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(mine.command, mine.address, Errno.ECANCELED.number());
    } finally {
      lock.unlock();
    }
  }

  private void end(Pending mine) {
    lock.lock();
    try {
      pending.remove(mine.id);
      if (mine.command == Command.DMA_WRITE && !mine.done) {
        lateWrites.add(mine.id);
      }
      releaseIfUnused();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the client has answered every write, also those that were given up: until then it
   * may yet do them. Ends at once when the connection is gone; a client that is frozen keeps it
   * waiting.
   *
   * @throws RefusedException ECANCELED the thread was interrupted
   */
  void awaitWrites() {
    lock.lock();
    try {
      while (!closed && (!lateWrites.isEmpty() || writes())) {
        answered.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(Command.DMA_WRITE, 0, Errno.ECANCELED.number());
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private boolean writes() {
    return pending.values().stream().anyMatch(one -> one.command == Command.DMA_WRITE && !one.done);
  }

  /**
   * Takes a reply; called by the connection's thread.
   *
   * @param errno 0, or the client's error
   * @return false when nobody waits for it: late, or never asked for
   */
  boolean complete(int id, int commandCode, int errno, MemorySegment body, int bytes) {
    lock.lock();
    try {
      if (commandCode == Command.DMA_WRITE.code() && lateWrites.remove(id)) {
        answered.signalAll();
        return true;
      }
      Pending waiting = pending.get(id);
      if (waiting == null || waiting.done || waiting.command.code() != commandCode) {
        return false;
      }
      MemorySegment into = waiting.into;
      long expected = DmaAccess.SIZE + (into == null ? 0 : waiting.count);
      if (errno != 0) {
        waiting.errno = errno;
      } else if (bytes != expected
          || DmaAccess.ADDR.get(body) != waiting.address
          || (into != null && DmaAccess.COUNT.get(body) != waiting.count)) {
        waiting.errno = Errno.EPROTO.number();
      } else if (into != null) {
        MemorySegment.copy(body, DmaAccess.SIZE, into, 0, waiting.count);
      }
      waiting.done = true;
      answered.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Fails who waits and who will ask: the connection is gone. Does not wait for who is sending. */
  void close() {
    lock.lock();
    try {
      closed = true;
      answered.signalAll();
      releaseIfUnused();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void releaseIfUnused() {
    if (closed && pending.isEmpty() && !released) {
      released = true;
      release.run();
    }
  }

  private static RefusedException failed(Command command, long address, int errno) {
    return new RefusedException(
        DmaCode.MESSAGE,
        Errno.of(errno).orElse(Errno.EIO),
        command + " failed, iova=0x" + Long.toHexString(address) + ", error=" + Errno.nameOf(errno),
        "");
  }
}

package io.sluice.migrate.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.record.Section;
import io.sluice.channel.record.SectionHeader;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A link between two daemons of one host over a connected UNIX socket, which also carries
 * descriptors. Frames are sections; descriptors are announced by a section of their own and
 * counted, so that it does not matter with which bytes they arrive.
 *
 * <p>A frame is sent at once, by its sender: a peer that does not read keeps only senders waiting,
 * until the link is closed. One thread receives; it stops while more pages wait to be taken than
 * {@link #MAX_WAITING_PAGES}. Where memory changes hands as descriptors, none come.
 */
public final class UnixLink
    implements MigrationLink, ProcessSource.FileSender, ProcessTarget.FileReceiver {
  /** Section that announces descriptors: {@code u32 how many in all}. */
  private static final int FILES_SECTION = 0x1f0;

  private static final int MAX_FILES = 4096;

  /** Frames of pages that wait at most. */
  private static final int MAX_WAITING_PAGES = 64;

  private final Kernel kernel;
  private final Fd socket;

  /**
   * Held while the peer is waited for: whoever sends takes it first, and nobody takes it who has
   * {@code lock}.
   */
  private final ReentrantLock sending = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();

  private final FdList came = new FdList(); // of the receiving thread

  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<Frame> frames = new ArrayDeque<>();

  @GuardedBy("lock")
  private final Deque<Frame> pages = new ArrayDeque<>();

  @GuardedBy("lock")
  private List<Fd> files = new ArrayList<>();

  @GuardedBy("lock")
  private int filesAnnounced = -1;

  @GuardedBy("lock")
  private @Nullable RefusedException failure;

  @GuardedBy("lock")
  private boolean over; // the receiver has ended

  @GuardedBy("lock")
  private long sent;

  @GuardedBy("lock")
  private long received;

  private volatile Runnable waker = () -> {};

  /**
   * @param socket connected; owned by this
   * @param threads makes the receiving thread, a platform thread
   */
  public UnixLink(Kernel kernel, Fd socket, ThreadFactory threads) {
    this.kernel = kernel;
    this.socket = socket;
    Thread thread = threads.newThread(this::receive);
    thread.setName("sluice-migration-link");
    thread.start();
  }

  @Override
  public int dataStreams() {
    return 1;
  }

  @Override
  public boolean send(int stream, Frame frame) {
    byte[] payload = new byte[frame.payload().remaining()];
    frame.reader().get(payload);
    transmit(new Section(frame.type().number(), frame.version(), payload), List.of());
    return true;
  }

  /** Passes copies of descriptors on. */
  @Override
  public void send(List<Fd> given) {
    for (int from = 0; from < given.size(); from += Kernel.MAX_MESSAGE_FDS) {
      ByteBuffer count = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      count.putInt(given.size());
      transmit(
          new Section(FILES_SECTION, 1, count.array()),
          given.subList(from, Math.min(given.size(), from + Kernel.MAX_MESSAGE_FDS)));
    }
  }

  private void transmit(Section section, List<Fd> given) {
    ByteBuffer bytes = ByteBuffer.allocate(section.sizeBytes());
    section.write(bytes);
    sending.lock();
    try (Arena arena = Arena.ofConfined()) {
      requireAlive(); // then the socket is open for as long as this is being sent
      MemorySegment message = arena.allocate(bytes.capacity(), Long.BYTES);
      message.copyFrom(MemorySegment.ofArray(bytes.array()));
      kernel.sendmsg(socket, message, given);
    } finally {
      sending.unlock();
    }
    lock.lock();
    try {
      sent += bytes.capacity();
    } finally {
      lock.unlock();
    }
  }

  private void requireAlive() {
    lock.lock();
    try {
      RefusedException ended = failure;
      if (ended != null) {
        throw ended;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable Frame poll(int stream) {
    lock.lock();
    try {
      Frame frame = stream == CONTROL ? frames.poll() : pages.poll();
      if (stream != CONTROL && frame != null) {
        changed.signalAll();
      }
      RefusedException ended = failure;
      if (frame == null && ended != null) {
        throw ended;
      }
      return frame;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Optional<List<Fd>> take() {
    lock.lock();
    try {
      if (filesAnnounced < 0 || files.size() < filesAnnounced) {
        return Optional.empty();
      }
      List<Fd> taken = files;
      files = new ArrayList<>();
      filesAnnounced = -1;
      return Optional.of(taken);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isFlushed() {
    return true;
  }

  @Override
  public Optional<RefusedException> failure() {
    lock.lock();
    try {
      return Optional.ofNullable(failure);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean awaitClosed(Duration patience) {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (!over && left > 0) {
        left = changed.awaitNanos(left);
      }
      return over;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void setWaker(Runnable newWaker) {
    waker = newWaker;
  }

  @Override
  public Statistics statistics() {
    lock.lock();
    try {
      return new Statistics(sent, received, 0, 0, 0, 0);
    } finally {
      lock.unlock();
    }
  }

  /** The receiver closes the socket when it has ended. */
  @Override
  public void close() {
    fail("closed");
    lock.lock();
    try {
      if (!over) {
        kernel.shutdown(socket);
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- receiving ----

  private void receive() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer =
          arena.allocate(SectionHeader.BYTES + SectionHeader.MAX_PAYLOAD_BYTES, Long.BYTES);
      while (receiveOne(buffer)) {
        waker.run();
      }
      fail("the peer is gone");
    } catch (SluiceException e) {
      fail(String.valueOf(e.getMessage()));
    } finally {
      fail("it is not received from any more");
      kernel.shutdown(socket); // whoever sends waits no longer
      sending.lock();
      try {
        end();
      } finally {
        sending.unlock();
      }
    }
  }

  private void end() {
    lock.lock();
    try {
      over = true;
      changed.signalAll();
      socket.close();
      came.closeAll();
      files.forEach(Fd::close);
      files.clear();
    } finally {
      lock.unlock();
    }
  }

  private boolean receiveOne(MemorySegment buffer) {
    if (!fill(buffer.asSlice(0, SectionHeader.BYTES))) {
      return false;
    }
    SectionHeader header =
        SectionHeader.read(buffer.asSlice(0, SectionHeader.BYTES).asByteBuffer());
    long size = SectionHeader.BYTES + (long) header.length();
    if (header.length() > 0 && !fill(buffer.asSlice(SectionHeader.BYTES, header.length()))) {
      return false;
    }
    Section section = Section.read(buffer.asSlice(0, size).asByteBuffer());
    lock.lock();
    try {
      received += size;
      while (came.size() > 0) {
        files.add(came.take());
      }
      if (files.size() > MAX_FILES) {
        throw refused("too many descriptors");
      }
      if (section.id() == FILES_SECTION) {
        filesAnnounced = section.payload().getInt();
      } else {
        FrameType type = FrameType.of(section.id());
        if (type == null) {
          throw refused("a frame of no known kind, id=" + section.id());
        }
        Frame frame = new Frame(type, section.version(), section.payload());
        if (isOfPages(type)) {
          while (pages.size() >= MAX_WAITING_PAGES && failure == null) {
            changed.awaitUninterruptibly();
          }
          pages.add(frame);
        } else {
          frames.add(frame);
        }
      }
    } finally {
      lock.unlock();
    }
    return true;
  }

  private static boolean isOfPages(FrameType type) {
    return type == FrameType.PAGES || type == FrameType.ZEROS || type == FrameType.BARRIER;
  }

  private boolean fill(MemorySegment into) {
    long done = 0;
    while (done < into.byteSize()) {
      long got = kernel.recvmsg(socket, into.asSlice(done), came);
      if (got <= 0) {
        return false;
      }
      done += got;
    }
    return true;
  }

  private void fail(String why) {
    lock.lock();
    try {
      if (failure == null) {
        failure = refused(why);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    waker.run();
  }

  private static RefusedException refused(String why) {
    return new RefusedException(
        MigrationCode.LINK_ENDED,
        Errno.ECONNRESET,
        "the link between the daemons ended: " + why,
        "");
  }
}

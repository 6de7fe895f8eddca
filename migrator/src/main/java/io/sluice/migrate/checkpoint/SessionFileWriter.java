package io.sluice.migrate.checkpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.record.Section;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of a file of one session, whose objects are in it and nowhere else. So it is on the
 * disk before the session's host hears that all was taken; it gets its name when the session is
 * known to have left.
 *
 * <pre>
 *  section 0x1f1 version 1: "sluice session"
 *  section 0x1f6 version 1: u64, u64 an id that no other file has
 *  sections 0x1f5 of stream 1, see {@link StoredSessions}
 *  section 0x1f2 version 1: u64 how many sections came before
 * </pre>
 */
public final class SessionFileWriter implements AutoCloseable {
  static final int ID_SECTION = 0x1f6;
  static final int STREAM = 1;
  static final Section HEAD = StagedFile.head("sluice session");

  private static final Logger LOG = LoggerFactory.getLogger(SessionFileWriter.class);

  private final Kernel kernel;
  private final SessionAllowance allowance;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final StagedFile file;

  @GuardedBy("lock")
  private boolean whole;

  @GuardedBy("lock")
  private boolean over; // it has its name, or is gone

  @GuardedBy("lock")
  private @Nullable RefusedException failure;

  private SessionFileWriter(Kernel kernel, SessionAllowance allowance, StagedFile file) {
    this.kernel = kernel;
    this.allowance = allowance;
    this.file = file;
  }

  /**
   * Begins a file, as {@link CheckpointWriter#create} does.
   *
   * @param place owned from now on
   * @param id that no other file has
   * @param allowance of its bytes
   * @param waits whether a session waits in the file of an id: that is not replaced
   * @throws RefusedException when it cannot be made
   */
  public static SessionFileWriter create(
      FilePlace place, UUID id, Kernel kernel, SessionAllowance allowance, Predicate<UUID> waits) {
    SessionFileWriter writer =
        new SessionFileWriter(
            kernel,
            allowance,
            StagedFile.create(
                place,
                HEAD,
                there -> SessionFileReader.idOf(kernel, there).filter(waits).isPresent()));
    boolean complete = false;
    try {
      writer.write(id(id));
      complete = true;
      return writer;
    } finally {
      if (!complete) {
        writer.close();
      }
    }
  }

  static Section id(UUID id) {
    FieldWriter fields = new FieldWriter();
    return new Section(
        ID_SECTION,
        1,
        fields.u64(id.getMostSignificantBits()).u64(id.getLeastSignificantBits()).toBytes());
  }

  private void write(Section section) {
    lock.lock();
    try {
      file.write(section);
    } catch (IOException e) {
      throw fail(e);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private RefusedException fail(IOException e) {
    failure = file.refused(e);
    return failure;
  }

  /** Takes the session's stream, to its end; the other end is told by that if it cannot be. */
  public void record(Fd stream) {
    record(stream, SessionRecorder.PATIENCE_MS);
  }

  /**
   * As the other.
   *
   * @param patienceMs how long it may say nothing
   */
  void record(Fd stream, int patienceMs) {
    try {
      new SessionRecorder(kernel, STREAM, allowance, new Parts()).record(stream, patienceMs);
    } catch (SluiceException e) {
      if (e instanceof RefusedException refused) {
        refuse(refused);
      }
      LOG.atWarn().log("a session does not get into a file: {}", e.getMessage());
    } finally {
      kernel.shutdown(stream);
    }
  }

  private void refuse(RefusedException why) {
    lock.lock();
    try {
      failure = failure == null ? why : failure;
    } finally {
      lock.unlock();
    }
  }

  private final class Parts implements SessionRecorder.Sink {
    @Override
    public void take(Section part) {
      write(part);
    }

    @Override
    public void whole() {
      lock.lock();
      try {
        file.end();
        whole = true;
      } catch (IOException e) {
        throw fail(e);
      } finally {
        lock.unlock();
      }
    }
  }

  /** Whether all of the session is in it. */
  public boolean isWhole() {
    lock.lock();
    try {
      return whole;
    } finally {
      lock.unlock();
    }
  }

  /** Why it could not be written, or the session not be taken; empty when it could. */
  public Optional<RefusedException> failure() {
    lock.lock();
    try {
      return Optional.ofNullable(failure);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives the file its name.
   *
   * @throws RefusedException when that cannot be; it stays where it is, since it is all there is
   */
  public void publish() {
    lock.lock();
    try {
      if (!whole) {
        throw new IllegalStateException("it is not whole, file=" + file.staged());
      }
      over = true;
      try {
        file.publish();
      } finally {
        file.leave();
      }
    } catch (IOException e) {
      throw fail(e);
    } finally {
      lock.unlock();
    }
  }

  /** Where it is when it could not get its name. */
  public Path staged() {
    lock.lock();
    try {
      return file.staged();
    } finally {
      lock.unlock();
    }
  }

  /** Removes it, unless it was wanted. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!over) {
        over = true;
        file.discard();
      }
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("a file of a session stays, file={}", file.staged());
    } finally {
      lock.unlock();
    }
  }
}

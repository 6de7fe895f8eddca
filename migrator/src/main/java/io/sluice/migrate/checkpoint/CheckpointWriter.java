package io.sluice.migrate.checkpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.channel.record.Section;
import io.sluice.migrate.checkpoint.FileState.Committed;
import io.sluice.migrate.checkpoint.FileState.Complete;
import io.sluice.migrate.checkpoint.FileState.Ending;
import io.sluice.migrate.checkpoint.FileState.Failed;
import io.sluice.migrate.checkpoint.FileState.Gone;
import io.sluice.migrate.checkpoint.FileState.Taking;
import io.sluice.migrate.checkpoint.FileState.Whole;
import io.sluice.migrate.engine.Offer;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.phase.StateMachine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The source's end of a migration into a file. It plays the destination that takes everything: the
 * offer, and in the end the whole guest. The guest goes on as soon as all was taken; the file is
 * flushed and gets its name when this is closed, if the source has said COMMIT. Until then it has
 * another name, and otherwise it goes.
 *
 * <p>One thread drives it; a machine's own stream comes by another.
 *
 * <pre>
 *  head "sluice checkpoint", see {@link StagedFile}
 *  the frames, each a section, in the order they were sent; of a machine among them
 *    section 0x1f3 version 1: bytes of QEMU's own stream, in their order
 *    those of its sessions, see {@link StoredSessions}
 * </pre>
 */
public final class CheckpointWriter implements MigrationLink {
  static final int MACHINE_SECTION = 0x1f3;
  static final String MAGIC = "sluice checkpoint";

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final StagedFile file;

  @GuardedBy("lock")
  private final Deque<Frame> replies = new ArrayDeque<>();

  private final StateMachine<FileStage, FileState> state;

  @GuardedBy("lock")
  private MachineStream machine = new MachineStream.None();

  @GuardedBy("lock")
  private int reached; // of the barriers

  @GuardedBy("lock")
  private boolean alive; // since it was last said

  private CheckpointWriter(Path name, StagedFile file) {
    this.file = file;
    state = new StateMachine<>("checkpoint " + name, new Taking());
  }

  /**
   * Begins a file, which only its owner can read. An earlier checkpoint of that name is replaced in
   * the end, and nothing else.
   *
   * @param place owned from now on
   * @throws RefusedException when it cannot be made
   */
  public static CheckpointWriter create(FilePlace place) {
    return new CheckpointWriter(
        place.named(), StagedFile.create(place, StagedFile.head(MAGIC), _ -> false));
  }

  /**
   * A machine's own stream is part of the file too, which is not complete without it.
   *
   * @param sent whether the machine says that it has sent all of it
   */
  public void expectMachine(BooleanSupplier sent) {
    lock.lock();
    try {
      machine = new MachineStream.Coming(sent);
    } finally {
      lock.unlock();
    }
  }

  /**
   * A part that does not come by the engine: of the machine's own stream, or its sessions'. Called
   * by any thread.
   *
   * @throws RefusedException when it cannot be written, or nobody wants it any more
   */
  void take(Section part) {
    lock.lock();
    try {
      requireOpen();
      file.write(part);
      alive = true;
    } catch (IOException e) {
      throw fail(e);
    } finally {
      lock.unlock();
    }
  }

  /** There will be no file, for this reason, unless that is settled. Called by any thread. */
  void refuse(RefusedException why) {
    lock.lock();
    try {
      switch (state.state()) {
        case Taking _, Ending _, Whole _ -> state.enter(new Failed(why), "it is not taken on");
        case Committed _, Complete _, Failed _, Gone _ -> {}
      }
    } finally {
      lock.unlock();
    }
  }

  /** The machine's own stream has ended; whether well is the machine's to say. */
  void machineEnded() {
    lock.lock();
    try {
      machine = machine.ended();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void requireOpen() {
    switch (state.state()) {
      case Taking _, Ending _, Whole _, Committed _ -> {}
      case Failed(RefusedException why) -> throw why;
      case Gone(RefusedException why) -> throw why == null ? givenUp() : why;
      case Complete _ -> throw givenUp();
    }
  }

  @GuardedBy("lock")
  private RefusedException givenUp() {
    return file.refused(new IOException("given up"));
  }

  @GuardedBy("lock")
  private RefusedException fail(IOException e) {
    RefusedException why = file.refused(e);
    state.enter(new Failed(why), "it cannot be written");
    return why;
  }

  @Override
  public int dataStreams() {
    return 1;
  }

  @Override
  public boolean send(int stream, Frame frame) {
    lock.lock();
    try {
      requireOpen();
      alive = true;
      boolean whole = isWhole();
      if (frame.type() == FrameType.COMMIT) {
        commit();
      }
      if (whole || frame.type() == FrameType.COMMIT || frame.type() == FrameType.HEARTBEAT) {
        return true;
      }
      byte[] payload = new byte[frame.payload().remaining()];
      frame.reader().get(payload);
      take(frame, new Section(frame.type().number(), frame.version(), payload));
      return true;
    } catch (IOException e) {
      throw fail(e);
    } finally {
      lock.unlock();
    }
  }

  private boolean isWhole() {
    return state.stage() == FileStage.WHOLE || state.stage() == FileStage.COMMITTED;
  }

  private void commit() {
    if (state.stage() == FileStage.WHOLE) {
      state.enter(new Committed(), "the source says so");
    }
  }

  /**
   * The state may come while pages still do, and before the machine's last pass: RESTORE, which
   * closes the file, waits for the last barrier and the end of the machine's stream.
   */
  @GuardedBy("lock")
  private void take(Frame frame, Section section) throws IOException {
    if (frame.type() == FrameType.RESTORE) {
      state.enter(new Ending(section, frame.reader().getInt()), "the guest's state has come");
    } else {
      file.write(section);
    }
    if (frame.type() == FrameType.OFFER) {
      replies.add(accept());
    } else if (frame.type() == FrameType.BARRIER) {
      reached = frame.reader().getInt();
    }
    endWhenAllIsIn();
  }

  @GuardedBy("lock")
  private void endWhenAllIsIn() throws IOException {
    if (state.state() instanceof Ending(Section last, int passes)
        && reached >= passes
        && machine.isIn()) {
      file.write(last);
      state.enter(new Whole(), "all has come");
      replies.add(Frame.of(FrameType.READY));
    }
  }

  private static Frame accept() {
    return Frame.of(
        FrameType.ACCEPT, ByteBuffer.wrap(new FieldWriter().bits(Offer.VERSION).toBytes()));
  }

  /** A file is never silent: each time something was written it says so. */
  @Override
  public @Nullable Frame poll(int stream) {
    if (stream != CONTROL) {
      return null;
    }
    lock.lock();
    try {
      requireOpen();
      endWhenAllIsIn();
      Frame reply = replies.poll();
      if (reply == null && alive) {
        alive = false;
        return Frame.of(FrameType.HEARTBEAT);
      }
      return reply;
    } catch (IOException e) {
      throw fail(e);
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
      return switch (state.state()) {
        case Failed(RefusedException why) -> Optional.of(why);
        case Gone(RefusedException why) -> Optional.ofNullable(why);
        case Taking _, Ending _, Whole _, Committed _, Complete _ -> Optional.empty();
      };
    } finally {
      lock.unlock();
    }
  }

  /** Whether the file is there, whole and with its name; not before this is closed. */
  public boolean isComplete() {
    return state.stage() == FileStage.COMPLETE;
  }

  @Override
  public void setWaker(Runnable waker) {}

  @Override
  public Statistics statistics() {
    lock.lock();
    try {
      return new Statistics(file.bytes(), 0, 0, 0, 0, 0);
    } finally {
      lock.unlock();
    }
  }

  /** Flushes the file and gives it its name, if that is wanted; otherwise it goes. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (state.stage() == FileStage.COMMITTED) {
        complete();
      }
      discard();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void complete() {
    try {
      file.end();
      file.publish();
    } catch (RefusedException e) {
      state.enter(new Failed(e), "something else has its name");
      return;
    } catch (IOException e) {
      RefusedException _ = fail(e);
      return;
    }
    state.enter(new Complete(), "it has its name");
  }

  @GuardedBy("lock")
  private void discard() {
    if (state.stage().isOver()) {
      return;
    }
    RefusedException why = state.state() instanceof Failed(RefusedException known) ? known : null;
    try {
      file.discard();
    } catch (IOException e) {
      why = file.refused(e);
    }
    state.enter(new Gone(why), "nobody wants it");
  }
}

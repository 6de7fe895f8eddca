package io.sluice.migrate.process;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.guest.Guest;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.vdevice.Adoption;
import io.sluice.vdevice.GuestDevice;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A process that comes from another daemon of this host. */
public final class ProcessTarget implements TargetMachine {
  /** The bringer of the descriptors that the source passed on. */
  @FunctionalInterface
  public interface FileReceiver {
    /** All of them, once they have come; then they are the caller's. */
    Optional<List<Fd>> take();
  }

  private final GuestDevice device;
  private final FileReceiver receiver;
  private @Nullable Adoption adoption;
  private State state = State.IDLE;

  /**
   * @param device that will serve the process
   */
  public ProcessTarget(GuestDevice device, FileReceiver receiver) {
    this.device = device;
    this.receiver = receiver;
  }

  /** The guest; empty before {@link #restore}. */
  public Optional<Guest> guest() {
    return Optional.ofNullable(adoption).map(Adoption::guest);
  }

  @Override
  public ByteBuffer prepare(ByteBuffer source) {
    // Nothing for a process that comes with all it has at the end; its files came before, if not.
    if (source.hasRemaining() && !adopt(source)) {
      throw new RefusedException(
          MigrationCode.NO_FILES, Errno.EPROTO, "a process comes without its files", "");
    }
    state = State.COMPLETED;
    return ByteBuffer.allocate(0);
  }

  @Override
  public MachineProgress progress() {
    return MachineProgress.of(state);
  }

  @Override
  public boolean restore(List<ByteBuffer> parts) {
    return adoption != null || adopt(join(parts));
  }

  /** False when its files have not come. */
  private boolean adopt(ByteBuffer record) {
    Optional<List<Fd>> files = receiver.take();
    if (files.isEmpty()) {
      return false;
    }
    boolean complete = false;
    try {
      adoption = device.adopt(record, files.get());
      complete = true;
      return true;
    } finally {
      if (!complete) {
        files.get().forEach(Fd::close);
      }
    }
  }

  private static ByteBuffer join(List<ByteBuffer> parts) {
    int bytes = parts.stream().mapToInt(ByteBuffer::remaining).sum();
    ByteBuffer all = ByteBuffer.allocate(bytes);
    parts.forEach(part -> all.put(part.duplicate()));
    return all.flip();
  }

  @Override
  public void resume() {
    Adoption taken = adoption;
    if (taken != null) {
      taken.serve();
      state = State.RUNNING;
    }
  }

  @Override
  public void abort() {
    Adoption taken = adoption;
    adoption = null;
    state = State.FAILED;
    if (taken != null) {
      taken.discard();
    } else {
      receiver.take().ifPresent(files -> files.forEach(Fd::close));
    }
  }

  @Override
  public void setWaker(Runnable waker) {}

  @Override
  public void close() {}
}

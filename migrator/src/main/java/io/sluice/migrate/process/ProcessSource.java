package io.sluice.migrate.process;

import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.Capability;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.Handover;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process whose daemon is to change: its socket, its memory and its eventfds are passed on as
 * descriptors. It is never stopped; only messages and calls it sends just then wait.
 */
public final class ProcessSource implements SourceMachine {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Carries descriptors to the destination. */
  @FunctionalInterface
  public interface FileSender {
    /** Passes copies on; the files stay the caller's. */
    void send(List<Fd> files);
  }

  private final GuestDevice device;
  private final FileSender sender;
  private @Nullable Handover handover;
  private State state = State.IDLE;

  /**
   * @param device that serves the process
   */
  public ProcessSource(GuestDevice device, FileSender sender) {
    this.device = device;
    this.sender = sender;
  }

  @Override
  public boolean handsMemoryOver() {
    return true;
  }

  @Override
  public List<Blocker> blockers() {
    boolean files =
        device
            .guest()
            .map(guest -> guest.capabilities().contains(Capability.VRAM_APERTURE))
            .orElse(false);
    return files
        ? List.of()
        : List.of(
            new Blocker(
                "SLU-MIG-040",
                "no process is attached whose memory could be passed on, guest=" + device.name(),
                "Start it first, on a GPU whose memory is a file."));
  }

  @Override
  public ByteBuffer describe() {
    return ByteBuffer.allocate(0);
  }

  /** Before anything is detached: from now on it only takes what the GPU needs. */
  @Override
  public void start(ByteBuffer target) {
    handover = device.handOver(PATIENCE);
    state = State.COPYING;
  }

  @Override
  public void allowStop() {
    if (state == State.COPYING) {
      state = State.STOPPED;
    }
  }

  @Override
  public void forceStop() {
    allowStop();
  }

  @Override
  public MachineProgress progress() {
    return MachineProgress.of(state);
  }

  @Override
  public boolean redirty(List<PageRange> pages) {
    return true;
  }

  @Override
  public List<ByteBuffer> save() {
    Handover paused = handover;
    if (paused == null) {
      throw new IllegalStateException("not started");
    }
    sender.send(paused.files());
    return List.of(ByteBuffer.wrap(paused.state()));
  }

  @Override
  public void switchOver() {
    state = State.COMPLETED;
  }

  @Override
  public void abort() {
    Handover paused = handover;
    handover = null;
    state = State.IDLE;
    if (paused != null) {
      paused.cancel();
    }
  }

  @Override
  public void finish() {
    Handover paused = handover;
    handover = null;
    if (paused != null) {
      paused.complete();
    }
  }

  @Override
  public void setWaker(Runnable waker) {}

  @Override
  public void close() {
    try {
      abort();
    } catch (SluiceException _) {
      // The process has left meanwhile.
    }
  }
}

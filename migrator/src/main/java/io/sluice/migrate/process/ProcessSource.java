package io.sluice.migrate.process;

import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.Capability;
import io.sluice.channel.guest.Guest;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.PausedMachine;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.Handover;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process whose daemon is to change: its socket, its memory and its eventfds are passed on as
 * descriptors. It is never stopped; only messages and calls it sends just then wait.
 */
public final class ProcessSource extends PausedMachine {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessSource.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** The carrier of descriptors to the destination. */
  public interface FileSender {
    /** Passes copies on; the files stay the caller's. */
    void send(List<Fd> files);

    /**
     * Waits until the destination has closed its end, and so has let go of what it was sent.
     *
     * @return false after the time-out
     */
    boolean awaitClosed(Duration patience);
  }

  private final GuestDevice device;
  private final FileSender sender;
  private @Nullable Handover handover;

  /** Whether the destination has the process already, and only bytes are still to come. */
  private boolean sent;

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

  /** Whether the GPU's memory is a file; if not, its bytes are copied to the destination. */
  private boolean memoryIsFile() {
    return device.guest().map(guest -> has(guest, Capability.VRAM_APERTURE)).orElse(false);
  }

  private static boolean has(Guest guest, Capability capability) {
    return guest.capabilities().contains(capability);
  }

  @Override
  public List<Blocker> blockers() {
    boolean movable =
        device
            .guest()
            .map(guest ->
                has(guest, Capability.VRAM_APERTURE) || has(guest, Capability.BUFFER_COPIES))
            .orElse(false);
    return movable
        ? List.of()
        : List.of(
            new Blocker(
                MigrationCode.NOBODY_ATTACHED,
                "no process is attached whose memory could be passed on, guest=" + device.name(),
                "Start it first, on a GPU whose memory is a file or can be copied."));
  }

  /**
   * Where bytes are copied the destination needs a guest to copy them into: the process is handed
   * over before.
   */
  @Override
  public ByteBuffer describe() {
    if (memoryIsFile()) {
      return ByteBuffer.allocate(0);
    }
    Handover paused = device.handOver(PATIENCE);
    handover = paused;
    sender.send(paused.files());
    sent = true;
    return ByteBuffer.wrap(paused.state());
  }

  /** Before anything is detached: from now on it only takes what the GPU needs. */
  @Override
  public void start(ByteBuffer target) {
    if (handover == null) {
      handover = device.handOver(PATIENCE);
    }
    super.start(target);
  }

  @Override
  public List<ByteBuffer> save() {
    Handover paused = handover;
    if (paused == null) {
      throw new IllegalStateException("not started");
    }
    if (sent) {
      return List.of();
    }
    sender.send(paused.files());
    return List.of(ByteBuffer.wrap(paused.state()));
  }

  @Override
  protected void goOn(boolean stood) {
    Handover paused = handover;
    if (paused == null) {
      return;
    }
    // It may just be making channels over the control pages that the process goes on with here.
    if (sent && !sender.awaitClosed(PATIENCE)) {
      LOG.atWarn()
          .addKeyValue("guest", device.name())
          .log("the destination does not say that it has let go of the guest");
    }
    paused.cancel();
    handover = null; // not before: it is asked again if that fails
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
  public void close() {
    try {
      abort();
    } catch (SluiceException _) {
      // The process has left meanwhile.
    }
  }
}

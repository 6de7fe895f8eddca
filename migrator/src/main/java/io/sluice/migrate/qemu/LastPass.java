package io.sluice.migrate.qemu;

import io.sluice.migrate.machine.SourceMachine.PageRange;
import io.sluice.vdevice.GuestDevice;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The device's part of a machine's last pass: pages that the GPU wrote are made dirty, and the
 * device is held still and saved. Each is begun once, by a thread that may have to wait for QEMU.
 */
final class LastPass {
  private final GuestDevice device;
  private final Duration patience;
  private @Nullable Redirty redirty;
  private @Nullable HeldState holding;
  private @Nullable Begun ended;

  /**
   * @param patience for an answer of QEMU
   */
  LastPass(GuestDevice device, Duration patience) {
    this.device = device;
    this.patience = patience;
  }

  /**
   * Makes pages dirty.
   *
   * @param begin has it done
   * @return whether it is done
   */
  boolean redirty(List<PageRange> pages, Consumer<Runnable> begin) {
    if (redirty == null && !pages.isEmpty()) {
      redirty = new Redirty(device, pages, patience);
      begin.accept(redirty);
      return false;
    }
    return redirty == null || redirty.isDone();
  }

  /**
   * Holds the device still.
   *
   * @param begin has it done
   * @return whether it is held, and its state known
   */
  boolean holdStill(Consumer<Runnable> begin) {
    if (holding == null) {
      holding = new HeldState(device, patience);
      begin.accept(holding);
      return false;
    }
    return holding.isDone();
  }

  /** The device's state, once it is held still. */
  ByteBuffer saved() {
    if (holding == null) {
      throw new IllegalStateException("the device is not held");
    }
    return holding.encoded();
  }

  /** What of it has to be taken back; nothing of it is begun any more. */
  Begun end() {
    Begun begun = ended;
    if (begun == null) {
      begun = new Begun(redirty, holding);
      ended = begun; // whoever asks again is told the same
      holding = null;
    }
    return begun;
  }

  /** The parts that were begun. */
  record Begun(@Nullable Redirty redirty, @Nullable HeldState holding) {
    /** What QEMU was asked to write was to be written while nobody else does: not later. */
    void settle() {
      uninterrupted(redirty == null ? () -> {} : redirty::giveUp);
    }

    /** Lets the device go on. */
    void release() {
      uninterrupted(holding == null ? () -> {} : holding::release);
    }

    private interface Wait {
      void run() throws InterruptedException;
    }

    private static void uninterrupted(Wait wait) {
      try {
        wait.run();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

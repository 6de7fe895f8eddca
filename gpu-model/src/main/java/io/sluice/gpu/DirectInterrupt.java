package io.sluice.gpu;

import io.sluice.abi.SyscallException;
import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Fd;
import io.sluice.gpu.fifo.InterruptTarget;
import io.sluice.gpu.mmu.MemoryRegion;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The short way of a channel's interrupts: a bit in shared memory, and an eventfd that is signalled
 * when the bit was clear. Whoever clears the bit looks again after that, so an interrupt that finds
 * it set is one nobody has looked at yet. The eventfd is a guest's: a signal never waits for it,
 * and one that is not prompt goes the long way, by a thread that no other guest needs. Guarded as
 * its channel is.
 */
final class DirectInterrupt implements InterruptTarget {
  private final PromptSignals signals;
  private @Nullable MemoryRegion region;
  private int bit;
  private @Nullable Fd eventfd;
  private boolean broken; // the eventfd cannot be written

  /**
   * @param signals of the open
   */
  DirectInterrupt(PromptSignals signals) {
    this.signals = signals;
  }

  /** The bit to set; null for none, and then there is no eventfd either. */
  void setPending(@Nullable MemoryRegion newRegion, int newBit) {
    region = newRegion;
    bit = newBit;
  }

  boolean hasPending() {
    return region != null;
  }

  /** The eventfd to signal, which is owned from here on; the former one was taken. */
  void setEventfd(@Nullable Fd newEventfd) {
    eventfd = newEventfd;
    broken = false;
  }

  /**
   * Uses the eventfd no more, which is the caller's to close, without the GPU's lock: of the last
   * descriptor that takes as long as there are waiters.
   */
  Optional<Fd> takeEventfd() {
    Fd taken = eventfd;
    eventfd = null;
    return Optional.ofNullable(taken);
  }

  @Override
  public boolean deliver() {
    MemoryRegion words = region;
    Fd target = eventfd;
    if (words == null || target == null || broken || words.isRevoked()) {
      return false;
    }
    if (words.setBit(bit)) {
      return true;
    }
    try {
      if (signals.signal(target)) {
        return true;
      }
    } catch (SyscallException e) {
      broken = true; // it is of no use; the interrupt goes the long way
    }
    words.clearBit(bit);
    return false;
  }
}

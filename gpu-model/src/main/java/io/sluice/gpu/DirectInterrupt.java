package io.sluice.gpu;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.gpu.fifo.InterruptTarget;
import io.sluice.gpu.mmu.MemoryRegion;
import org.jspecify.annotations.Nullable;

/**
 * The short way of a channel's interrupts: a bit in shared memory, and an eventfd that is signalled
 * when the bit was clear. Whoever clears the bit looks again after that, so an interrupt that finds
 * it set is one nobody has looked at yet. The eventfd is a guest's, and a signal never waits for
 * it. Guarded by the GPU's lock.
 */
final class DirectInterrupt implements InterruptTarget {
  private final Kernel kernel;
  private @Nullable MemoryRegion region;
  private int bit;
  private @Nullable Fd eventfd;

  DirectInterrupt(Kernel kernel) {
    this.kernel = kernel;
  }

  /** The bit to set; null for none, which takes the eventfd away, too. */
  void setPending(@Nullable MemoryRegion newRegion, int newBit) {
    region = newRegion;
    bit = newBit;
    if (newRegion == null) {
      setEventfd(null);
    }
  }

  boolean hasPending() {
    return region != null;
  }

  /** The eventfd to signal, which is owned from here on. */
  void setEventfd(@Nullable Fd newEventfd) {
    Fd old = eventfd;
    eventfd = newEventfd;
    if (old != null) {
      old.close();
    }
  }

  @Override
  public boolean deliver() {
    MemoryRegion words = region;
    Fd target = eventfd;
    if (words == null || target == null || words.isRevoked()) {
      return false;
    }
    if (words.setBit(bit)) {
      return true;
    }
    try {
      kernel.signalForeign(target);
      return true;
    } catch (SyscallException e) {
      // One that cannot be written is of no use; the interrupt goes the long way.
      setEventfd(null);
      words.clearBit(bit);
      return false;
    }
  }
}

package io.sluice.testbed.conformance.nvidia;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.testbed.conformance.rig.BusyGuest;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A guest's mappings of its memory and of its channels' pages. They stay until the guest has
 * stopped, for it may be anywhere in them while its channel goes from one side to the other.
 */
final class Views implements AutoCloseable {
  private final Kernel kernel = NvidiaRig.kernel();
  private final Deque<Mapping> mappings = new ArrayDeque<>();

  /** Maps from a descriptor, which remains the caller's. */
  MemorySegment map(Fd fd, long offset, long bytes) {
    Mapping mapping = kernel.mmap(fd, offset, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    mappings.push(mapping);
    return mapping.segment();
  }

  /** Maps the control page and the doorbell of a channel, and closes their descriptors. */
  BusyGuest.Pages pages(List<SharedArea> areas) {
    return new BusyGuest.Pages(map(areas.get(0)), map(areas.get(1)));
  }

  private MemorySegment map(SharedArea area) {
    try (Fd fd = area.fd()) {
      return map(fd, area.offset(), area.sizeBytes());
    }
  }

  @Override
  public void close() {
    while (!mappings.isEmpty()) {
      mappings.pop().close();
    }
  }
}

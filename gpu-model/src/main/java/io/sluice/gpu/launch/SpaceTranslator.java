package io.sluice.gpu.launch;

import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuAddressSpace;
import io.sluice.gpu.mmu.Run;
import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.memory.Translator;
import io.sluice.gpu.sm.memory.Window;

/** A channel's address space as one worker of a grid sees it. */
final class SpaceTranslator implements Translator {
  private static final long PAGE_BYTES = GpuAddressSpace.PAGE_BYTES;

  private final GpuAddressSpace space;
  private final Run run = new Run();

  SpaceTranslator(GpuAddressSpace space) {
    this.space = space;
  }

  @Override
  public void translate(long address, boolean write, Window window) {
    long page = address & -PAGE_BYTES;
    long wanted = write ? PAGE_BYTES : Long.MAX_VALUE;
    FaultReason reason = space.translateUnlocked(page, wanted, write, run);
    if (reason != FaultReason.NONE) {
      throw new MemoryFault(address, write, reason.code());
    }
    window.set(run.segment(), run.offset(), page, run.length());
  }
}

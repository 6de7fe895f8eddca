package io.sluice.gpu.engine;

import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuAddressSpace;
import io.sluice.gpu.mmu.GpuUnit;
import io.sluice.gpu.mmu.Run;

/** The channel as an engine that works for it sees it. Faults end that channel and nothing else. */
public interface EngineHost {
  /** The channel's address space. */
  GpuAddressSpace space();

  /**
   * Finds memory of the channel's address space, and charges the slice for it: a page that is not
   * the one read, or written, last costs as much as the copying of one. It may have to be made.
   *
   * @param address GPU address
   * @param wanted bytes
   * @param write whether it is written
   * @param run where it is found
   * @return why not; {@link FaultReason#NONE} when it was found
   */
  FaultReason translate(long address, long wanted, boolean write, Run run);

  /** Its open's part of the GPU's time. */
  TimeShare timeShare();

  /** GPU time (PTIMER) in nanoseconds. */
  long timeNs();

  /** Raises the channel's interrupt. */
  void interrupt();

  /** Whether the channel's slice lasts; an engine returns {@link Outcome#PENDING} when not. */
  boolean hasBudget();

  /**
   * Charges work to the slice, in units of about one copied byte. Now and then this looks at the
   * clock, and takes what is left when the slice has lasted long enough.
   */
  void spend(long units);

  /** Adds to the GPU time that the channel has used, where it was used outside its slices. */
  void used(long ns);

  /**
   * Counts what a grid has executed.
   *
   * @param instructions warp instructions
   * @param interpreted those of them that were not compiled
   */
  void executed(long instructions, long interpreted);

  /** Ends the channel: the MMU refused an access. */
  Outcome pageFault(FaultReason reason, boolean write, GpuUnit unit, long address);

  /** Ends the channel: the class has no such method, or not with this data. */
  Outcome illegalMethod(int method, int data);

  /** Ends the channel: an engine's error code (PGRAPH DATA_ERROR or copy-engine error). */
  Outcome engineError(int code, int method);

  /** Ends the channel: a warp did something wrong, at an offset in the program region. */
  Outcome warpError(int code, int pc);

  /** Ends the channel: the GPU failed. */
  Outcome deviceError();

  /** Ends the channel: the hardware could do this, the model cannot. */
  Outcome unsupported(int method, int data);
}

package io.sluice.gpu.mmu;

/** The part of the GPU that made a faulting access; the codes are PFIFO's VM fault units. */
public enum GpuUnit {
  /** The graphics and compute engine, which also runs M2MF. */
  PGRAPH(0x00),
  /** The pushbuffer fetcher. */
  PSUBFIFO(0x07),
  /** The first copy engine. */
  PCOPY0(0x15),
  /** The second copy engine. */
  PCOPY1(0x16);

  private final int code;

  GpuUnit(int code) {
    this.code = code;
  }

  /** The hardware's code. */
  public int code() {
    return code;
  }
}

package io.sluice.gpu.sm.fault;

/** An access the address space does not allow. It carries no stack trace: guests cause it. */
public final class MemoryFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final long address;
  private final boolean write;
  private final int reason;

  /**
   * @param address the GPU address
   * @param write whether it was to be written
   * @param reason the MMU's code
   */
  public MemoryFault(long address, boolean write, int reason) {
    super(null, null, false, false);
    this.address = address;
    this.write = write;
    this.reason = reason;
  }

  /** The GPU address. */
  public long address() {
    return address;
  }

  /** Whether it was to be written. */
  public boolean write() {
    return write;
  }

  /** The MMU's code. */
  public int reason() {
    return reason;
  }
}

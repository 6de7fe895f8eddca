package io.sluice.gpu.sm;

/**
 * What a program sees as global memory: the channel's address space. Addresses are naturally
 * aligned when they get here. An address that cannot be accessed is a {@link MemoryFault}.
 */
public interface SmMemory {
  /** One byte, zero-extended. */
  int load8(long address);

  /** Two bytes, zero-extended. */
  int load16(long address);

  /** Four bytes. */
  int load32(long address);

  /** Eight bytes. */
  long load64(long address);

  /** One byte. */
  void store8(long address, int value);

  /** Two bytes. */
  void store16(long address, int value);

  /** Four bytes. */
  void store32(long address, int value);

  /** Eight bytes. */
  void store64(long address, long value);

  /**
   * Atomic compare and swap of four bytes.
   *
   * @return what was there
   */
  int compareAndSwap32(long address, int expected, int value);

  /**
   * Atomic compare and swap of eight bytes.
   *
   * @return what was there
   */
  long compareAndSwap64(long address, long expected, long value);

  /** An access the address space does not allow. It carries no stack trace: guests cause it. */
  final class MemoryFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long address;

    /**
     * @param address the GPU address
     */
    public MemoryFault(long address) {
      super(null, null, false, false);
      this.address = address;
    }

    /** The GPU address. */
    public long address() {
      return address;
    }
  }
}

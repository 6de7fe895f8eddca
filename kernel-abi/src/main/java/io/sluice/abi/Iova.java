package io.sluice.abi;

/**
 * An I/O virtual address: what a guest's device addresses guest memory by. For a machine without a
 * virtual IOMMU it equals the guest-physical address; a process chooses its own.
 *
 * @param value the address in bytes, unsigned 64 bits
 */
public record Iova(long value) {
  @Override
  public String toString() {
    return "0x" + Long.toHexString(value);
  }
}

package io.sluice.abi;

/**
 * An address in a GPU address space.
 *
 * @param value the address in bytes; 40 bits on Fermi, 49 on Hopper
 */
public record GpuVa(long value) {
  @Override
  public String toString() {
    return "0x" + Long.toHexString(value);
  }
}

package io.sluice.channel.record;

import static io.sluice.channel.record.Check.check;

import io.sluice.abi.GpuVa;

/**
 * A buffer in an address space.
 *
 * @param space serial number of the address space
 * @param memory serial number of the buffer
 * @param address where it is mapped
 */
public record MappingRecord(long space, long memory, GpuVa address) implements StateRecord {
  /** Refuses what no mapping is. */
  public MappingRecord {
    check(space > 0 && memory > 0, "a serial number is positive");
    check(address.value() >= 0, "an address is not negative");
  }
}

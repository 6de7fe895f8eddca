package io.sluice.channel.record;

import static io.sluice.channel.record.Check.check;

/**
 * An address space.
 *
 * @param serial names it in this snapshot, not 0
 * @param vid the guest's id; 0 when only channels keep it
 */
public record AddressSpaceRecord(long serial, int vid) implements StateRecord {
  /** Refuses what no address space is. */
  public AddressSpaceRecord {
    check(serial > 0, "a serial number is positive");
    check(vid >= 0, "an id is not negative");
  }
}

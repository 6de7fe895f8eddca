package io.sluice.channel.record;

import static io.sluice.channel.record.Check.check;

/**
 * The guest as a whole.
 *
 * @param name the operator's name of it, 1 to {@link #MAX_NAME_BYTES} bytes of UTF-8
 * @param generation of its device, never 0
 * @param vramLimitBytes video memory it may hold
 * @param chipset of the GPU it ran on
 */
public record GuestRecord(String name, int generation, long vramLimitBytes, int chipset)
    implements StateRecord {
  /** Longest name. */
  public static final int MAX_NAME_BYTES = 256;

  /** Refuses what no guest is. */
  public GuestRecord {
    check(!name.isEmpty(), "a guest has a name");
    check(generation != 0, "a generation is not 0");
    check(vramLimitBytes >= 0, "a limit is not negative");
  }
}

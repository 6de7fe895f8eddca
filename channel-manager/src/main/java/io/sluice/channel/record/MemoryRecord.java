package io.sluice.channel.record;

import static io.sluice.channel.record.Check.check;

import io.sluice.channel.state.GuestLimits;
import java.util.OptionalLong;

/**
 * A buffer.
 *
 * @param serial names it in this snapshot, not 0
 * @param handle the guest's handle; 0 when only mappings keep it
 * @param flags pscnv GEM flags
 * @param tileFlags storage kind
 * @param cookie the guest's own word
 * @param sizeBytes a multiple of 4096
 * @param registered made of guest memory; its pages follow
 * @param apertureOffset where the video-memory aperture shows it
 * @param evicted video memory that is in system memory
 */
public record MemoryRecord(
    long serial,
    int handle,
    int flags,
    int tileFlags,
    int cookie,
    long sizeBytes,
    boolean registered,
    OptionalLong apertureOffset,
    boolean evicted)
    implements StateRecord {
  /** Refuses what no buffer is. */
  public MemoryRecord {
    check(serial > 0, "a serial number is positive");
    check(handle >= 0 && handle < GuestLimits.MAX_MEMORY, "a handle is in the table");
    check(sizeBytes > 0 && sizeBytes % GuestLimits.PAGE_BYTES == 0, "a buffer is whole pages");
    check(
        apertureOffset.isEmpty()
            || apertureOffset.getAsLong() >= 0
                && apertureOffset.getAsLong() % GuestLimits.PAGE_BYTES == 0,
        "an aperture offset is a page's");
    check(!registered || apertureOffset.isEmpty(), "guest memory is not in the aperture");
    check(!registered || !evicted, "guest memory is not evicted");
  }
}

package io.sluice.channel;

import java.util.OptionalLong;

/** The values of pscnv's GETPARAM as a guest is told them. Under its lock. */
final class GuestParameters {
  /** Bytes of video memory; a guest is told what it may use. */
  private static final int FB_SIZE = 8;

  /** Physical address of the card's registers; no guest's business. */
  private static final int BAR0_ADDRESS = 17;

  private final GuestGpu backend;
  private final VideoMemoryShare share;

  GuestParameters(GuestGpu backend, VideoMemoryShare share) {
    this.backend = backend;
    this.share = share;
  }

  /**
   * EINVAL for an unknown id.
   *
   * @param id the parameter; an index of it in the upper half
   */
  long get(long id) {
    if (id == FB_SIZE) {
      return share.limitBytes();
    }
    OptionalLong value = (int) id == BAR0_ADDRESS ? OptionalLong.empty() : backend.parameter(id);
    return value.orElseThrow(
        () -> Refusal.invalid("no such parameter, id=0x" + Long.toHexString(id)));
  }
}

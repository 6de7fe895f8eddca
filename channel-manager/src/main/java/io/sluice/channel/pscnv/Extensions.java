package io.sluice.channel.pscnv;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.pscnv.ExtInfo;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.channel.Capability;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The offer of an open of the software GPU beyond pscnv (EXT_INFO).
 *
 * @param controlPages pages in the control-page file; channel ids are 1 to this minus 1
 * @param controlMapHandle map handle of the control-page file
 * @param vramMapHandle map handle of the video-memory file
 * @param vramApertureBytes length of it
 */
record Extensions(
    int controlPages, long controlMapHandle, long vramMapHandle, long vramApertureBytes) {
  /** What every version 1 of the extensions can do. */
  static final ImmutableSet<Capability> CAPABILITIES =
      ImmutableSet.of(
          Capability.VRAM_APERTURE,
          Capability.GUEST_MEMORY,
          Capability.CHANNEL_EVENTS,
          Capability.DIRECT_INTERRUPTS,
          Capability.CONTROL_WORDS,
          Capability.KILL,
          Capability.SUSPEND,
          Capability.DETACH,
          Capability.STATE_SAVE,
          Capability.DIRTY_TRACKING,
          Capability.EVICTION,
          Capability.TIME_SHARES);

  /** Asks the device; empty for a real pscnv, and for extensions of another version. */
  static Optional<Extensions> probe(PscnvCalls calls) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(ExtInfo.LAYOUT);
      if (!calls.offers(PscnvIoctl.EXT_INFO, info)
          || ExtInfo.VERSION.get(info) != ExtInfo.VERSION_1) {
        return Optional.empty();
      }
      return Optional.of(
          new Extensions(
              Math.toIntExact(ExtInfo.CONTROL_PAGES.get(info)),
              ExtInfo.CONTROL_MAP_HANDLE.get(info),
              ExtInfo.VRAM_MAP_HANDLE.get(info),
              ExtInfo.VRAM_APERTURE_BYTES.get(info)));
    }
  }
}

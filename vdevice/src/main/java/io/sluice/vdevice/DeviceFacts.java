package io.sluice.vdevice;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.Capability;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.guest.Guest;
import io.sluice.vdevice.protocol.Limits;

/** The facts of a device that do not change while a client is attached. */
final class DeviceFacts {
  /** {@code major << 16 | minor} of the guest ABI. */
  static final int ABI_VERSION = GuestAbi.ABI_MAJOR << 16 | GuestAbi.ABI_MINOR;

  /** Registers that tell texture processors of a cluster. */
  private static final int MAX_GPCS = 8;

  private static final ImmutableMap<Capability, Integer> BITS =
      ImmutableMap.of(
          Capability.VRAM_APERTURE, GuestAbi.CAP_VRAM_APERTURE,
          Capability.DOORBELL, GuestAbi.CAP_DOORBELL,
          Capability.GUEST_MEMORY, GuestAbi.CAP_GUEST_MEMORY,
          Capability.CHANNEL_EVENTS, GuestAbi.CAP_CHANNEL_EVENTS,
          Capability.CONTROL_WORDS, GuestAbi.CAP_CONTROL_WORDS,
          Capability.KILL, GuestAbi.CAP_KILL);

  private DeviceFacts() {}

  /**
   * SLUICE_CAP_* of what a guest has.
   *
   * @param sessions whether it may open API sessions
   */
  static long capabilities(Guest guest, boolean sessions) {
    long bits = sessions ? GuestAbi.CAP_API_SESSIONS : 0;
    for (Capability capability : guest.capabilities()) {
      bits |= BITS.getOrDefault(capability, 0);
    }
    return bits;
  }

  /** The registers that never change: offset to value. */
  static ImmutableMap<Integer, Integer> registers(Guest guest, long capabilities) {
    GpuInfo gpu = guest.info();
    ImmutableMap.Builder<Integer, Integer> registers = ImmutableMap.builder();
    registers
        .put(GuestAbi.REG_MAGIC, GuestAbi.MAGIC)
        .put(GuestAbi.REG_VERSION, ABI_VERSION)
        .put(GuestAbi.REG_CAPS_LO, (int) capabilities)
        .put(GuestAbi.REG_CAPS_HI, (int) (capabilities >>> 32))
        .put(GuestAbi.REG_NUM_SLOTS, GuestAbi.MAX_SLOTS)
        .put(GuestAbi.REG_EVENT_OFFSET, GuestAbi.BAR1_EVENTS)
        .put(GuestAbi.REG_EVENT_ENTRIES, GuestAbi.EVENT_ENTRIES)
        .put(GuestAbi.REG_PENDING_OFFSET, GuestAbi.BAR1_PENDING)
        .put(GuestAbi.REG_NUM_CHANNELS, gpu.maxChannels())
        .put(GuestAbi.REG_NUM_VECTORS, Limits.MAX_VECTORS)
        .put(GuestAbi.REG_MAX_VSPACES, gpu.maxAddressSpaces())
        .put(GuestAbi.REG_MAX_MEMORY, io.sluice.channel.state.GuestLimits.MAX_MEMORY)
        .put(GuestAbi.REG_GPU_VENDOR, gpu.pciVendor())
        .put(GuestAbi.REG_GPU_DEVICE, gpu.pciDevice())
        .put(GuestAbi.REG_CHIPSET, gpu.chipset())
        .put(GuestAbi.REG_GPC_COUNT, gpu.gpcCount())
        .put(GuestAbi.REG_MP_COUNT, gpu.mpCount());
    for (int gpc = 0; gpc < Math.min(MAX_GPCS, gpu.tpCounts().size()); gpc++) {
      registers.put(GuestAbi.REG_TP_COUNT + 4 * gpc, gpu.tpCounts().get(gpc));
    }
    return registers.buildOrThrow();
  }
}

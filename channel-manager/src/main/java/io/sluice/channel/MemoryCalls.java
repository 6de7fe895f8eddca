package io.sluice.channel;

import io.sluice.abi.Iova;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.GuestGpu.MemoryRegion;
import io.sluice.channel.GuestGpu.MemoryRequest;
import java.util.OptionalLong;

/** A guest's calls about memory; the contract of each stands at {@link Guest}. Under its lock. */
final class MemoryCalls {
  private final GuestGpu backend;
  private final Capabilities capabilities;
  private final GuestTables tables;
  private final VideoMemoryShare share;

  MemoryCalls(
      GuestGpu backend, Capabilities capabilities, GuestTables tables, VideoMemoryShare share) {
    this.backend = backend;
    this.capabilities = capabilities;
    this.tables = tables;
    this.share = share;
  }

  /**
   * @param last whether the policy for what is beyond the share applies
   */
  MemoryGrant allocate(int flags, int tileFlags, int cookie, long sizeBytes, boolean last) {
    if (GemFlags.isSystem(flags) && capabilities.has(Capability.GUEST_MEMORY)) {
      throw Refusal.invalid("system memory is registered, not allocated, flags=" + flags);
    }
    GuestMemory memory =
        share.allocate(
            new MemoryRequest(flags, tileFlags, cookie, sizeBytes, OptionalLong.empty()), last);
    return new MemoryGrant(memory.handle, memory.sizeBytes(), memory.apertureOffset());
  }

  MemoryInfo info(int handle) {
    GuestMemory memory = tables.buffers.get(handle);
    return new MemoryInfo(
        memory.flags, memory.tileFlags, memory.cookie, memory.sizeBytes(), memory.apertureOffset());
  }

  int register(int flags, int cookie, long sizeBytes) {
    capabilities.require(Capability.GUEST_MEMORY, "registering guest memory");
    return tables.buffers.register(
            new MemoryRequest(flags, 0, cookie, sizeBytes, OptionalLong.empty()))
        .handle;
  }

  /**
   * @param guest whose lock the region takes when it is closed
   */
  GuestRegion addRegion(
      Guest guest, Iova iova, Fd fd, long offset, long sizeBytes, boolean writable) {
    capabilities.require(Capability.GUEST_MEMORY, "adding guest memory");
    tables.regions.requireRoom();
    MemoryRegion added = backend.addRegion(fd, offset, sizeBytes, writable);
    GuestRegion region = new GuestRegion(guest, added, iova, writable);
    tables.regions.add(region);
    return region;
  }
}

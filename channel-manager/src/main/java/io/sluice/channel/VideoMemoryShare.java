package io.sluice.channel;

import io.sluice.channel.GuestGpu.MemoryRequest;
import java.util.ArrayList;
import java.util.List;

/** How much video memory a guest may hold, and what moves when that changes. Under its lock. */
final class VideoMemoryShare {
  private final long cardBytes;
  private final Capabilities capabilities;
  private final GuestBuffers buffers;
  private final GuestChannels channels;
  private volatile long limitBytes; // written under the lock
  private boolean overflowToSystem;

  VideoMemoryShare(
      long cardBytes, Capabilities capabilities, GuestBuffers buffers, GuestChannels channels) {
    this.cardBytes = cardBytes;
    this.capabilities = capabilities;
    this.buffers = buffers;
    this.channels = channels;
    limitBytes = cardBytes;
  }

  /** May be asked without the lock. */
  long limitBytes() {
    return limitBytes;
  }

  /** Whether that is news. */
  boolean setLimit(long bytes) {
    if (bytes < 0 || bytes > cardBytes) {
      throw Refusal.invalid("no such limit of video memory, bytes=" + bytes);
    }
    boolean news = bytes != limitBytes;
    limitBytes = bytes;
    return news;
  }

  /** What a buffer that is restored may stay within; the rest goes to system memory. */
  long residentLimit() {
    return capabilities.has(Capability.EVICTION) ? limitBytes : GuestBuffers.UNMOVABLE;
  }

  void setOverflowToSystem(boolean overflow) {
    if (overflow) {
      capabilities.require(Capability.EVICTION, "system memory in place of video memory");
    }
    overflowToSystem = overflow;
  }

  /**
   * @param last whether what is beyond the limit goes to system memory, where that is the policy
   */
  GuestMemory allocate(MemoryRequest request, boolean last) {
    return buffers.allocate(request, limitBytes, last && overflowToSystem);
  }

  /**
   * Moves buffers while the channels that run are suspended; how many moved.
   *
   * @param moved runs when they have, before the channels go on; must not block
   */
  int move(List<Long> ids, boolean toSystem, Runnable moved) {
    capabilities.require(Capability.EVICTION, "moving buffers");
    List<GuestChannel> suspended = new ArrayList<>();
    try {
      channels.suspendRunning(suspended, "buffers move");
      int count = buffers.move(ids, toSystem, limitBytes);
      moved.run();
      return count;
    } finally {
      suspended.forEach(channel -> channel.resume("buffers moved"));
    }
  }
}

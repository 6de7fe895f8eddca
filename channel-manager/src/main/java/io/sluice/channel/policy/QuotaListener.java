package io.sluice.channel.policy;

import io.sluice.channel.guest.MemoryUse;

/**
 * The listener of {@link MemoryQuotas}, told of what happens, from any thread, also under the lock:
 * it must not block nor call that.
 */
public interface QuotaListener {
  /** Buffers of a guest have moved. */
  default void onMoved(String guest, int buffers, boolean toSystem) {}

  /** An allocation of a guest, or of its programs, was refused for want of room. */
  default void onRefused(String guest, long bytes, MemoryUse use) {}
}

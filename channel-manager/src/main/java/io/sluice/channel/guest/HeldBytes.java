package io.sluice.channel.guest;

/**
 * Bytes that a guest holds, by kind of memory. Guarded by the guest's lock, but for what says
 * otherwise.
 */
final class HeldBytes {
  private long vramBytes;
  private long systemBytes;
  private long evictedBytes;
  private long changes;

  /** What is being allocated of video memory. */
  private long wantedBytes;

  /** Both together. */
  private volatile long claimedBytes;

  long vramBytes() {
    return vramBytes;
  }

  long systemBytes() {
    return systemBytes;
  }

  /** Of the system memory, what was allocated as video memory. */
  long evictedBytes() {
    return evictedBytes;
  }

  /** Another number after each change. */
  long changes() {
    return changes;
  }

  /** Video memory that is held, or is being allocated; may be asked without the lock. */
  long claimedBytes() {
    return claimedBytes;
  }

  /**
   * So much more video memory is wanted. Whoever looks at a limit after it counts together with
   * whoever changes that limit and looks at {@link #claimedBytes} then: one of them sees the other.
   */
  void claim(long bytes) {
    wantedBytes = bytes;
    claimedBytes = Math.max(claimedBytes, vramBytes + wantedBytes);
  }

  /** What was claimed is held by now, or is not wanted any more; seen from {@link #settle} on. */
  void endClaim() {
    wantedBytes = 0;
  }

  /** What is not held any more is not claimed any more. After others were told what is held. */
  void settle() {
    claimedBytes = vramBytes + wantedBytes;
  }

  void add(GuestBuffer memory) {
    count(memory, memory.sizeBytes());
  }

  void subtract(GuestBuffer memory) {
    count(memory, -memory.sizeBytes());
  }

  private void count(GuestBuffer memory, long bytes) {
    if (memory.isInSystem()) {
      systemBytes += bytes;
    } else {
      vramBytes += bytes;
      claimedBytes = Math.max(claimedBytes, vramBytes + wantedBytes);
    }
    if (memory.evicted) {
      evictedBytes += bytes;
    }
    changes++;
  }
}

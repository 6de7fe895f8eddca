package io.sluice.channel.guest;

/** Bytes that a guest holds, by kind of memory. Guarded by the guest's lock. */
final class HeldBytes {
  private long vramBytes;
  private long systemBytes;
  private long evictedBytes;
  private long changes;

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
    }
    if (memory.evicted) {
      evictedBytes += bytes;
    }
    changes++;
  }
}

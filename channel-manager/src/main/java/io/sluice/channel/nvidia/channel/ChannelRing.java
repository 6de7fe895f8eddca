package io.sluice.channel.nvidia.channel;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.channel.nvidia.memory.NvidiaAddressSpace;
import java.lang.foreign.MemorySegment;

/**
 * The ring of a guest's channel.
 *
 * @param space where it is mapped
 * @param channelId the guest's id
 * @param start address
 * @param entries a power of two
 */
public record ChannelRing(NvidiaAddressSpace space, int channelId, GpuVa start, int entries) {
  /** Rings longer than this have no use, and RM maps them whole. */
  static final int MAX_ORDER = 20;

  int after(int index) {
    return (index + 1) & (entries - 1);
  }

  /** The entries that were fetched last, in order; 0 in place of what cannot be read. */
  long[] fetched(int get, int count) {
    long[] last = new long[count];
    MemorySegment entry = MemorySegment.ofArray(new long[1]);
    for (int i = 0; i < count; i++) {
      int index = (get - count + i) & (entries - 1);
      boolean there = space.peek(start.value() + index * 8L, entry);
      last[i] = there ? entry.get(Layouts.U64, 0) : 0;
    }
    return last;
  }

  MemorySegment slot(int index) {
    return space.cpu(start.value() + index * 8L, 8);
  }
}

package io.sluice.channel.nvidia.rm;

import io.sluice.abi.rm.alloc.MemoryAlloc;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/**
 * Pages of which RM makes system memory that no processor maps, the largest first. With large ones
 * a mapping is a few entries, which take a thousandth of the time; a host that has run for long may
 * have none left.
 */
public enum SystemPages {
  HUGE(2L << 20, MemoryAlloc.ATTR_PAGE_SIZE_HUGE, MemoryAlloc.ATTR2_PAGE_SIZE_HUGE_2MB),
  BIG(64L << 10, MemoryAlloc.ATTR_PAGE_SIZE_BIG, 0),
  SMALL(GuestLimits.PAGE_BYTES, MemoryAlloc.ATTR_PAGE_SIZE_4KB, 0);

  private final long bytes;
  private final int attr;
  private final int attr2;

  SystemPages(long bytes, int attr, int attr2) {
    this.bytes = bytes;
    this.attr = attr;
    this.attr2 = attr2;
  }

  /** Those of which memory of a size can be made, the largest first. */
  public static List<SystemPages> of(long size) {
    return Stream.of(values()).filter(pages -> size % pages.bytes == 0).toList();
  }

  /**
   * Asks for memory of such pages.
   *
   * @param block of {@link MemoryAlloc}
   * @param client that is to have it
   * @param size in bytes
   */
  public void fill(MemorySegment block, int client, long size) {
    MemoryAlloc.OWNER.setBits(block, client);
    MemoryAlloc.TYPE.setBits(block, MemoryAlloc.TYPE_NOTIFIER);
    MemoryAlloc.FLAGS.setBits(
        block,
        MemoryAlloc.FLAGS_IGNORE_BANK_PLACEMENT
            | MemoryAlloc.FLAGS_ALIGNMENT_FORCE
            | MemoryAlloc.FLAGS_MEMORY_HANDLE_PROVIDED
            | MemoryAlloc.FLAGS_MAP_NOT_REQUIRED);
    MemoryAlloc.ATTR.setBits(
        block,
        MemoryAlloc.ATTR_LOCATION_PCI
            | MemoryAlloc.ATTR_COHERENCY_WRITE_BACK
            | MemoryAlloc.ATTR_PHYSICALITY_ALLOW_NONCONTIGUOUS
            | attr);
    MemoryAlloc.ATTR2.setBits(block, MemoryAlloc.ATTR2_GPU_UNCACHEABLE | attr2);
    MemoryAlloc.SIZE_BYTES.set(block, size);
    MemoryAlloc.ALIGNMENT.set(block, bytes);
    MemoryAlloc.LIMIT.set(block, size - 1);
  }
}

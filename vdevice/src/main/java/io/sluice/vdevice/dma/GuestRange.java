package io.sluice.vdevice.dma;

import static io.sluice.vdevice.protocol.Limits.PAGE_BYTES;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.Extent;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.vdevice.protocol.DeviceCode;
import java.lang.foreign.MemorySegment;

/** A range of guest memory in whole pages, as guests name them in lists. */
public record GuestRange(Iova address, long bytes) {
  /**
   * Reads a guest's list, once.
   *
   * @param count of its ranges
   * @param list where it is, in one page
   * @throws RefusedException EINVAL count, alignment; EFAULT no shared memory
   */
  public static ImmutableList<GuestRange> list(DmaTable dma, long count, Iova list) {
    if (count < 1 || count > GuestAbi.MAX_EXTENTS) {
      throw refused("count of extents, count=" + count);
    }
    long bytes = count * Extent.SIZE;
    long address = list.value();
    if (address % 8 != 0 || (address & PAGE_BYTES - 1) + bytes > PAGE_BYTES) {
      throw refused("list of extents is not in one page, iova=" + list);
    }
    MemorySegment copy = MemorySegment.ofArray(new long[2 * (int) count]);
    dma.read(list, copy);
    ImmutableList.Builder<GuestRange> ranges = ImmutableList.builderWithExpectedSize((int) count);
    for (long at = 0; at < bytes; at += Extent.SIZE) {
      ranges.add(checked(new Iova(Extent.IOVA.get(copy, at)), Extent.BYTES.get(copy, at)));
    }
    return ranges.build();
  }

  /**
   * A range that somebody names.
   *
   * @throws RefusedException EINVAL alignment
   */
  public static GuestRange checked(Iova address, long bytes) {
    if (bytes <= 0 || bytes % PAGE_BYTES != 0 || address.value() % PAGE_BYTES != 0) {
      throw refused("extent is not of whole pages, iova=" + address);
    }
    return new GuestRange(address, bytes);
  }

  /** Whether it has a byte of another; both lie in the address space. */
  public boolean overlaps(Iova other, long otherBytes) {
    long first = other.value();
    long last = first + otherBytes - 1;
    return Long.compareUnsigned(address.value(), last) <= 0
        && Long.compareUnsigned(first, address.value() + bytes - 1) <= 0;
  }

  private static RefusedException refused(String what) {
    return new RefusedException(DeviceCode.CALL, Errno.EINVAL, what, "");
  }
}

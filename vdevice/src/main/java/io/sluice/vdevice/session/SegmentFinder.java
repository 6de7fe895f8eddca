package io.sluice.vdevice.session;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.dma.DmaTable;
import io.sluice.vdevice.dma.GuestRange;
import io.sluice.vdevice.protocol.DeviceCode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * The finder of the host's memory behind segments. What a guest names, it names by a list in its
 * own memory: that is read, and looked up, while no map comes or goes.
 */
final class SegmentFinder {
  /**
   * A segment that was found.
   *
   * @param memory whoever asked closes it
   */
  record LocatedSegment(ImmutableList<GuestRange> ranges, SessionMemory memory) {}

  private final Kernel kernel;
  private final DmaTable dma;
  private final IntSupplier room;

  /**
   * @param room how many pieces there may be more; not asked while maps are locked, for who holds
   *     what it asks writes guest memory
   */
  SegmentFinder(Kernel kernel, DmaTable dma, IntSupplier room) {
    this.kernel = kernel;
    this.dma = dma;
    this.room = room;
  }

  /**
   * Finds a segment that a guest names.
   *
   * @throws RefusedException EINVAL, EFAULT the list, or what it says; as {@link PieceList}
   */
  LocatedSegment locate(NamedSegment segment) {
    return locate(() -> {
      ImmutableList<GuestRange> ranges = GuestRange.list(dma, segment.count(), segment.list());
      check(segment, ranges);
      return ranges;
    });
  }

  /** The same, of ranges that are known. */
  LocatedSegment locate(ImmutableList<GuestRange> ranges) {
    return locate(() -> ranges);
  }

  private LocatedSegment locate(Supplier<ImmutableList<GuestRange>> named) {
    List<Fd> owned = new ArrayList<>();
    List<GuestRange> ranges = new ArrayList<>();
    PieceList found = new PieceList(kernel, Math.min(room.getAsInt(), SessionMemory.MAX_PIECES));
    boolean complete = false;
    try {
      dma.exclusively(() -> {
        ranges.addAll(named.get());
        ranges.forEach(range -> dma.locate(range, found));
        found.files().forEach(file -> owned.add(kernel.dup(file)));
      });
      LocatedSegment located =
          new LocatedSegment(
              ImmutableList.copyOf(ranges),
              new SessionMemory(ImmutableList.copyOf(owned), found.pieces()));
      complete = true;
      return located;
    } finally {
      if (!complete) {
        owned.forEach(Fd::close);
      }
    }
  }

  private static void check(NamedSegment segment, List<GuestRange> ranges) {
    long sum = 0;
    for (GuestRange range : ranges) {
      sum += Math.min(range.bytes(), Long.MAX_VALUE / GuestAbi.MAX_EXTENTS);
    }
    if (sum != segment.bytes()) {
      throw new RefusedException(
          DeviceCode.CALL,
          Errno.EINVAL,
          "extents are not as long as is said, bytes=" + segment.bytes(),
          "");
    }
  }
}

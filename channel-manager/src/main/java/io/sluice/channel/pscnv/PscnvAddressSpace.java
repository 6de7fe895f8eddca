package io.sluice.channel.pscnv;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.pscnv.ExtChanNewAt;
import io.sluice.abi.pscnv.PscnvChanNew;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvVspaceMap;
import io.sluice.abi.pscnv.PscnvVspaceReq;
import io.sluice.abi.pscnv.PscnvVspaceUnmap;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu.GpuMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * An address space of a pscnv device, with a shadow of what is mapped in it: pscnv dereferences
 * NULL when asked to unmap an address where nothing is, and loses a reference to the buffer when a
 * mapping fails for want of room. Both are found out here first.
 */
final class PscnvAddressSpace implements AddressSpace {
  private final PscnvOpen open;
  private final int vid;

  /** Length by address. */
  @GuardedBy("this")
  private final TreeMap<Long, Long> mapped = new TreeMap<>();

  PscnvAddressSpace(PscnvOpen open, int vid) {
    this.open = open;
    this.vid = vid;
  }

  @Override
  public synchronized GpuVa map(GpuMemory memory, GpuVa start, GpuVa end, boolean highestFirst) {
    if (!(memory instanceof PscnvMemory buffer)) {
      throw new IllegalArgumentException("a buffer of another GPU, memory=" + memory);
    }
    if (!open.isExtended() && !hasRoom(start.value(), end.value(), buffer.sizeBytes())) {
      throw new RefusedException(
          PscnvCode.NO_ROOM,
          Errno.ENOMEM,
          "no room, start=" + start + " end=" + end + " bytes=" + buffer.sizeBytes(),
          "");
    }
    long address =
        open.calls()
            .ask(
                PscnvIoctl.VSPACE_MAP,
                argument -> {
                  PscnvVspaceMap.VID.setBits(argument, vid);
                  PscnvVspaceMap.HANDLE.setBits(argument, buffer.handle());
                  PscnvVspaceMap.START.set(argument, start.value());
                  PscnvVspaceMap.END.set(argument, end.value());
                  PscnvVspaceMap.BACK.set(argument, highestFirst ? 1 : 0);
                },
                PscnvVspaceMap.OFFSET::get);
    mapped.put(address, buffer.sizeBytes());
    return new GpuVa(address);
  }

  /** Whether a gap of the range is long enough. */
  @GuardedBy("this")
  private boolean hasRoom(long start, long end, long bytes) {
    Map.Entry<Long, Long> before = mapped.floorEntry(start);
    long free = before == null ? start : Math.max(start, before.getKey() + before.getValue());
    for (Map.Entry<Long, Long> next : mapped.tailMap(start, false).entrySet()) {
      if (next.getKey() >= end) {
        break;
      }
      if (next.getKey() - free >= bytes) {
        return true;
      }
      free = Math.max(free, next.getKey() + next.getValue());
    }
    return end - free >= bytes;
  }

  @Override
  public synchronized void unmap(GpuVa address) {
    Map.Entry<Long, Long> at = mapped.floorEntry(address.value());
    if (at == null || address.value() - at.getKey() >= at.getValue()) {
      throw new RefusedException(
          PscnvCode.NOT_MAPPED, Errno.ENOENT, "nothing is mapped there, address=" + address, "");
    }
    open.calls()
        .call(
            PscnvIoctl.VSPACE_UNMAP,
            argument -> {
              PscnvVspaceUnmap.VID.setBits(argument, vid);
              PscnvVspaceUnmap.OFFSET.set(argument, at.getKey());
            });
    mapped.remove(at.getKey());
  }

  @Override
  public Channel createChannel(OptionalInt id) {
    return open.isExtended() ? createAt(id.orElse(ExtChanNewAt.ANY_PAGE)) : create(id);
  }

  private Channel createAt(int page) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(ExtChanNewAt.LAYOUT);
      ExtChanNewAt.VID.setBits(argument, vid);
      ExtChanNewAt.PAGE.setBits(argument, page);
      open.calls().issue(PscnvIoctl.CHAN_NEW_AT, argument);
      return channel(ExtChanNewAt.CID.bits(argument), ExtChanNewAt.PAGE.bits(argument));
    }
  }

  private Channel create(OptionalInt id) {
    int guestId = id.orElseGet(open.channelIds()::lowestFree);
    int cid =
        (int)
            open.calls()
                .ask(
                    PscnvIoctl.CHAN_NEW,
                    argument -> PscnvChanNew.VID.setBits(argument, vid),
                    PscnvChanNew.CID::get);
    return channel(cid, guestId);
  }

  private Channel channel(int cid, int guestId) {
    open.channelIds().bind(cid, guestId);
    return open.isExtended()
        ? new ExtendedChannel(open, cid, guestId)
        : new PlainChannel(open, cid, guestId);
  }

  @Override
  public void close() {
    open.calls()
        .call(PscnvIoctl.VSPACE_FREE, argument -> PscnvVspaceReq.VID.setBits(argument, vid));
  }
}

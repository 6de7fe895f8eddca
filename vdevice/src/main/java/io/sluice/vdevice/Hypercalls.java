package io.sluice.vdevice;

import com.google.common.collect.Lists;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.Layouts;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.ChanNew;
import io.sluice.abi.guest.ChanQuery;
import io.sluice.abi.guest.Extent;
import io.sluice.abi.guest.FifoInitIb;
import io.sluice.abi.guest.GetParam;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.guest.HandleArgs;
import io.sluice.abi.guest.MemAlloc;
import io.sluice.abi.guest.MemInfo;
import io.sluice.abi.guest.MemPages;
import io.sluice.abi.guest.MemRegister;
import io.sluice.abi.guest.ObjEngNew;
import io.sluice.abi.guest.Ping;
import io.sluice.abi.guest.QuotaQuery;
import io.sluice.abi.guest.SetupSegment;
import io.sluice.abi.guest.VspaceMap;
import io.sluice.abi.guest.VspaceUnmap;
import io.sluice.abi.sys.Errno;
import io.sluice.channel.ChannelInfo;
import io.sluice.channel.Guest;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.MemoryGrant;
import io.sluice.channel.MemoryInfo;
import io.sluice.channel.MemoryUse;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The calls of the guest ABI ("Calls" in docs/abi.md): takes arguments out of a private copy of a
 * slot, has the guest's tables do the work, and puts the results into the copy.
 *
 * <p>Refusals are {@link RefusedException} with the errno the guest is given.
 */
final class Hypercalls {
  /** {@code aperture_offset} of what is not in the aperture. */
  private static final long NOT_IN_APERTURE = -1;

  private final Guest guest;
  private final DmaTable dma;

  Hypercalls(Guest guest, DmaTable dma) {
    this.guest = guest;
    this.dma = dma;
  }

  /**
   * Executes one call.
   *
   * @param command SLUICE_CALL_*
   * @param args copy of the slot's arguments, which nobody else sees; receives the results
   */
  void execute(int command, MemorySegment args) {
    switch (command) {
      case GuestAbi.CALL_GET_PARAM ->
          GetParam.value(args, 0, guest.parameter(GetParam.param(args, 0)));
      case GuestAbi.CALL_MEM_ALLOC -> memAlloc(args);
      case GuestAbi.CALL_MEM_INFO -> memInfo(args);
      case GuestAbi.CALL_MEM_FREE -> guest.memFree(handle(args));
      case GuestAbi.CALL_VSPACE_NEW -> {
        handle(args);
        HandleArgs.handle(args, 0, guest.vspaceNew());
      }
      case GuestAbi.CALL_VSPACE_FREE -> guest.vspaceFree(handle(args));
      case GuestAbi.CALL_CHAN_NEW -> ChanNew.cid(args, 0, guest.channelNew(ChanNew.vid(args, 0)));
      case GuestAbi.CALL_CHAN_FREE -> guest.channelFree(handle(args));
      case GuestAbi.CALL_VSPACE_MAP -> vspaceMap(args);
      case GuestAbi.CALL_VSPACE_UNMAP -> vspaceUnmap(args);
      case GuestAbi.CALL_OBJ_VDMA_NEW -> throw refused(Errno.ENOSYS, "OBJ_VDMA_NEW");
      case GuestAbi.CALL_OBJ_ENG_NEW -> objectNew(args);
      case GuestAbi.CALL_FIFO_INIT -> throw refused(Errno.ENODEV, "FIFO_INIT");
      case GuestAbi.CALL_FIFO_INIT_IB -> fifoInitIb(args);
      case GuestAbi.CALL_MEM_REGISTER -> memRegister(args);
      case GuestAbi.CALL_MEM_PAGES -> memPages(args);
      case GuestAbi.CALL_CHAN_QUERY -> channelQuery(args);
      case GuestAbi.CALL_QUOTA_QUERY -> quotaQuery(args);
      case GuestAbi.CALL_SETUP_SEGMENT -> setupSegment(args);
      case GuestAbi.CALL_PING -> Ping.echo(args, 0, Ping.value(args, 0));
      default -> throw refused(Errno.ENOSYS, "command=" + Integer.toUnsignedString(command));
    }
  }

  private void memAlloc(MemorySegment args) {
    MemoryGrant grant =
        guest.memAlloc(
            MemAlloc.flags(args, 0),
            MemAlloc.tileFlags(args, 0),
            MemAlloc.cookie(args, 0),
            MemAlloc.size(args, 0));
    MemAlloc.handle(args, 0, grant.handle());
    MemAlloc.size(args, 0, grant.sizeBytes());
    MemAlloc.apertureOffset(args, 0, aperture(grant.apertureOffset()));
  }

  private void memInfo(MemorySegment args) {
    MemoryInfo info = guest.memInfo(MemInfo.handle(args, 0));
    MemInfo.flags(args, 0, info.flags());
    MemInfo.tileFlags(args, 0, info.tileFlags());
    MemInfo.cookie(args, 0, info.cookie());
    MemInfo.size(args, 0, info.sizeBytes());
    MemInfo.apertureOffset(args, 0, aperture(info.apertureOffset()));
  }

  private void vspaceMap(MemorySegment args) {
    requireZero(VspaceMap.flags(args, 0));
    GpuVa address =
        guest.vspaceMap(
            VspaceMap.vid(args, 0),
            VspaceMap.handle(args, 0),
            new GpuVa(VspaceMap.start(args, 0)),
            new GpuVa(VspaceMap.end(args, 0)),
            VspaceMap.back(args, 0) != 0);
    VspaceMap.offset(args, 0, address.value());
  }

  private void vspaceUnmap(MemorySegment args) {
    requireZero(args.get(Layouts.U32, 4));
    guest.vspaceUnmap(VspaceUnmap.vid(args, 0), new GpuVa(VspaceUnmap.offset(args, 0)));
  }

  private void objectNew(MemorySegment args) {
    guest.objectNew(
        ObjEngNew.cid(args, 0),
        ObjEngNew.handle(args, 0),
        ObjEngNew.oclass(args, 0),
        ObjEngNew.flags(args, 0));
  }

  private void fifoInitIb(MemorySegment args) {
    requireZero(FifoInitIb.flags(args, 0));
    guest.fifoInitIb(
        FifoInitIb.cid(args, 0),
        new GpuVa(FifoInitIb.ibStart(args, 0)),
        FifoInitIb.ibOrder(args, 0),
        FifoInitIb.slimask(args, 0));
  }

  private void memRegister(MemorySegment args) {
    requireZero(args.get(Layouts.U32, 0x14));
    int handle =
        guest.memRegister(
            MemRegister.flags(args, 0), MemRegister.cookie(args, 0), MemRegister.size(args, 0));
    MemRegister.handle(args, 0, handle);
  }

  /** The list is read once; no map goes away before its extents are the GPU's. */
  private void memPages(MemorySegment args) {
    int count = MemPages.count(args, 0);
    if (count < 1 || count > GuestAbi.MAX_EXTENTS) {
      throw refused(Errno.EINVAL, "count of extents, count=" + Integer.toUnsignedString(count));
    }
    long address = MemPages.listIova(args, 0);
    long bytes = count * Extent.SIZE;
    if (address % 8 != 0 || (address & Limits.PAGE_BYTES - 1) + bytes > Limits.PAGE_BYTES) {
      throw refused(Errno.EINVAL, "list of extents is not in one page, iova=" + new Iova(address));
    }
    int handle = MemPages.handle(args, 0);
    long offset = MemPages.offset(args, 0);
    dma.exclusively(() -> {
      MemorySegment list = MemorySegment.ofArray(new long[2 * count]);
      dma.read(new Iova(address), list);
      List<GuestGpu.Extent> extents = new ArrayList<>(count);
      for (long at = 0; at < bytes; at += Extent.SIZE) {
        Iova iova = new Iova(Extent.iova(list, at));
        long extentBytes = Extent.bytes(list, at);
        checkExtent(iova, extentBytes);
        dma.translate(iova, extentBytes, extents);
      }
      setPages(handle, offset, extents);
    });
  }

  private static void checkExtent(Iova iova, long bytes) {
    if (bytes <= 0 || bytes % Limits.PAGE_BYTES != 0 || iova.value() % Limits.PAGE_BYTES != 0) {
      throw refused(Errno.EINVAL, "extent is not of whole pages, iova=" + iova);
    }
  }

  /** Extents that crossed maps may have become more than one request may have. */
  private void setPages(int handle, long offset, List<GuestGpu.Extent> extents) {
    long at = offset;
    for (List<GuestGpu.Extent> part : Lists.partition(extents, GuestAbi.MAX_EXTENTS)) {
      guest.memPages(handle, at, part);
      for (GuestGpu.Extent extent : part) {
        at += extent.bytes();
      }
    }
  }

  private void channelQuery(MemorySegment args) {
    ChannelInfo info = guest.channelQuery(ChanQuery.cid(args, 0));
    ChanQuery.state(args, 0, info.state().code());
    ChanQuery.reason(args, 0, info.reason());
    ChanQuery.info(args, 0, info.info());
    ChanQuery.address(args, 0, info.address());
    ChanQuery.entries(args, 0, info.entries());
    ChanQuery.busyNs(args, 0, info.busyNs());
  }

  private void quotaQuery(MemorySegment args) {
    MemoryUse use = guest.memoryUse();
    QuotaQuery.vramUsed(args, 0, use.videoBytes());
    QuotaQuery.vramLimit(args, 0, use.limitBytes());
    QuotaQuery.vramTotal(args, 0, guest.info().vramBytes());
    QuotaQuery.sysmemUsed(args, 0, use.systemBytes());
  }

  private void setupSegment(MemorySegment args) {
    int count = SetupSegment.words(args, 0);
    if (count < 0 || count > GuestAbi.MAX_SETUP_WORDS) {
      throw refused(
          Errno.E2BIG, "set-up segment too long, words=" + Integer.toUnsignedString(count));
    }
    int[] words = new int[count];
    if (count > 0) {
      Iova address = new Iova(SetupSegment.iova(args, 0));
      if (address.value() % Integer.BYTES != 0) {
        throw refused(Errno.EINVAL, "set-up segment is not aligned, iova=" + address);
      }
      dma.read(address, MemorySegment.ofArray(words));
    }
    guest.setupSegment(SetupSegment.cid(args, 0), words);
  }

  private static int handle(MemorySegment args) {
    requireZero(args.get(Layouts.U32, 4));
    return HandleArgs.handle(args, 0);
  }

  private static void requireZero(int word) {
    if (word != 0) {
      throw refused(Errno.EINVAL, "argument that must be 0, value=" + Integer.toHexString(word));
    }
  }

  private static long aperture(OptionalLong offset) {
    return offset.orElse(NOT_IN_APERTURE);
  }

  private static RefusedException refused(Errno errno, String what) {
    return new RefusedException("SLU-CAL-001", errno, what, "");
  }
}

package io.sluice.vdevice;

import com.google.common.collect.Lists;
import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.Layouts;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.ApiOpen;
import io.sluice.abi.guest.ApiSegment;
import io.sluice.abi.guest.ChanNew;
import io.sluice.abi.guest.ChanQuery;
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
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.MemoryGrant;
import io.sluice.channel.guest.MemoryInfo;
import io.sluice.channel.guest.MemoryUse;
import io.sluice.vdevice.dma.DmaTable;
import io.sluice.vdevice.dma.GuestRange;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.protocol.Limits;
import io.sluice.vdevice.session.MachineSessions;
import io.sluice.vdevice.session.NamedSegment;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the guest ABI ("Calls" in docs/abi.md): takes arguments out of a private copy of a
 * slot, has the guest's tables do the work, and puts the results into the copy.
 *
 * <p>Refusals are {@link RefusedException} with the errno the guest is given.
 */
final class Hypercalls {
  /** {@code aperture_offset} of what is not in the aperture. */
  private static final long NOT_IN_APERTURE = -1;

  /** Extents of one MEM_PAGES: ranges that do not overlap cross each map once. */
  private static final int MOST_EXTENTS = GuestAbi.MAX_EXTENTS + Limits.MAX_DMA_MAPS;

  private final Guest guest;
  private final DmaTable dma;
  private final @Nullable MachineSessions sessions;

  /**
   * @param sessions null when the guest cannot have any
   */
  Hypercalls(Guest guest, DmaTable dma, @Nullable MachineSessions sessions) {
    this.guest = guest;
    this.dma = dma;
    this.sessions = sessions;
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
          GetParam.VALUE.set(args, guest.parameter(GetParam.PARAM.get(args)));
      case GuestAbi.CALL_MEM_ALLOC -> memAlloc(args);
      case GuestAbi.CALL_MEM_INFO -> memInfo(args);
      case GuestAbi.CALL_MEM_FREE -> guest.buffers().free(handle(args));
      case GuestAbi.CALL_VSPACE_NEW -> {
        handle(args);
        HandleArgs.HANDLE.setBits(args, guest.spaces().create());
      }
      case GuestAbi.CALL_VSPACE_FREE -> guest.spaces().free(handle(args));
      case GuestAbi.CALL_CHAN_NEW ->
          ChanNew.CID.setBits(args, guest.channels().create(ChanNew.VID.bits(args)));
      case GuestAbi.CALL_CHAN_FREE -> guest.channels().free(handle(args));
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
      case GuestAbi.CALL_PING -> Ping.ECHO.set(args, Ping.VALUE.get(args));
      case GuestAbi.CALL_API_OPEN -> apiOpen(args);
      case GuestAbi.CALL_API_SEGMENT -> apiSegment(args);
      case GuestAbi.CALL_API_CLOSE -> sessions().close(handle(args));
      default -> throw refused(Errno.ENOSYS, "command=" + Integer.toUnsignedString(command));
    }
  }

  private void memAlloc(MemorySegment args) {
    MemoryGrant grant =
        guest
            .buffers()
            .allocate(
                MemAlloc.FLAGS.bits(args),
                MemAlloc.TILE_FLAGS.bits(args),
                MemAlloc.COOKIE.bits(args),
                MemAlloc.SIZE_FIELD.get(args));
    MemAlloc.HANDLE.setBits(args, grant.handle());
    MemAlloc.SIZE_FIELD.set(args, grant.sizeBytes());
    MemAlloc.APERTURE_OFFSET.set(args, aperture(grant.apertureOffset()));
  }

  private void memInfo(MemorySegment args) {
    MemoryInfo info = guest.buffers().info(MemInfo.HANDLE.bits(args));
    MemInfo.FLAGS.setBits(args, info.flags());
    MemInfo.TILE_FLAGS.setBits(args, info.tileFlags());
    MemInfo.COOKIE.setBits(args, info.cookie());
    MemInfo.SIZE_FIELD.set(args, info.sizeBytes());
    MemInfo.APERTURE_OFFSET.set(args, aperture(info.apertureOffset()));
  }

  private void vspaceMap(MemorySegment args) {
    requireZero(VspaceMap.FLAGS.bits(args));
    GpuVa address =
        guest
            .spaces()
            .map(
                VspaceMap.VID.bits(args),
                VspaceMap.HANDLE.bits(args),
                new GpuVa(VspaceMap.START.get(args)),
                new GpuVa(VspaceMap.END.get(args)),
                VspaceMap.BACK.get(args) != 0);
    VspaceMap.OFFSET.set(args, address.value());
  }

  private void vspaceUnmap(MemorySegment args) {
    requireZero(args.get(Layouts.U32, 4));
    guest.spaces().unmap(VspaceUnmap.VID.bits(args), new GpuVa(VspaceUnmap.OFFSET.get(args)));
  }

  private void objectNew(MemorySegment args) {
    guest
        .channels()
        .declareObject(
            ObjEngNew.CID.bits(args),
            ObjEngNew.HANDLE.bits(args),
            ObjEngNew.OCLASS.bits(args),
            ObjEngNew.FLAGS.bits(args));
  }

  private void fifoInitIb(MemorySegment args) {
    requireZero(FifoInitIb.FLAGS.bits(args));
    guest
        .channels()
        .start(
            FifoInitIb.CID.bits(args),
            new GpuVa(FifoInitIb.IB_START.get(args)),
            FifoInitIb.IB_ORDER.get(args),
            FifoInitIb.SLIMASK.bits(args));
  }

  private void memRegister(MemorySegment args) {
    requireZero(args.get(Layouts.U32, 0x14));
    int handle =
        guest
            .buffers()
            .register(
                MemRegister.FLAGS.bits(args),
                MemRegister.COOKIE.bits(args),
                MemRegister.SIZE_FIELD.get(args));
    MemRegister.HANDLE.setBits(args, handle);
  }

  /** The list is read once; no map goes away before its extents are the GPU's. */
  private void memPages(MemorySegment args) {
    long count = MemPages.COUNT.get(args);
    Iova address = new Iova(MemPages.LIST_IOVA.get(args));
    int handle = MemPages.HANDLE.bits(args);
    long offset = MemPages.OFFSET.get(args);
    dma.exclusively(() -> {
      List<GuestGpu.RegionExtent> extents = new ArrayList<>();
      for (GuestRange range : GuestRange.list(dma, count, address)) {
        dma.translate(range.address(), range.bytes(), extents);
        if (extents.size() > MOST_EXTENTS) {
          throw refused(
              Errno.ENOMEM,
              "ranges cross maps more often than there may be maps, most=" + MOST_EXTENTS);
        }
      }
      setPages(handle, offset, extents);
    });
  }

  /** Extents that crossed maps may have become more than one request may have. */
  private void setPages(int handle, long offset, List<GuestGpu.RegionExtent> extents) {
    long at = offset;
    for (List<GuestGpu.RegionExtent> part : Lists.partition(extents, GuestAbi.MAX_EXTENTS)) {
      guest.buffers().setPages(handle, at, part);
      for (GuestGpu.RegionExtent extent : part) {
        at += extent.bytes();
      }
    }
  }

  private void channelQuery(MemorySegment args) {
    Channel.Status info = guest.channels().query(ChanQuery.CID.bits(args));
    ChanQuery.STATE.setBits(args, info.state().code());
    ChanQuery.REASON.setBits(args, info.cause().reason());
    ChanQuery.INFO.setBits(args, info.cause().info());
    ChanQuery.ADDRESS.set(args, info.cause().address());
    ChanQuery.ENTRIES.set(args, info.usage().entries());
    ChanQuery.BUSY_NS.set(args, info.usage().busyNs());
  }

  private void quotaQuery(MemorySegment args) {
    MemoryUse use = guest.buffers().use();
    QuotaQuery.VRAM_USED.set(args, use.videoBytes());
    QuotaQuery.VRAM_LIMIT.set(args, use.limitBytes());
    QuotaQuery.VRAM_TOTAL.set(args, guest.info().vramBytes());
    QuotaQuery.SYSMEM_USED.set(args, use.systemBytes());
  }

  private void setupSegment(MemorySegment args) {
    long count = SetupSegment.WORDS.get(args);
    if (count > GuestAbi.MAX_SETUP_WORDS) {
      throw refused(Errno.E2BIG, "set-up segment too long, words=" + count);
    }
    int[] words = new int[(int) count];
    if (count > 0) {
      Iova address = new Iova(SetupSegment.IOVA.get(args));
      if (address.value() % Integer.BYTES != 0) {
        throw refused(Errno.EINVAL, "set-up segment is not aligned, iova=" + address);
      }
      dma.read(address, MemorySegment.ofArray(words));
    }
    guest.channels().setupSegment(SetupSegment.CID.bits(args), words);
  }

  private MachineSessions sessions() {
    MachineSessions offered = sessions;
    if (offered == null) {
      throw refused(Errno.ENOSYS, "API sessions are not offered");
    }
    return offered;
  }

  private void apiOpen(MemorySegment args) {
    MachineSessions offered = sessions();
    requireZero(args.get(Layouts.U32, 0x1c));
    int handle =
        offered.open(
            ApiOpen.API.bits(args),
            new NamedSegment(
                ApiOpen.COUNT.get(args),
                new Iova(ApiOpen.LIST_IOVA.get(args)),
                ApiOpen.BYTES.get(args)));
    ApiOpen.HANDLE.setBits(args, handle);
  }

  private void apiSegment(MemorySegment args) {
    MachineSessions offered = sessions();
    requireZero(args.get(Layouts.U32, 0x0c));
    offered.add(
        ApiSegment.HANDLE.bits(args),
        ApiSegment.INDEX.bits(args),
        new NamedSegment(
            ApiSegment.COUNT.get(args),
            new Iova(ApiSegment.LIST_IOVA.get(args)),
            ApiSegment.BYTES.get(args)));
  }

  private static int handle(MemorySegment args) {
    requireZero(args.get(Layouts.U32, 4));
    return HandleArgs.HANDLE.bits(args);
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
    return new RefusedException(DeviceCode.CALL, errno, what, "");
  }
}

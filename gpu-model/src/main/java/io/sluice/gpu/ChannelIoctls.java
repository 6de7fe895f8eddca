package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.pscnv.ExtChanNewAt;
import io.sluice.abi.pscnv.PscnvChanFree;
import io.sluice.abi.pscnv.PscnvChanNew;
import io.sluice.abi.pscnv.PscnvFifoInitIb;
import io.sluice.abi.pscnv.PscnvLimits;
import io.sluice.abi.pscnv.PscnvMapHandle;
import io.sluice.abi.pscnv.PscnvObjEngNew;
import io.sluice.abi.pscnv.PscnvObjVdmaNew;
import io.sluice.gpu.fifo.ChannelServices;
import io.sluice.gpu.fifo.GpuChannel;
import java.lang.foreign.MemorySegment;

/** The ioctls that make, start and free channels. */
final class ChannelIoctls {
  private ChannelIoctls() {}

  static void create(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    Vspace vspace = file.vspace(call, PscnvChanNew.VID.bits(argument));
    int page = file.pages.take();
    if (page == IdPool.NONE) {
      throw call.refuse(Errno.ENOMEM, "no control page left");
    }
    int cid = create(file, call, vspace, page);
    PscnvChanNew.CID.setBits(argument, cid);
    PscnvChanNew.MAP_HANDLE.set(argument, PscnvMapHandle.ofChannel(cid));
  }

  static void createAt(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    Vspace vspace = file.vspace(call, ExtChanNewAt.VID.bits(argument));
    int page = ExtChanNewAt.PAGE.bits(argument);
    if (page == ExtChanNewAt.ANY_PAGE) {
      page = file.pages.take();
      if (page == IdPool.NONE) {
        throw call.refuse(Errno.ENOMEM, "no control page left");
      }
    } else if (!file.pages.contains(page)) {
      throw call.refuse(Errno.EINVAL, "page=" + page);
    } else if (!file.pages.take(page)) {
      throw call.refuse(Errno.EBUSY, "page=" + page);
    }
    int cid = create(file, call, vspace, page);
    ExtChanNewAt.PAGE.setBits(argument, page);
    ExtChanNewAt.CID.setBits(argument, cid);
    ExtChanNewAt.MAP_HANDLE.set(argument, PscnvMapHandle.ofChannel(cid));
  }

  private static int create(GpuFile file, IoctlCall call, Vspace vspace, int page) {
    Card card = file.card();
    int cid = card.cids().take();
    if (cid == IdPool.NONE) {
      file.pages.give(page);
      throw call.refuse(Errno.ENOMEM, "no channel left");
    }
    ChannelServices services =
        new ChannelServices(
            card.clock(),
            card.launcher(),
            file.share,
            file.gate,
            () -> card.kernel().signal(file.events()));
    GpuChannel channel =
        new GpuChannel(
            cid,
            vspace.space,
            file.control().segment(),
            page * GpuFile.CONTROL_PAGE_BYTES,
            services);
    vspace.channels++;
    DirectInterrupt interrupts = new DirectInterrupt(file.signals);
    channel.setInterruptTarget(interrupts);
    file.channels.put(cid, ChannelEntry.of(channel, page, vspace, interrupts));
    card.runlist().add(channel);
    return cid;
  }

  static void free(GpuFile file, IoctlCall call) {
    int cid = PscnvChanFree.CID.bits(call.argument());
    ChannelEntry entry = file.entry(call, cid);
    entry.channel().cancelGrid();
    file.card().runlist().remove(entry.channel());
    entry.interrupts().takeEventfd().ifPresent(eventfd -> call.afterwards(eventfd::close));
    file.card().cids().give(cid);
    file.channels.remove(cid);
    entry.vspace().channels--;
    call.afterwards(file.card().launcher().quiesce(entry.vspace().space));
    call.afterwards(() -> file.reclaimPage(entry.page()));
    file.releaseIfUnused(call, entry.vspace());
  }

  /** OBJ_VDMA_NEW: Fermi has no DMA objects. */
  static void dmaObject(GpuFile file, IoctlCall call) {
    file.channel(call, PscnvObjVdmaNew.CID.bits(call.argument()));
    throw call.refuse(Errno.ENOSYS, "no DMA objects on this GPU");
  }

  /** FIFO_INIT: Fermi has no DMA mode. */
  static void startDma(GpuFile file, IoctlCall call) {
    throw call.refuse(Errno.ENODEV, "no DMA mode on this GPU");
  }

  /** OBJ_ENG_NEW: engines need no preparation here, so it only checks. */
  static void engineObject(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    file.channel(call, PscnvObjEngNew.CID.bits(argument));
    int objectClass = PscnvObjEngNew.OCLASS.bits(argument);
    if (!GpuChannel.isKnownClass(objectClass)) {
      throw call.refuse(Errno.ENODEV, "oclass=0x" + Integer.toHexString(objectClass));
    }
  }

  static void start(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    GpuChannel channel = file.channel(call, PscnvFifoInitIb.CID.bits(argument));
    long start = PscnvFifoInitIb.IB_START.get(argument);
    long order = PscnvFifoInitIb.IB_ORDER.get(argument);
    if (order > PscnvLimits.MAX_IB_ORDER || !GpuChannel.isLegalRing(start, (int) order)) {
      throw call.refuse(
          Errno.EINVAL, "ibStart=0x" + Long.toHexString(start) + ", ibOrder=" + order);
    }
    if (!channel.start(start, (int) order)) {
      throw call.refuse(Errno.EBUSY, "the channel has a ring or has ended");
    }
    call.afterwards(file.card()::wake);
  }
}

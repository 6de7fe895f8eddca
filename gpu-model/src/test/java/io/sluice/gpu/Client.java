package io.sluice.gpu;

import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.drm.DrmIoctl;
import io.sluice.abi.drm.GemClose;
import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.ExtFileQuery;
import io.sluice.abi.pscnv.PscnvChanFree;
import io.sluice.abi.pscnv.PscnvChanNew;
import io.sluice.abi.pscnv.PscnvFifoInitIb;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvGemInfo;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvMapHandle;
import io.sluice.abi.pscnv.PscnvVspaceMap;
import io.sluice.abi.pscnv.PscnvVspaceReq;
import io.sluice.abi.pscnv.PscnvVspaceUnmap;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** What libpscnv is to a program: the ioctls of one open, and the mappings it made. */
final class Client implements AutoCloseable {
  static final long VA_START = 0x2000_0000L;
  static final long VA_END = 1L << 40;

  final Kernel kernel;
  final DrmDevice device;
  private final List<Mapping> mappings = new ArrayList<>();

  Client(Kernel kernel, DrmDevice device) {
    this.kernel = kernel;
    this.device = device;
  }

  /** An argument block. */
  static MemorySegment block(long bytes) {
    return MemorySegment.ofArray(new long[(int) (bytes + 7 >>> 3)]).asSlice(0, bytes);
  }

  static MemorySegment block(PscnvIoctl ioctl) {
    return block(ioctl.sizeBytes());
  }

  MemorySegment call(PscnvIoctl ioctl, MemorySegment argument) {
    device.ioctl(ioctl.request(), argument);
    return argument;
  }

  /** A buffer, not mapped on the GPU. */
  int gemNew(int flags, long bytes) {
    MemorySegment gem = block(PscnvIoctl.GEM_NEW);
    PscnvGemInfo.FLAGS.setBits(gem, flags);
    PscnvGemInfo.SIZE_FIELD.set(gem, bytes);
    return PscnvGemInfo.HANDLE.bits(call(PscnvIoctl.GEM_NEW, gem));
  }

  void gemClose(int handle) {
    MemorySegment argument = block(GemClose.SIZE);
    GemClose.HANDLE.setBits(argument, handle);
    device.ioctl(DrmIoctl.GEM_CLOSE, argument);
  }

  int vspaceNew() {
    return PscnvVspaceReq.VID.bits(call(PscnvIoctl.VSPACE_NEW, block(PscnvIoctl.VSPACE_NEW)));
  }

  void vspaceFree(int vid) {
    MemorySegment argument = block(PscnvIoctl.VSPACE_FREE);
    PscnvVspaceReq.VID.setBits(argument, vid);
    call(PscnvIoctl.VSPACE_FREE, argument);
  }

  long map(int vid, int handle) {
    return map(vid, handle, VA_START, VA_END, false);
  }

  long map(int vid, int handle, long start, long end, boolean back) {
    MemorySegment argument = block(PscnvIoctl.VSPACE_MAP);
    PscnvVspaceMap.VID.setBits(argument, vid);
    PscnvVspaceMap.HANDLE.setBits(argument, handle);
    PscnvVspaceMap.START.set(argument, start);
    PscnvVspaceMap.END.set(argument, end);
    PscnvVspaceMap.BACK.set(argument, back ? 1 : 0);
    return PscnvVspaceMap.OFFSET.get(call(PscnvIoctl.VSPACE_MAP, argument));
  }

  void unmap(int vid, long address) {
    MemorySegment argument = block(PscnvIoctl.VSPACE_UNMAP);
    PscnvVspaceUnmap.VID.setBits(argument, vid);
    PscnvVspaceUnmap.OFFSET.set(argument, address);
    call(PscnvIoctl.VSPACE_UNMAP, argument);
  }

  int chanNew(int vid) {
    MemorySegment argument = block(PscnvIoctl.CHAN_NEW);
    PscnvChanNew.VID.setBits(argument, vid);
    return PscnvChanNew.CID.bits(call(PscnvIoctl.CHAN_NEW, argument));
  }

  void chanFree(int cid) {
    MemorySegment argument = block(PscnvIoctl.CHAN_FREE);
    PscnvChanFree.CID.setBits(argument, cid);
    call(PscnvIoctl.CHAN_FREE, argument);
  }

  void fifoInitIb(int cid, long start, int order) {
    MemorySegment argument = block(PscnvIoctl.FIFO_INIT_IB);
    PscnvFifoInitIb.CID.setBits(argument, cid);
    PscnvFifoInitIb.SLIMASK.set(argument, 1);
    PscnvFifoInitIb.IB_START.set(argument, start);
    PscnvFifoInitIb.IB_ORDER.setBits(argument, order);
    call(PscnvIoctl.FIFO_INIT_IB, argument);
  }

  void control(int cid, int op) {
    control(cid, op, 0, 0);
  }

  void control(int cid, int op, int reason, int info) {
    MemorySegment argument = block(PscnvIoctl.CHAN_CONTROL);
    ExtChanControl.CID.setBits(argument, cid);
    ExtChanControl.OP.setBits(argument, op);
    ExtChanControl.REASON.setBits(argument, reason);
    ExtChanControl.INFO.setBits(argument, info);
    call(PscnvIoctl.CHAN_CONTROL, argument);
  }

  MemorySegment query(int cid) {
    MemorySegment argument = block(PscnvIoctl.CHAN_QUERY);
    ExtChanQuery.CID.setBits(argument, cid);
    return call(PscnvIoctl.CHAN_QUERY, argument);
  }

  MemorySegment usage() {
    return call(PscnvIoctl.FILE_QUERY, block(ExtFileQuery.SIZE));
  }

  /** Maps what a map handle names into the test. */
  MemorySegment mmap(long mapHandle, long bytes) {
    DrmDevice.DrmMapping found = device.map(mapHandle, bytes);
    try (Fd fd = found.fd()) {
      int protection = Kernel.PROT_READ | Kernel.PROT_WRITE;
      Mapping mapping = kernel.mmap(fd, found.offset(), bytes, protection);
      mappings.add(mapping);
      return mapping.segment();
    }
  }

  /** A buffer that the test and an address space map. */
  Memory memory(int vid, int flags, long bytes) {
    int handle = gemNew(flags | PscnvGem.MAPPABLE, bytes);
    return new Memory(handle, map(vid, handle), mmap(PscnvMapHandle.ofBuffer(handle), bytes));
  }

  /** A started channel with a ring of 512 entries and a pushbuffer of 64 KiB, as Gdev makes it. */
  GuestChannel channel(int vid) {
    return new GuestChannel(this, vid, 9);
  }

  @Override
  public void close() {
    mappings.forEach(Mapping::close);
    mappings.clear();
    device.close();
  }

  /** A mapped buffer. */
  record Memory(int handle, long va, MemorySegment bytes) {}
}

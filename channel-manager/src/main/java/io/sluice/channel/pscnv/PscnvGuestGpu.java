package io.sluice.channel.pscnv;

import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.drm.DrmDevice.DrmMapping;
import io.sluice.abi.pscnv.ExtChanParam;
import io.sluice.abi.pscnv.ExtFileQuery;
import io.sluice.abi.pscnv.ExtGemImport;
import io.sluice.abi.pscnv.ExtGemNewAt;
import io.sluice.abi.pscnv.ExtGemPool;
import io.sluice.abi.pscnv.ExtRegionAdd;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvGemInfo;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvLimits;
import io.sluice.abi.pscnv.PscnvVspaceReq;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.EventSink;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** One guest's open of a pscnv device. */
final class PscnvGuestGpu implements GuestGpu {
  private final DrmDevice device;
  private final PscnvCalls calls;
  private final GpuInfo info;
  private final Optional<Extensions> extensions;
  private final Optional<SharedArea> controlPages;
  private final Optional<SharedArea> vramAperture;
  private final PscnvOpen open;
  private final PscnvEvents events;

  /** What was opened on the way, to be closed last opened first. */
  private final List<Runnable> closing;

  private PscnvGuestGpu(DrmDevice device, Kernel kernel, GpuInfo info, List<Runnable> closing) {
    this.device = device;
    this.info = info;
    this.closing = closing;
    calls = new PscnvCalls(device);
    extensions = Extensions.probe(calls);
    controlPages =
        extensions.map(
            e -> area(e.controlMapHandle(), e.controlPages() * PscnvLimits.CONTROL_PAGE_BYTES));
    vramAperture = extensions.map(e -> area(e.vramMapHandle(), e.vramApertureBytes()));
    ChannelIds channelIds = new ChannelIds(info.maxChannels());
    open = new PscnvOpen(calls, kernel, channelIds, extensions.isPresent(), vramAperture);
    events = PscnvEvents.open(calls, kernel, extensions.isPresent(), channelIds);
    closing.add(events::close);
  }

  /** Takes the device over: it is closed with this, or when this fails. */
  static PscnvGuestGpu open(DrmDevice device, Kernel kernel, GpuInfo info) {
    List<Runnable> closing = new ArrayList<>();
    closing.add(device::close);
    boolean complete = false;
    try {
      PscnvGuestGpu opened = new PscnvGuestGpu(device, kernel, info, closing);
      complete = true;
      return opened;
    } finally {
      if (!complete) {
        closeAll(closing);
      }
    }
  }

  private static void closeAll(List<Runnable> closing) {
    for (Runnable close : closing.reversed()) {
      close.run();
    }
    closing.clear();
  }

  /** An area that lives as long as this open does. */
  private SharedArea area(long mapHandle, long bytes) {
    DrmMapping mapping = calls.map(mapHandle, bytes);
    closing.add(mapping.fd()::close);
    return new SharedArea(mapping.fd(), mapping.offset(), bytes);
  }

  @Override
  public Optional<SharedArea> controlPages() {
    return controlPages;
  }

  @Override
  public Optional<SharedArea> vramAperture() {
    return vramAperture;
  }

  /** A Fermi GPU looks at GP_PUT. */
  @Override
  public Optional<SharedArea> doorbell() {
    return Optional.empty();
  }

  @Override
  public OptionalLong parameter(long id) {
    return calls.parameter(id);
  }

  @Override
  public AddressSpace createAddressSpace() {
    int vid = (int) calls.ask(PscnvIoctl.VSPACE_NEW, _ -> {}, PscnvVspaceReq.VID::get);
    return new PscnvAddressSpace(open, vid);
  }

  @Override
  public GpuMemory allocate(MemoryRequest request) {
    if (request.apertureOffset().isPresent()) {
      return allocateAt(request, ExtGemPool.VIDEO);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment gem = arena.allocate(PscnvGemInfo.LAYOUT);
      fill(gem, request);
      calls.issue(PscnvIoctl.GEM_NEW, gem);
      boolean system = PscnvGem.isSystem(request.flags());
      return PscnvMemory.allocated(
          open, PscnvGemInfo.HANDLE.bits(gem), system, PscnvGemInfo.SIZE_FIELD.get(gem), !system);
    }
  }

  @Override
  public GpuMemory allocateEvicted(MemoryRequest request) {
    return allocateAt(request, ExtGemPool.SYSTEM);
  }

  private GpuMemory allocateAt(MemoryRequest request, int pool) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment at = arena.allocate(ExtGemNewAt.LAYOUT);
      MemorySegment gem = ExtGemNewAt.GEM.slice(at);
      fill(gem, request);
      ExtGemNewAt.APERTURE_OFFSET.set(at, request.apertureOffset().orElse(ExtGemNewAt.ANYWHERE));
      ExtGemNewAt.POOL.setBits(at, pool);
      calls.issue(PscnvIoctl.GEM_NEW_AT, at);
      boolean system = pool == ExtGemPool.SYSTEM;
      return PscnvMemory.allocated(
          open, PscnvGemInfo.HANDLE.bits(gem), system, PscnvGemInfo.SIZE_FIELD.get(gem), true);
    }
  }

  private static void fill(MemorySegment gem, MemoryRequest request) {
    PscnvGemInfo.FLAGS.setBits(gem, request.flags());
    PscnvGemInfo.TILE_FLAGS.setBits(gem, request.tileFlags());
    PscnvGemInfo.COOKIE.setBits(gem, request.cookie());
    PscnvGemInfo.SIZE_FIELD.set(gem, request.sizeBytes());
  }

  @Override
  public RegisteredMemory addRegion(Fd fd, long offset, long sizeBytes, boolean writable) {
    return new PscnvRegion(calls, newRegion(fd, offset, sizeBytes, writable), sizeBytes);
  }

  private int newRegion(Fd fd, long offset, long sizeBytes, boolean writable) {
    return (int)
        calls.ask(
            PscnvIoctl.REGION_ADD,
            argument -> {
              ExtRegionAdd.FD.set(argument, fd.number());
              ExtRegionAdd.FLAGS.setBits(argument, writable ? ExtRegionAdd.WRITABLE : 0);
              ExtRegionAdd.OFFSET.set(argument, offset);
              ExtRegionAdd.SIZE_FIELD.set(argument, sizeBytes);
            },
            ExtRegionAdd.REGION::get);
  }

  /** A region like guest memory's, but one that no buffer is ever made of. */
  @Override
  public void setPendingBitmap(Fd fd, long offset, long sizeBytes) {
    open.requireNoPendingRegion();
    open.setPendingRegion(newRegion(fd, offset, sizeBytes, true));
  }

  @Override
  public void setSweeping(boolean sweeping) {
    if (open.isExtended()) {
      calls.call(
          PscnvIoctl.CHAN_PARAM,
          argument -> {
            ExtChanParam.PARAM.setBits(argument, ExtChanParam.SWEEP);
            ExtChanParam.VALUE.set(argument, sweeping ? 1 : 0);
          });
    }
  }

  @Override
  public GpuMemory register(MemoryRequest request) {
    int handle =
        (int)
            calls.ask(
                PscnvIoctl.GEM_IMPORT,
                argument -> {
                  ExtGemImport.FLAGS.setBits(argument, request.flags());
                  ExtGemImport.COOKIE.setBits(argument, request.cookie());
                  ExtGemImport.SIZE_FIELD.set(argument, request.sizeBytes());
                },
                ExtGemImport.HANDLE::get);
    return PscnvMemory.registered(open, handle, request.flags(), request.sizeBytes());
  }

  @Override
  public Fd events() {
    return events.fd();
  }

  @Override
  public int readEvents(EventSink sink) {
    return events.read(sink);
  }

  @Override
  public MemoryUsage usage() {
    if (extensions.isEmpty()) {
      long used = open.vramBytes();
      return new MemoryUsage(
          used, open.systemBytes(), info.vramBytes(), Math.max(0, info.vramBytes() - used));
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment query = arena.allocate(ExtFileQuery.LAYOUT);
      calls.issue(PscnvIoctl.FILE_QUERY, query);
      return new MemoryUsage(
          ExtFileQuery.VRAM_BYTES.get(query),
          ExtFileQuery.SYSTEM_BYTES.get(query),
          ExtFileQuery.VRAM_TOTAL.get(query),
          ExtFileQuery.VRAM_FREE.get(query));
    }
  }

  @Override
  public void setWeight(int weight) {
    if (extensions.isEmpty()) {
      GuestGpu.super.setWeight(weight);
      return;
    }
    calls.call(
        PscnvIoctl.CHAN_PARAM,
        argument -> {
          ExtChanParam.PARAM.setBits(argument, ExtChanParam.OPEN_WEIGHT);
          ExtChanParam.VALUE.set(argument, weight);
        });
  }

  @Override
  public Optional<TimeUsage> timeUsage() {
    if (extensions.isEmpty()) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment query = arena.allocate(ExtFileQuery.LAYOUT);
      calls.issue(PscnvIoctl.FILE_QUERY, query);
      return Optional.of(
          new TimeUsage(ExtFileQuery.GPU_NS.get(query), ExtFileQuery.WAIT_NS.get(query)));
    }
  }

  @Override
  public Optional<HeapUsage> heapUsage() {
    if (extensions.isEmpty()) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment query = arena.allocate(ExtFileQuery.LAYOUT);
      calls.issue(PscnvIoctl.FILE_QUERY, query);
      return Optional.of(
          new HeapUsage(
              ExtFileQuery.GRID_HEAP_BYTES.get(query),
              ExtFileQuery.GRID_HEAP_LIMIT.get(query),
              new ProgramUsage(
                  ExtFileQuery.PROGRAMS.get(query),
                  ExtFileQuery.PROGRAM_LIMIT.get(query),
                  ExtFileQuery.PROGRAM_BYTES.get(query),
                  ExtFileQuery.PROGRAM_BYTES_LIMIT.get(query),
                  ExtFileQuery.INTERPRETED.get(query))));
    }
  }

  /** The driver frees whatever this open still holds. */
  @Override
  public void close() {
    closeAll(closing);
  }
}

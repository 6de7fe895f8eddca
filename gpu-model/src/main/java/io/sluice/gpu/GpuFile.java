package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.drm.DrmIoctl;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvMapHandle;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.gpu.engine.TimeShare;
import io.sluice.gpu.fifo.Channel;
import io.sluice.gpu.mmu.GpuBuffer;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One open of the software GPU: its tables, and the way of an ioctl through them.
 *
 * <p>An ioctl is found by its number, as the kernel does, whatever directions its word names; a
 * word whose size is below the structure's is EINVAL. A number without an ioctl is EINVAL, as DRM
 * answers; a word that is not DRM's at all is ENOTTY. Everything below is guarded by the GPU's
 * lock.
 */
final class GpuFile implements DrmDevice {
  /** Highest address-space id of the card. */
  static final int MAX_VSPACES = 127;

  /** Control pages of an open. */
  static final int CONTROL_PAGES = 128;

  static final long CONTROL_PAGE_BYTES = 4096;

  /** Map handle of all control pages. In the range that real pscnv gives to legacy maps. */
  static final long CONTROL_MAP_HANDLE = 0x1000_0000L;

  /** Map handle of all video memory. */
  static final long VRAM_MAP_HANDLE = 0x2000_0000L;

  private static final int MAX_HANDLES = 1 << 16;
  private static final int LOWEST_PAGE = 1;

  private final SoftwareGpu gpu;
  private SharedFile control;
  private Aperture vram;
  private final Fd events;
  private @Nullable Aperture system;
  private volatile boolean open = true;
  private boolean adopting;
  private boolean sweeping = true;
  private volatile long offences;

  /** Found by the engine, told by whoever reads events. */
  private final AtomicLong untoldExcessBytes = new AtomicLong();

  final IdPool handles = new IdPool(1, MAX_HANDLES);
  final IdPool pages = new IdPool(LOWEST_PAGE, CONTROL_PAGES - 1);
  final Map<Integer, GemObject> objects = new HashMap<>();
  final Map<GpuBuffer, GemObject> objectOf = new IdentityHashMap<>();
  final Map<Integer, Vspace> vspaces = new TreeMap<>();

  /** Changed under the GPU's lock; whoever reads events looks at it without. */
  final ConcurrentSkipListMap<Integer, ChannelEntry> channels = new ConcurrentSkipListMap<>();

  final TimeShare share;
  final RegionTable regions = new RegionTable();
  long vramBytes;
  long systemBytes;
  long importedBytes;
  int extents;

  /**
   * Held while events are read, so that an interrupt need not wait for the slice that the engine
   * executes.
   */
  private final ReentrantLock eventLock = new ReentrantLock();

  /** The channel whose events were read last: the next ones go first. Guarded by eventLock. */
  int lastEventCid;

  GpuFile(SoftwareGpu gpu, TimeShare share) {
    this.gpu = gpu;
    this.share = share;
    Kernel kernel = gpu.kernel();
    control = SharedFile.create(kernel, "sluice-control", CONTROL_PAGES * CONTROL_PAGE_BYTES);
    SharedFile video = null;
    try {
      video = SharedFile.create(kernel, "sluice-vram", gpu.config().vramBytes());
      vram = new Aperture(video, gpu.config().vramBytes());
      events = kernel.eventfd(0, Kernel.NONBLOCK);
    } catch (RuntimeException e) {
      if (video != null) {
        video.close();
      }
      control.close();
      throw e;
    }
  }

  @Override
  public void ioctl(int request, MemorySegment argument) {
    if (DrmIoctl.type(request) != DrmIoctl.TYPE) {
      throw failure(Errno.ENOTTY, request, "not a DRM request");
    }
    IoctlTable.Entry entry = IoctlTable.find(request);
    if (entry == null) {
      throw failure(Errno.EINVAL, request, "no such command");
    }
    long size = entry.sizeBytes();
    if (DrmIoctl.size(request) < size || argument.byteSize() < size) {
      throw failure(Errno.EINVAL, request, "needs bytes=" + size);
    }
    MemorySegment copy = MemorySegment.ofArray(new long[(int) (size + 7 >>> 3)]).asSlice(0, size);
    MemorySegment.copy(argument, 0, copy, 0, size);
    IoctlCall call = new IoctlCall(entry.name(), copy);
    ReentrantLock lock = entry.readsEvents() ? eventLock : gpu.lock();
    lock.lock();
    try {
      requireOpen();
      if (!entry.readsEvents()) {
        gpu.runlist().disturb();
      }
      entry.handler().handle(this, call);
    } finally {
      lock.unlock();
    }
    call.finish();
    MemorySegment.copy(copy, 0, argument, 0, size);
  }

  @Override
  public DrmMapping map(long mapHandle, long lengthBytes) {
    gpu.lock().lock();
    try {
      requireOpen();
      return locate(mapHandle, lengthBytes);
    } finally {
      gpu.lock().unlock();
    }
  }

  @Override
  public void close() {
    gpu.lock().lock();
    try {
      if (!open) {
        return;
      }
      open = false;
      for (ChannelEntry entry : channels.values()) {
        entry.channel().cancelGrid();
        gpu.runlist().remove(entry.channel());
        entry.interrupts().setEventfd(null);
        gpu.cids().give(entry.channel().cid());
      }
      vspaces.keySet().forEach(gpu.vids()::give);
      gpu.refundVram(vramBytes);
      channels.clear();
      vspaces.clear();
      objects.clear();
      objectOf.clear();
      gpu.forget(this);
    } finally {
      gpu.lock().unlock();
    }
    regions.close();
    control.close();
    vram.close();
    if (system != null) {
      system.close();
    }
    eventLock.lock();
    try {
      events.close();
    } finally {
      eventLock.unlock();
    }
  }

  SoftwareGpu gpu() {
    return gpu;
  }

  void setSweeping(boolean sweeps) {
    sweeping = sweeps;
  }

  /** Whether nothing was made yet that lies in its files. */
  boolean isUntouched() {
    return objects.isEmpty() && objectOf.isEmpty() && channels.isEmpty();
  }

  /** Takes the control pages of a guest over, as they are. */
  void adoptControl(Fd file) {
    SharedFile former = control;
    control = SharedFile.adopt(gpu.kernel(), file, CONTROL_PAGES * CONTROL_PAGE_BYTES);
    former.close();
  }

  /** Takes the video memory of a guest over, as it is. */
  void adoptVram(Fd file) {
    Aperture former = vram;
    long bytes = gpu.config().vramBytes();
    vram = new Aperture(SharedFile.adopt(gpu.kernel(), file, bytes), bytes);
    adopting = true;
    former.close();
  }

  Aperture vram() {
    return vram;
  }

  SharedFile control() {
    return control;
  }

  Fd events() {
    return events;
  }

  long offences() {
    return offences;
  }

  /** The host memory of a process guest; made when it is first needed. */
  Aperture system() {
    Aperture made = system;
    if (made == null) {
      long bytes = gpu.config().systemBytes();
      made = new Aperture(SharedFile.create(gpu.kernel(), "sluice-system", bytes), bytes);
      system = made;
    }
    return made;
  }

  /**
   * Gives back memory that was touched without having been allocated; the bytes found. Not while
   * the buffers of adopted memory are still to be made.
   */
  long sweep() {
    if (!sweeping || adopting && channels.isEmpty()) {
      return 0;
    }
    adopting = false;
    long bytes = vram.sweep() + (system == null ? 0 : system.sweep());
    if (bytes > 0) {
      offences = offences + 1; // by the engine alone
      untoldExcessBytes.addAndGet(bytes);
      gpu.kernel().signal(events);
    }
    return bytes;
  }

  /** Whether some was taken back that nobody was told of. */
  boolean hasUntoldExcess() {
    return untoldExcessBytes.get() > 0;
  }

  /** Bytes that were taken back and nobody was told of; they count as told. */
  long takeUntoldExcess() {
    return untoldExcessBytes.getAndSet(0);
  }

  // ---- lookups ----

  GemObject object(IoctlCall call, int handle, Errno missing) {
    GemObject object = objects.get(handle);
    if (object == null) {
      throw call.refuse(missing, "handle=" + handle);
    }
    return object;
  }

  Vspace vspace(IoctlCall call, int vid) {
    Vspace vspace = vspaces.get(vid);
    if (vspace == null || vspace.freed) {
      throw call.refuse(Errno.ENOENT, "vid=" + vid);
    }
    return vspace;
  }

  Channel channel(IoctlCall call, int cid) {
    return entry(call, cid).channel();
  }

  ChannelEntry entry(IoctlCall call, int cid) {
    ChannelEntry entry = channels.get(cid);
    if (entry == null) {
      throw call.refuse(Errno.ENOENT, "cid=" + cid);
    }
    return entry;
  }

  // ---- ends of lives ----

  /** An address space dropped a mapping of a buffer. */
  void unmapped(GpuBuffer buffer) {
    GemObject object = objectOf.get(buffer);
    if (object != null) {
      releaseIfUnused(object);
    }
  }

  /** Frees a buffer's memory once it has neither handle nor mapping. */
  void releaseIfUnused(GemObject object) {
    if (object.handle != 0 || object.buffer.isMapped()) {
      return;
    }
    objectOf.remove(object.buffer);
    MemoryIoctls.release(this, object);
  }

  /** Destroys an address space once it was freed and no channel uses it. */
  void releaseIfUnused(Vspace vspace) {
    if (!vspace.freed || vspace.channels > 0) {
      return;
    }
    vspace.space.unmapAll(this::unmapped);
    vspaces.remove(vspace.vid);
    gpu.vids().give(vspace.vid);
  }

  private void requireOpen() {
    if (!open) {
      throw new SyscallException("ioctl", "closed device", Errno.EBADF.number());
    }
  }

  private DrmMapping locate(long mapHandle, long length) {
    if (mapHandle == CONTROL_MAP_HANDLE) {
      return mapping(control, 0, length, CONTROL_PAGES * CONTROL_PAGE_BYTES);
    }
    if (mapHandle == VRAM_MAP_HANDLE) {
      return mapping(vram.file(), 0, length, vram.sizeBytes());
    }
    if (PscnvMapHandle.isChannel(mapHandle)) {
      ChannelEntry entry = channels.get(PscnvMapHandle.channel(mapHandle));
      if (entry == null) {
        throw mapFailure(Errno.ENOENT, mapHandle);
      }
      return mapping(control, entry.page() * CONTROL_PAGE_BYTES, length, CONTROL_PAGE_BYTES);
    }
    if (!PscnvMapHandle.isBuffer(mapHandle)) {
      throw mapFailure(Errno.EINVAL, mapHandle);
    }
    GemObject object = objects.get(PscnvMapHandle.buffer(mapHandle));
    if (object == null) {
      throw mapFailure(Errno.ENOENT, mapHandle);
    }
    Aperture aperture = object.aperture;
    if (aperture == null) {
      throw mapFailure(Errno.EINVAL, mapHandle);
    }
    return mapping(aperture.file(), object.offset, length, object.buffer.sizeBytes());
  }

  private static DrmMapping mapping(SharedFile file, long offset, long length, long limit) {
    if (length <= 0 || length > limit) {
      throw new SyscallException(
          "mmap", "length=" + length + ", limit=" + limit, Errno.EINVAL.number());
    }
    return new DrmMapping(file.duplicate(), offset, length);
  }

  private static SyscallException mapFailure(Errno errno, long mapHandle) {
    return new SyscallException("mmap", "handle=0x" + Long.toHexString(mapHandle), errno.number());
  }

  private static SyscallException failure(Errno errno, int request, String why) {
    String name = PscnvIoctl.of(request).map(PscnvIoctl::name).orElse("unknown");
    String arguments = "request=0x" + Integer.toHexString(request) + " (" + name + "), " + why;
    return new SyscallException("ioctl", arguments, errno.number());
  }
}

package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.drm.DrmIoctl;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvMapHandle;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An open of the software GPU as its client has it: the way of an ioctl to its handler, and what
 * can be mapped.
 *
 * <p>An ioctl is found by its number, as the kernel does, whatever directions its word names; a
 * word whose size is below the structure's is EINVAL. A number without an ioctl is EINVAL, as DRM
 * answers; a word that is not DRM's at all is ENOTTY.
 *
 * <p>Most ioctls wait until the engine executes nothing of their open ({@link IoctlGuard}); what it
 * executes of others, an ioctl does not see. It has up to three parts, so that it holds the card's
 * lock for a bounded time, whatever the open has made: what it needs of the operating system is
 * prepared before, the tables are changed under the lock, and what is as long as a buffer or an
 * address space is done afterwards, with the lock taken for a few hundred steps at a time.
 */
final class OpenCard implements DrmDevice {
  private final GpuFile file;

  OpenCard(GpuFile file) {
    this.file = file;
  }

  GpuFile file() {
    return file;
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
    try {
      file.requireOpen();
      handle(entry, entry.preparation().prepare(file, call), call);
    } catch (RuntimeException | Error e) {
      call.takeBack();
      throw e;
    }
    call.finish();
    MemorySegment.copy(copy, 0, argument, 0, size);
  }

  private void handle(IoctlTable.Entry entry, IoctlHandler handler, IoctlCall call) {
    ReentrantLock lock = entry.guard().lockOf(file);
    lock.lock();
    try {
      entry.guard().await(file);
      if (entry.guard() != IoctlGuard.EVENTS) {
        file.card().runlist().disturb();
      }
      file.requireOpen();
      handler.handle(file, call);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public DrmMapping map(long mapHandle, long lengthBytes) {
    file.card().lock().lock();
    try {
      file.requireOpen();
      return locate(mapHandle, lengthBytes);
    } finally {
      file.card().lock().unlock();
    }
  }

  @Override
  public void close() {
    file.close();
  }

  private DrmMapping locate(long mapHandle, long length) {
    if (mapHandle == GpuFile.CONTROL_MAP_HANDLE) {
      return mapping(file.control(), 0, length, GpuFile.CONTROL_PAGES * GpuFile.CONTROL_PAGE_BYTES);
    }
    if (mapHandle == GpuFile.VRAM_MAP_HANDLE) {
      return mapping(file.vram().file(), 0, length, file.vram().sizeBytes());
    }
    if (PscnvMapHandle.isChannel(mapHandle)) {
      ChannelEntry entry = file.channels.get(PscnvMapHandle.channel(mapHandle));
      if (entry == null) {
        throw mapFailure(Errno.ENOENT, mapHandle);
      }
      return mapping(
          file.control(),
          entry.page() * GpuFile.CONTROL_PAGE_BYTES,
          length,
          GpuFile.CONTROL_PAGE_BYTES);
    }
    if (!PscnvMapHandle.isBuffer(mapHandle)) {
      throw mapFailure(Errno.EINVAL, mapHandle);
    }
    GemObject object = file.objects.get(PscnvMapHandle.buffer(mapHandle));
    if (object == null) {
      throw mapFailure(Errno.ENOENT, mapHandle);
    }
    Aperture aperture = object.aperture;
    if (aperture == null) {
      throw mapFailure(Errno.EINVAL, mapHandle);
    }
    return mapping(aperture.file(), object.offset, length, object.sizeBytes());
  }

  private static DrmMapping mapping(SharedFile shared, long offset, long length, long limit) {
    if (length <= 0 || length > limit) {
      throw new SyscallException(
          "mmap", "length=" + length + ", limit=" + limit, Errno.EINVAL.number());
    }
    return new DrmMapping(shared.duplicate(), offset, length);
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

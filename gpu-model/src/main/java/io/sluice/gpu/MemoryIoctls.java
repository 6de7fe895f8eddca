package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.drm.GemClose;
import io.sluice.abi.pscnv.ExtDirtyRead;
import io.sluice.abi.pscnv.ExtGemNewAt;
import io.sluice.abi.pscnv.ExtGemPool;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvGemInfo;
import io.sluice.abi.pscnv.PscnvLimits;
import io.sluice.abi.pscnv.PscnvMapHandle;
import io.sluice.gpu.mmu.FileBacking;
import io.sluice.gpu.mmu.GpuBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The ioctls of buffers. */
final class MemoryIoctls {
  private static final long SIZE_LIMIT = 1L << 40;
  private static final int TILE_GENERIC = 0xfe;
  private static final int TILE_DB = 0xdb;
  private static final int PAGE_SHIFT = 12;
  private static final ValueLayout.OfLong DIRTY_BITS =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private MemoryIoctls() {}

  /** GEM_NEW: the file that host memory is in is made when it is first needed. */
  static IoctlHandler prepareCreate(GpuFile file, IoctlCall call) {
    if (PscnvGem.isSystem(PscnvGemInfo.FLAGS.bits(call.argument()))) {
      file.prepareSystem();
    }
    return MemoryIoctls::create;
  }

  private static void create(GpuFile file, IoctlCall call) {
    boolean counts = !PscnvGem.isSystem(PscnvGemInfo.FLAGS.bits(call.argument()));
    allocate(file, call, call.argument(), ExtGemNewAt.ANYWHERE, counts);
  }

  /** GEM_NEW_AT: only video memory has places, and pools. */
  static void createAt(GpuFile file, IoctlCall call) {
    MemorySegment gem = ExtGemNewAt.GEM.slice(call.argument());
    long offset = ExtGemNewAt.APERTURE_OFFSET.get(call.argument());
    int pool = ExtGemNewAt.POOL.bits(call.argument());
    long granularity = granularity(PscnvGemInfo.FLAGS.bits(gem));
    boolean isPlace = offset == ExtGemNewAt.ANYWHERE || offset >= 0 && offset % granularity == 0;
    if (PscnvGem.isSystem(PscnvGemInfo.FLAGS.bits(gem)) || !isPlace) {
      throw call.refuse(Errno.EINVAL, "apertureOffset=" + offset);
    }
    if (!isPool(pool) || ExtGemNewAt.PAD.get(call.argument()) != 0) {
      throw call.refuse(Errno.EINVAL, "pool=" + pool);
    }
    allocate(file, call, gem, offset, pool == ExtGemPool.VIDEO);
  }

  private static boolean isPool(int pool) {
    return pool == ExtGemPool.VIDEO || pool == ExtGemPool.SYSTEM;
  }

  /**
   * @param at where in the aperture, or {@link ExtGemNewAt#ANYWHERE}
   * @param counts whether it counts as video memory
   */
  private static void allocate(
      GpuFile file, IoctlCall call, MemorySegment gem, long at, boolean counts) {
    int flags = PscnvGemInfo.FLAGS.bits(gem);
    int tileFlags = PscnvGemInfo.TILE_FLAGS.bits(gem);
    long asked = PscnvGemInfo.SIZE_FIELD.get(gem);
    boolean inSystem = PscnvGem.isSystem(flags);
    boolean valid =
        (flags & ~PscnvGem.ALL) == 0
            && asked > 0
            && asked < SIZE_LIMIT
            && isTileKind(tileFlags, inSystem);
    if (!valid) {
      throw call.refuse(Errno.ENOMEM, "size=" + asked + ", flags=" + flags);
    }
    long granularity = granularity(flags);
    long size = (asked + granularity - 1) & -granularity;
    Aperture aperture = inSystem ? file.system() : file.vram();
    int handle = takeHandle(file, call);
    if (counts && !file.card().chargeVram(size)) {
      file.handles.give(handle);
      throw call.refuse(Errno.ENOMEM, "size=" + size);
    }
    long offset = place(aperture, size, granularity, at);
    if (offset == RangeAllocator.NO_ROOM) {
      file.handles.give(handle);
      if (counts) {
        file.card().refundVram(size);
      }
      throw call.refuse(at == ExtGemNewAt.ANYWHERE ? Errno.ENOMEM : Errno.EBUSY, "size=" + size);
    }
    FileBacking backing = new FileBacking(aperture.file().segment(), offset, size);
    GemObject.ClientWords kind =
        new GemObject.ClientWords(flags, tileFlags, PscnvGemInfo.COOKIE.bits(gem));
    GemObject object = new GemObject(kind, size, granularity, backing, aperture, offset);
    for (int i = 0; i < GemObject.USER_WORDS; i++) {
      object.user[i] = PscnvGemInfo.USER.at(i).bits(gem);
    }
    object.inVideoMemory = counts;
    object.setEvicted(!inSystem && !counts);
    file.account(object, size);
    publish(file, object, handle);
    PscnvGemInfo.HANDLE.setBits(gem, handle);
    PscnvGemInfo.SIZE_FIELD.set(gem, size);
    PscnvGemInfo.MAP_HANDLE.set(gem, PscnvMapHandle.ofBuffer(handle));
  }

  /** A handle for one more buffer. */
  static int takeHandle(GpuFile file, IoctlCall call) {
    if (file.buffers == OpenLimits.MAX_BUFFERS) {
      throw call.refuse(Errno.ENOMEM, "too many buffers, limit=" + OpenLimits.MAX_BUFFERS);
    }
    int handle = file.handles.take();
    if (handle == IdPool.NONE) {
      throw call.refuse(Errno.ENOMEM, "no handle left, limit=" + OpenLimits.MAX_HANDLES);
    }
    return handle;
  }

  /** Makes an object known by a handle. */
  static void publish(GpuFile file, GemObject object, int handle) {
    object.handle = handle;
    file.objects.put(handle, object);
    file.buffers++;
  }

  private static long place(Aperture aperture, long size, long granularity, long at) {
    if (at == ExtGemNewAt.ANYWHERE) {
      return aperture.allocate(size, granularity);
    }
    return aperture.allocateAt(at, size) ? at : RangeAllocator.NO_ROOM;
  }

  private static boolean isTileKind(int tileFlags, boolean inSystem) {
    if (inSystem) {
      return tileFlags == 0 || tileFlags == TILE_DB || tileFlags == TILE_GENERIC;
    }
    return tileFlags >= 0 && tileFlags <= PscnvLimits.MAX_VRAM_TILE_FLAGS;
  }

  private static long granularity(int flags) {
    return (flags & PscnvGem.MEMTYPE_MASK) == PscnvGem.VRAM_LARGE
        ? PscnvGem.LARGE_PAGE_BYTES
        : PscnvGem.SMALL_PAGE_BYTES;
  }

  static void info(GpuFile file, IoctlCall call) {
    MemorySegment gem = call.argument();
    int handle = PscnvGemInfo.HANDLE.bits(gem);
    GemObject object = file.object(call, handle, Errno.EBADF);
    PscnvGemInfo.COOKIE.setBits(gem, object.cookie);
    PscnvGemInfo.FLAGS.setBits(gem, object.flags);
    PscnvGemInfo.TILE_FLAGS.setBits(gem, object.tileFlags);
    PscnvGemInfo.SIZE_FIELD.set(gem, object.sizeBytes());
    PscnvGemInfo.MAP_HANDLE.set(gem, PscnvMapHandle.ofBuffer(handle));
    for (int i = 0; i < GemObject.USER_WORDS; i++) {
      PscnvGemInfo.USER.at(i).setBits(gem, object.user[i]);
    }
  }

  /** GEM_CLOSE: a mapping of the buffer outlives its handle. */
  static void close(GpuFile file, IoctlCall call) {
    int handle = GemClose.HANDLE.bits(call.argument());
    GemObject object = file.object(call, handle, Errno.EINVAL);
    file.objects.remove(handle);
    file.handles.give(handle);
    object.handle = 0;
    file.releaseIfUnused(call, object);
  }

  /**
   * GEM_POOL: the bytes stay where they are mapped; what they count as, what page tables say, and
   * how many of them a turn may copy changes.
   */
  static void pool(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    GemObject object = file.object(call, ExtGemPool.HANDLE.bits(argument), Errno.EBADF);
    int pool = ExtGemPool.POOL.bits(argument);
    if (!isPool(pool)) {
      throw call.refuse(Errno.EINVAL, "pool=" + pool);
    }
    if (object.aperture != file.vram()) {
      throw call.refuse(Errno.EINVAL, "not a buffer of video memory");
    }
    boolean toVideo = pool == ExtGemPool.VIDEO;
    if (toVideo == object.inVideoMemory) {
      return;
    }
    long size = object.sizeBytes();
    if (toVideo && !file.card().chargeVram(size)) {
      throw call.refuse(Errno.ENOMEM, "size=" + size);
    }
    if (!toVideo) {
      file.card().refundVram(size);
    }
    file.account(object, -size);
    object.inVideoMemory = toVideo;
    object.setEvicted(!toVideo);
    file.account(object, size);
  }

  static void dirty(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    GemObject object = file.object(call, ExtDirtyRead.HANDLE.bits(argument), Errno.EBADF);
    int flags = ExtDirtyRead.FLAGS.bits(argument);
    long first = ExtDirtyRead.FIRST_PAGE.get(argument);
    long pages = ExtDirtyRead.PAGES.get(argument);
    long total = object.sizeBytes() >>> PAGE_SHIFT;
    boolean valid =
        (flags & ~ExtDirtyRead.CLEAR) == 0
            && pages <= ExtDirtyRead.MAX_PAGES
            && first >= 0
            && first <= total
            && pages <= total - first;
    if (!valid) {
      throw call.refuse(Errno.EINVAL, "firstPage=" + first + ", pages=" + pages);
    }
    MemorySegment bitmap = ExtDirtyRead.BITMAP.slice(argument);
    bitmap.fill((byte) 0); // beyond what was asked for
    readDirty(object, first, pages, flags != 0, bitmap);
    if (flags != 0) {
      // A grid marks a page once and then stores to it without asking again, until it is told to
      // forget: what it stored up to then is on a page that was answered.
      file.vspaces.values().forEach(v -> call.afterwards(file.card().launcher().quiesce(v.space)));
    }
  }

  private static void readDirty(
      GpuBuffer buffer, long first, long pages, boolean clear, MemorySegment bitmap) {
    for (int i = 0; i < pages; i += Long.SIZE) {
      int count = (int) Math.min(Long.SIZE, pages - i);
      bitmap.set(DIRTY_BITS, i / Byte.SIZE, buffer.readDirty(first + i, count, clear));
    }
  }
}

package io.sluice.channel.nvidia;

import io.sluice.abi.rm.MemoryAlloc;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu.Extent;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.Limits;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/** A buffer of RM. Guarded by the open's lock. */
abstract sealed class NvidiaMemory implements GpuMemory {
  /**
   * A part of a buffer that is one object of RM, mapped from its first byte.
   *
   * @param object RM's handle
   * @param offset where in the buffer it begins
   * @param bytes length
   */
  record Piece(int object, long offset, long bytes) {}

  final NvidiaGuestGpu gpu;
  private final long sizeBytes;
  private int mappings;
  private boolean closed;

  private NvidiaMemory(NvidiaGuestGpu gpu, long sizeBytes) {
    this.gpu = gpu;
    this.sizeBytes = sizeBytes;
  }

  /** What it consists of, ascending. */
  abstract List<Piece> pieces();

  /** Its pages: what its addresses should be a multiple of. */
  abstract long alignment();

  abstract boolean isSystem();

  /** Frees it; nothing maps it any more. */
  abstract void release();

  @Override
  public final long sizeBytes() {
    return sizeBytes;
  }

  /** No file holds all video memory of a guest. */
  @Override
  public final OptionalLong apertureOffset() {
    return OptionalLong.empty();
  }

  @Override
  public void setPages(long offset, List<Extent> extents) {
    throw RmRefusal.invalid("no registered buffer");
  }

  @Override
  public final void readDirty(long firstPage, int pages, boolean clear, MemorySegment bitmap) {
    throw RmRefusal.missing("readDirty");
  }

  final void mapped() {
    mappings++;
  }

  final void unmapped() {
    mappings--;
    releaseIfUnused();
  }

  @Override
  public final void close() {
    gpu.run(() -> {
      if (!closed) {
        closed = true;
        releaseIfUnused();
      }
    });
  }

  private void releaseIfUnused() {
    if (closed && mappings == 0) {
      release();
      gpu.forget(this);
    }
  }

  /** Video memory. RM was found to zero it. */
  static final class Video extends NvidiaMemory {
    static final long HUGE_PAGE_BYTES = 2L << 20;

    private final int object;

    private Video(NvidiaGuestGpu gpu, int object, long sizeBytes) {
      super(gpu, sizeBytes);
      this.object = object;
    }

    /** From 2 MiB on the pages are of that size, and the length is a multiple of it. */
    static Video allocate(NvidiaGuestGpu gpu, long bytes) {
      boolean huge = bytes >= HUGE_PAGE_BYTES;
      long page = huge ? HUGE_PAGE_BYTES : Limits.PAGE_BYTES;
      long size = (bytes + page - 1) & -page;
      RmClient client = gpu.client();
      int object =
          client.alloc(
              client.device(),
              RmClass.NV01_MEMORY_LOCAL_USER,
              block -> {
                MemoryAlloc.owner(block, client.root());
                MemoryAlloc.type(block, MemoryAlloc.TYPE_IMAGE);
                MemoryAlloc.flags(
                    block,
                    MemoryAlloc.FLAGS_IGNORE_BANK_PLACEMENT
                        | MemoryAlloc.FLAGS_ALIGNMENT_FORCE
                        | MemoryAlloc.FLAGS_MEMORY_HANDLE_PROVIDED
                        | MemoryAlloc.FLAGS_MAP_NOT_REQUIRED
                        | MemoryAlloc.FLAGS_PERSISTENT_VIDMEM);
                MemoryAlloc.attr(
                    block,
                    MemoryAlloc.ATTR_PHYSICALITY_ALLOW_NONCONTIGUOUS
                        | (huge
                            ? MemoryAlloc.ATTR_PAGE_SIZE_HUGE
                            : MemoryAlloc.ATTR_PAGE_SIZE_4KB));
                MemoryAlloc.attr2(
                    block,
                    MemoryAlloc.ATTR2_GPU_CACHEABLE
                        | (huge ? MemoryAlloc.ATTR2_PAGE_SIZE_HUGE_2MB : 0));
                MemoryAlloc.sizeBytes(block, size);
                MemoryAlloc.alignment(block, page);
                MemoryAlloc.limit(block, size - 1);
              });
      return new Video(gpu, object, size);
    }

    @Override
    List<Piece> pieces() {
      return List.of(new Piece(object, 0, sizeBytes()));
    }

    @Override
    long alignment() {
      return sizeBytes() >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : Limits.PAGE_BYTES;
    }

    @Override
    boolean isSystem() {
      return false;
    }

    /** For writing: the CPU reads video memory at a few megabytes per second. */
    @Override
    public SharedArea share() {
      return gpu.ask(() -> {
        RmClient client = gpu.client();
        Fd fd = client.mappable(client.device(), object, sizeBytes());
        return new SharedArea(fd, 0, sizeBytes());
      });
    }

    @Override
    void release() {
      gpu.client().free(gpu.client().device(), object);
    }
  }

  /** Memory of this host, as a file that a process guest maps. */
  static final class Host extends NvidiaMemory {
    private final Fd file;
    private final Mapping mapping;
    private final int object;

    private Host(NvidiaGuestGpu gpu, Fd file, Mapping mapping, int object) {
      super(gpu, mapping.sizeBytes());
      this.file = file;
      this.mapping = mapping;
      this.object = object;
    }

    static Host allocate(NvidiaGuestGpu gpu, long bytes) {
      long size = (bytes + Limits.PAGE_BYTES - 1) & -Limits.PAGE_BYTES;
      Kernel kernel = gpu.kernel();
      List<Runnable> undo = new ArrayList<>();
      boolean complete = false;
      try {
        Fd file = kernel.memfdCreate("sluice-memory", size);
        undo.add(file::close);
        kernel.addSeals(file, Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL);
        Mapping mapping = kernel.mmap(file, 0, size, Kernel.PROT_READ | Kernel.PROT_WRITE);
        undo.add(mapping::close);
        Host host = new Host(gpu, file, mapping, gpu.client().registerMemory(mapping.segment()));
        complete = true;
        return host;
      } finally {
        if (!complete) {
          undo.reversed().forEach(Runnable::run);
        }
      }
    }

    @Override
    List<Piece> pieces() {
      return List.of(new Piece(object, 0, sizeBytes()));
    }

    @Override
    long alignment() {
      return Limits.PAGE_BYTES;
    }

    @Override
    boolean isSystem() {
      return true;
    }

    @Override
    public SharedArea share() {
      return new SharedArea(gpu.kernel().dup(file), 0, sizeBytes());
    }

    @Override
    void release() {
      gpu.client().free(gpu.client().device(), object);
      mapping.close();
      file.close();
    }
  }

  /**
   * Guest memory: each extent is an object of RM of its own, so that only what is used is pinned.
   */
  static final class Registered extends NvidiaMemory {
    private record Part(NvidiaRegion region, Piece piece) {}

    private final List<Part> parts = new ArrayList<>(1);

    Registered(NvidiaGuestGpu gpu, long sizeBytes) {
      super(gpu, sizeBytes);
    }

    @Override
    public void setPages(long offset, List<Extent> extents) {
      gpu.run(() -> {
        List<Part> added = new ArrayList<>(extents.size());
        boolean complete = false;
        try {
          long at = offset;
          for (Extent extent : extents) {
            if (!(extent.region() instanceof NvidiaRegion region)) {
              throw new IllegalArgumentException("a region of another GPU, extent=" + extent);
            }
            int object = gpu.client().registerMemory(region.pages(extent.offset(), extent.bytes()));
            added.add(new Part(region, new Piece(object, at, extent.bytes())));
            at += extent.bytes();
          }
          complete = true;
        } finally {
          if (!complete) {
            added.forEach(this::release);
          }
        }
        parts.addAll(added);
        parts.sort(Comparator.comparingLong(part -> part.piece().offset()));
      });
    }

    @Override
    List<Piece> pieces() {
      return parts.stream().map(Part::piece).toList();
    }

    boolean uses(NvidiaRegion region) {
      return parts.stream().anyMatch(part -> part.region() == region);
    }

    /** Gives the pages of a region back: RM unmaps them wherever they are mapped. */
    void revoke(NvidiaRegion region) {
      parts.removeIf(part -> {
        boolean gone = part.region() == region;
        if (gone) {
          release(part);
        }
        return gone;
      });
    }

    private void release(Part part) {
      gpu.client().free(gpu.client().device(), part.piece().object());
    }

    @Override
    long alignment() {
      return Limits.PAGE_BYTES;
    }

    @Override
    boolean isSystem() {
      return true;
    }

    /** It is the guest's own. */
    @Override
    public SharedArea share() {
      throw RmRefusal.invalid("a registered buffer is the guest's own");
    }

    @Override
    void release() {
      parts.forEach(this::release);
      parts.clear();
    }
  }
}

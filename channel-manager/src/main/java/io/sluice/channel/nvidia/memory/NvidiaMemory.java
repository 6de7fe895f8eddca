package io.sluice.channel.nvidia.memory;

import io.sluice.abi.GpuVa;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.alloc.MemoryAlloc;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.nvidia.rm.Piece;
import io.sluice.channel.nvidia.rm.RmClient;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.SharedPages;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A buffer of RM. Guarded by the open's lock. */
public abstract sealed class NvidiaMemory implements GpuMemory {
  final MemoryHome home;
  private final long sizeBytes;
  private int mappings;
  private @Nullable GpuVa alias;
  private boolean closed;

  private NvidiaMemory(MemoryHome home, long sizeBytes) {
    this.home = home;
    this.sizeBytes = sizeBytes;
  }

  /** The mover of buffers between video memory and host memory. */
  public interface Evictor {
    /**
     * Moves buffers of a guest, of which no channel runs that could see them, to host memory or
     * back.
     *
     * @return how many, from the first on; the others have found no room
     * @throws io.sluice.abi.RefusedException not even the first has
     */
    int move(RmOpen guest, OpenSpaces spaces, List<Video> buffers, boolean out);
  }

  /** Whether it belongs to an open. */
  public final boolean isOf(RmOpen open) {
    return home.open() == open;
  }

  /** What it consists of, ascending. */
  abstract List<Piece> pieces();

  /** Its pages: what its addresses should be a multiple of. */
  public abstract long alignment();

  public abstract boolean isSystem();

  /**
   * The CPU's view of a few bytes that are in one page.
   *
   * @throws io.sluice.abi.RefusedException of what was allocated in video memory, wherever it is
   */
  abstract MemorySegment cpu(long offset, long bytes);

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
  public void setPages(long offset, List<RegionExtent> extents) {
    throw RmRefusal.invalid("no registered buffer");
  }

  @Override
  public final void readDirty(long firstPage, int pages, boolean clear, MemorySegment bitmap) {
    throw RmRefusal.missing("readDirty");
  }

  /** Its address in the monitor's space; mapped there when it is wanted first. */
  public final GpuVa alias() {
    if (alias == null) {
      alias = home.monitor().alias(pieces(), sizeBytes, alignment());
    }
    return alias;
  }

  /** Before pieces of it come or go. */
  public final void dropAlias() {
    if (alias != null) {
      GpuVa former = alias;
      alias = null;
      home.monitor().removeAlias(pieces(), former);
    }
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
    home.open()
        .lock()
        .run(() -> {
          if (!closed) {
            closed = true;
            releaseIfUnused();
          }
        });
  }

  private void releaseIfUnused() {
    if (closed && mappings == 0) {
      dropAlias();
      release();
      home.released().accept(this);
    }
  }

  /** Video memory, which RM was found to zero; or what was, and is in system memory now. */
  public static final class Video extends NvidiaMemory {
    public static final long HUGE_PAGE_BYTES = 2L << 20;

    private int object;
    private @Nullable List<Chunk> host;

    private Video(MemoryHome home, int object, @Nullable List<Chunk> host, long sizeBytes) {
      super(home, sizeBytes);
      this.object = object;
      this.host = host;
    }

    /** From 2 MiB on the pages are of that size, and the length is a multiple of it. */
    public static Video allocate(MemoryHome home, long bytes) {
      long size = roundUp(bytes);
      return new Video(home, allocateObject(home.open().client(), size), null, size);
    }

    /** As if it had been evicted at once. */
    public static Video allocateEvicted(MemoryHome home, long bytes) {
      long size = roundUp(bytes);
      return new Video(home, 0, home.pool().take(home.open(), size, true), size);
    }

    private static long roundUp(long bytes) {
      long page = page(bytes);
      return (bytes + page - 1) & -page;
    }

    private static long page(long bytes) {
      return bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : GuestLimits.PAGE_BYTES;
    }

    private static int allocateObject(RmClient client, long size) {
      long page = page(size);
      boolean huge = page == HUGE_PAGE_BYTES;
      return client.alloc(
          client.device(),
          RmClass.NV01_MEMORY_LOCAL_USER,
          block -> {
            MemoryAlloc.OWNER.setBits(block, client.root());
            MemoryAlloc.TYPE.setBits(block, MemoryAlloc.TYPE_IMAGE);
            MemoryAlloc.FLAGS.setBits(
                block,
                MemoryAlloc.FLAGS_IGNORE_BANK_PLACEMENT
                    | MemoryAlloc.FLAGS_ALIGNMENT_FORCE
                    | MemoryAlloc.FLAGS_MEMORY_HANDLE_PROVIDED
                    | MemoryAlloc.FLAGS_MAP_NOT_REQUIRED
                    | MemoryAlloc.FLAGS_PERSISTENT_VIDMEM);
            MemoryAlloc.ATTR.setBits(
                block,
                MemoryAlloc.ATTR_PHYSICALITY_ALLOW_NONCONTIGUOUS
                    | (huge ? MemoryAlloc.ATTR_PAGE_SIZE_HUGE : MemoryAlloc.ATTR_PAGE_SIZE_4KB));
            MemoryAlloc.ATTR2.setBits(
                block,
                MemoryAlloc.ATTR2_GPU_CACHEABLE
                    | (huge ? MemoryAlloc.ATTR2_PAGE_SIZE_HUGE_2MB : 0));
            MemoryAlloc.SIZE_BYTES.set(block, size);
            MemoryAlloc.ALIGNMENT.set(block, page);
            MemoryAlloc.LIMIT.set(block, size - 1);
          });
    }

    /** The bytes move, the addresses stay: for a moment both memories hold the buffer. */
    @Override
    public void setPool(boolean system) {
      int _ =
          home.open()
              .lock()
              .ask(() -> home.evictor().move(home.open(), home.spaces(), List.of(this), system));
    }

    /** RM's handle of what is in video memory. */
    public int object() {
      return object;
    }

    /** Video memory for one that is not there; the caller's until {@link #toVideo}. */
    public int allocateAgain() {
      return allocateObject(home.open().client(), sizeBytes());
    }

    /** It is in chunks from here on; mapped nowhere. */
    public void toHost(List<Chunk> chunks) {
      object = 0;
      host = chunks;
    }

    /** It is in video memory from here on; mapped nowhere. */
    public void toVideo(int newObject) {
      object = newObject;
      host = null;
    }

    /** Of one that is not in video memory. */
    public List<Chunk> chunks() {
      List<Chunk> chunks = host;
      if (chunks == null) {
        throw new AssertionError("in video memory");
      }
      return chunks;
    }

    @Override
    List<Piece> pieces() {
      if (host == null) {
        return List.of(new Piece(object, 0, sizeBytes()));
      }
      List<Piece> pieces = new ArrayList<>(host.size());
      long at = 0;
      for (Chunk chunk : host) {
        pieces.add(new Piece(chunk.object(), at, chunk.bytes()));
        at += chunk.bytes();
      }
      return pieces;
    }

    @Override
    public long alignment() {
      return page(sizeBytes());
    }

    @Override
    public boolean isSystem() {
      return host != null;
    }

    @Override
    MemorySegment cpu(long offset, long bytes) {
      throw RmRefusal.ringInVideoMemory();
    }

    /**
     * Refused: a process may keep RM's mapping when the buffer is freed, and was seen to read there
     * whatever another guest has written since.
     */
    @Override
    public SharedArea share() {
      throw RmRefusal.missing("mapping video memory for a CPU");
    }

    @Override
    void release() {
      List<Chunk> chunks = host;
      if (chunks == null) {
        home.open().free(object);
      } else {
        host = null;
        home.pool().giveBack(home.open(), chunks);
      }
    }
  }

  /** Memory of this host, as a file that a process guest maps. */
  public static final class Host extends NvidiaMemory {
    private final SharedPages pages;
    private final int object;

    private Host(MemoryHome home, SharedPages pages, int object) {
      super(home, pages.all().byteSize());
      this.pages = pages;
      this.object = object;
    }

    public static Host allocate(MemoryHome home, long bytes) {
      long size = (bytes + GuestLimits.PAGE_BYTES - 1) & -GuestLimits.PAGE_BYTES;
      SharedPages pages = SharedPages.create(home.open().kernel(), "sluice-memory", size);
      boolean complete = false;
      try {
        int object = home.open().client().registerMemory(pages.all());
        complete = true;
        return new Host(home, pages, object);
      } finally {
        if (!complete) {
          pages.close();
        }
      }
    }

    @Override
    List<Piece> pieces() {
      return List.of(new Piece(object, 0, sizeBytes()));
    }

    @Override
    public long alignment() {
      return GuestLimits.PAGE_BYTES;
    }

    @Override
    public boolean isSystem() {
      return true;
    }

    @Override
    MemorySegment cpu(long offset, long bytes) {
      return pages.all().asSlice(offset, bytes);
    }

    @Override
    public SharedArea share() {
      return new SharedArea(home.open().kernel().dup(pages.fd()), 0, sizeBytes());
    }

    @Override
    void release() {
      home.open().free(object);
      pages.close();
    }
  }

  /**
   * Guest memory: each extent is an object of RM of its own, so that only what is used is pinned.
   */
  public static final class Registered extends NvidiaMemory {
    private record Part(NvidiaRegion region, long regionOffset, Piece piece) {}

    private final List<Part> parts = new ArrayList<>(1);

    public Registered(MemoryHome home, long sizeBytes) {
      super(home, sizeBytes);
    }

    @Override
    public void setPages(long offset, List<RegionExtent> extents) {
      home.open()
          .lock()
          .run(() -> {
            List<Part> added = new ArrayList<>(extents.size());
            dropAlias();
            boolean complete = false;
            try {
              long at = offset;
              for (RegionExtent extent : extents) {
                if (!(extent.region() instanceof NvidiaRegion region)) {
                  throw new IllegalArgumentException("a region of another GPU, extent=" + extent);
                }
                int object =
                    home.open()
                        .client()
                        .registerMemory(region.pages(extent.offset(), extent.bytes()));
                added.add(new Part(region, extent.offset(), new Piece(object, at, extent.bytes())));
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

    @Override
    MemorySegment cpu(long offset, long bytes) {
      for (Part part : parts) {
        long within = offset - part.piece().offset();
        if (within >= 0 && within < part.piece().bytes()) {
          return part.region().pages(part.regionOffset() + within, bytes);
        }
      }
      throw RmRefusal.notThere("the buffer has no page there, offset=" + offset);
    }

    public boolean uses(NvidiaRegion region) {
      return parts.stream().anyMatch(part -> part.region() == region);
    }

    /** Gives the pages of a region back: RM unmaps them wherever they are mapped. */
    public void revoke(NvidiaRegion region) {
      dropAlias();
      parts.removeIf(part -> {
        boolean gone = part.region() == region;
        if (gone) {
          release(part);
        }
        return gone;
      });
    }

    private void release(Part part) {
      home.open().free(part.piece().object());
    }

    @Override
    public long alignment() {
      return GuestLimits.PAGE_BYTES;
    }

    @Override
    public boolean isSystem() {
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

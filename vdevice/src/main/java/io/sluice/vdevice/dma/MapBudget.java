package io.sluice.vdevice.dma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.HostLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;

/**
 * The memory of all guests that one daemon may map: bytes of its address space, and maps, each of
 * which takes a descriptor and up to two mappings of what the host gives a process.
 *
 * <p>A guest may have as much as its own limit says, except what is kept for the others: each, and
 * one that comes later, gets an equal part. So a guest's map is refused, and never another guest's
 * attach.
 *
 * <p>Everything here takes time in proportion to the number of guests, and no system call.
 */
public final class MapBudget {
  /** Descriptors and mappings of the daemon itself. */
  private static final long OWN = 2048;

  /** Descriptors, or mappings, of a guest beside its maps: files, eventfds, what it has sent. */
  private static final long EACH_GUEST = 96;

  /** A map is known to the GPU and, once it was read, to the server. */
  private static final long MAPPINGS_PER_MAP = 2;

  private final HostLimits host;
  private final long allBytes;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final List<Share> shares = new ArrayList<>();

  /**
   * @param host what the process has
   * @param allBytes of all guests together
   */
  public MapBudget(HostLimits host, long allBytes) {
    this.host = host;
    this.allBytes = allBytes;
  }

  /** A guest's share, until it is closed. */
  public Share share(String guest, MapLimits most) {
    Share made = new Share(guest, most);
    lock.lock();
    try {
      shares.add(made);
      return made;
    } finally {
      lock.unlock();
    }
  }

  /** Maps for all guests that there are, and one more. Half of what the host gives, at least. */
  @GuardedBy("lock")
  private long allMaps() {
    long kept = OWN + EACH_GUEST * (shares.size() + 1L);
    long files = host.openFiles() - Math.min(host.openFiles() / 2, kept);
    long mappings = host.mappings() - Math.min(host.mappings() / 2, kept);
    return Math.min(files, mappings / MAPPINGS_PER_MAP);
  }

  /** The share of one guest: what it has, and may have. */
  public final class Share implements AutoCloseable {
    private final String guest;
    private final MapLimits most;

    // Both guarded by lock.
    private long bytes;
    private int maps;

    private Share(String guest, MapLimits most) {
      this.guest = guest;
      this.most = most;
    }

    /** Most it may have. */
    public MapLimits most() {
      return most;
    }

    /** What it has. */
    public MapLimits used() {
      lock.lock();
      try {
        return new MapLimits(bytes, maps);
      } finally {
        lock.unlock();
      }
    }

    /**
     * Takes room for one map.
     *
     * @param size in bytes, unsigned
     * @throws RefusedException EDQUOT beyond the guest's own limit; ENOSPC where what is left is
     *     kept for others
     */
    void take(long size) {
      lock.lock();
      try {
        if (maps >= most.maps()) {
          throw refused(Errno.EDQUOT, "more maps than the guest's map-limit", most.maps());
        }
        if (Long.compareUnsigned(size, most.bytes() - bytes) > 0) {
          throw refused(
              Errno.EDQUOT, "more memory than the guest's shared-memory-limit", most.bytes());
        }
        if (maps + 1L > room(allMaps(), maps + 1L, share -> share.most.maps(), s -> s.maps)) {
          throw refused(Errno.ENOSPC, "the daemon's descriptors and mappings are for others", maps);
        }
        long wanted = bytes + size;
        if (wanted > room(allBytes, wanted, share -> share.most.bytes(), s -> s.bytes)) {
          throw refused(Errno.ENOSPC, "the daemon's shared-memory is for others", allBytes);
        }
        bytes += size;
        maps++;
      } finally {
        lock.unlock();
      }
    }

    /** Gives back what {@link #take} took. */
    void give(long size) {
      lock.lock();
      try {
        bytes -= size;
        maps--;
      } finally {
        lock.unlock();
      }
    }

    /**
     * What this guest may have of something: up to an equal part all that others do not have;
     * beyond that without what is kept for them, and for one that comes later.
     */
    @GuardedBy("MapBudget.this.lock")
    private long room(
        long all, long wanted, ToLongFunction<Share> limit, ToLongFunction<Share> has) {
      long each = all / (shares.size() + 1L);
      boolean modest = wanted <= each;
      long left = modest ? all : all - each;
      for (Share other : shares) {
        if (other != this) {
          long kept = modest ? 0 : Math.min(each, limit.applyAsLong(other));
          left -= Math.max(kept, has.applyAsLong(other));
        }
      }
      return left;
    }

    private RefusedException refused(Errno errno, String what, long limit) {
      return new RefusedException(
          DmaCode.BUDGET,
          errno,
          what + ", guest=" + guest + ", limit=" + limit,
          "See \"[[guest]]\" in docs/configuration.md.");
    }

    /** The guest is no more. */
    @Override
    public void close() {
      lock.lock();
      try {
        shares.remove(this);
      } finally {
        lock.unlock();
      }
    }
  }
}

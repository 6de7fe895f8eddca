package io.sluice.vdevice.dma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.HostLimits;
import java.util.LinkedHashMap;
import java.util.Map;
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

  private static final MapLimits NOTHING = new MapLimits(0, 0);

  private final HostLimits host;
  private final long allBytes;
  private final ReentrantLock lock = new ReentrantLock();

  /** What each has. */
  @GuardedBy("lock")
  private final Map<GuestShare, MapLimits> shares = new LinkedHashMap<>();

  /**
   * @param host what the process has
   * @param allBytes of all guests together
   */
  public MapBudget(HostLimits host, long allBytes) {
    this.host = host;
    this.allBytes = allBytes;
  }

  /** A guest's share, until it is closed. */
  public GuestShare share(String guest, MapLimits most) {
    GuestShare made = new GuestShare(guest, most);
    lock.lock();
    try {
      shares.put(made, NOTHING);
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
  public final class GuestShare implements AutoCloseable {
    private final String guest;
    private final MapLimits most;

    private GuestShare(String guest, MapLimits most) {
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
        return has();
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
        MapLimits used = has();
        int maps = used.maps() + 1;
        long bytes = used.bytes() + size;
        if (maps > most.maps()) {
          throw refused(Errno.EDQUOT, "more maps than the guest's map-limit", most.maps());
        }
        if (Long.compareUnsigned(size, most.bytes() - used.bytes()) > 0) {
          throw refused(
              Errno.EDQUOT, "more memory than the guest's shared-memory-limit", most.bytes());
        }
        if (maps > room(allMaps(), maps, MapLimits::maps)) {
          throw refused(
              Errno.ENOSPC, "the daemon's descriptors and mappings are for others", used.maps());
        }
        if (bytes > room(allBytes, bytes, MapLimits::bytes)) {
          throw refused(Errno.ENOSPC, "the daemon's shared-memory is for others", allBytes);
        }
        shares.replace(this, new MapLimits(bytes, maps));
      } finally {
        lock.unlock();
      }
    }

    /** Gives back what {@link #take} took. */
    void give(long size) {
      lock.lock();
      try {
        MapLimits used = has();
        shares.replace(this, new MapLimits(used.bytes() - size, used.maps() - 1));
      } finally {
        lock.unlock();
      }
    }

    @GuardedBy("MapBudget.this.lock")
    private MapLimits has() {
      return shares.getOrDefault(this, NOTHING);
    }

    /**
     * What this guest may have of something: up to an equal part all that others do not have;
     * beyond that without what is kept for them, and for one that comes later.
     */
    @GuardedBy("MapBudget.this.lock")
    private long room(long all, long wanted, ToLongFunction<MapLimits> of) {
      long each = all / (shares.size() + 1L);
      boolean modest = wanted <= each;
      long left = modest ? all : all - each;
      for (Map.Entry<GuestShare, MapLimits> other : shares.entrySet()) {
        if (other.getKey() != this) {
          long kept = modest ? 0 : Math.min(each, of.applyAsLong(other.getKey().most));
          left -= Math.max(kept, of.applyAsLong(other.getValue()));
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

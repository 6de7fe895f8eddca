package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * The objects that a program has mapped in external ranges of UVM: UVM keeps them, also when they
 * are freed, until it is told to let go.
 */
final class ExternalMaps {
  /** Most ranges, and most maps; one each for a cudaMalloc. */
  static final int MAX_MAPS = 1 << 16;

  /** A map, another one each time: there may be several of the same. */
  private static final class Mapped {
    private final long base;
    private final long length;
    private final RmObject object;

    Mapped(long base, long length, RmObject object) {
      this.base = base;
      this.length = length;
      this.object = object;
    }
  }

  private final ProgramObjects objects;
  private final TreeMap<Long, Long> ranges = new TreeMap<>(Long::compareUnsigned);
  private final TreeMap<Long, Set<Mapped>> maps = new TreeMap<>(Long::compareUnsigned);
  private int count;

  ExternalMaps(ProgramObjects objects) {
    this.objects = objects;
  }

  /**
   * Whether there is room for one more.
   *
   * @throws RefusedException SLU-RLY-002
   */
  void requireRoom() {
    if (ranges.size() >= MAX_MAPS || count >= MAX_MAPS) {
      throw new RefusedException(
          RelayCode.TOO_MANY, Errno.ENOMEM, "too many maps of UVM, most=" + MAX_MAPS, "");
    }
  }

  /** A range was made. */
  void create(long base, long length) {
    ranges.put(base, length);
  }

  /** An object was mapped. */
  void map(long base, long length, RmObject object) {
    object.hold();
    maps.computeIfAbsent(base, _ -> new LinkedHashSet<>()).add(new Mapped(base, length, object));
    count++;
  }

  /** What lies in a piece of address space was unmapped. */
  void unmap(long base, long length) {
    if (Long.compareUnsigned(base, base + length) >= 0) {
      return; // nothing, or beyond the last address
    }
    List<Mapped> gone = new ArrayList<>();
    maps.subMap(base, true, base + length, false)
        .values()
        .forEach(at ->
            at.stream()
                .filter(each -> Long.compareUnsigned(each.length, base + length - each.base) <= 0)
                .forEach(gone::add));
    gone.forEach(this::forget);
  }

  private void forget(Mapped mapped) {
    Set<Mapped> at = maps.get(mapped.base);
    if (at != null && at.remove(mapped)) {
      count--;
      objects.letGo(mapped.object);
      if (at.isEmpty()) {
        maps.remove(mapped.base);
      }
    }
  }

  /** A range was freed, with all that was mapped in it. */
  void free(long base) {
    Long length = ranges.remove(base);
    if (length != null) {
      unmap(base, length);
    }
  }

  /** UVM was closed. */
  void freeAll() {
    List<Mapped> all = maps.values().stream().flatMap(Set::stream).toList();
    all.forEach(this::forget);
    ranges.clear();
  }
}

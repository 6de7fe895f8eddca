package io.sluice.channel.nvidia.relay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The objects that a program has mapped in external ranges of UVM: UVM keeps them, also when they
 * are freed, until it is told to let go.
 */
final class ExternalMaps {
  /**
   * The place of an object in an external range of UVM. Two with the same values are two, as they
   * are for UVM.
   */
  static final class Place {
    private final ProgramFile file;
    private final long base;
    private final long length;
    private final long offset;
    private final byte[] attributes;
    private final RmObject object;
    private final long order;

    /**
     * @param file of UVM, whose address space it is in
     * @param base address in the GPU's address space
     * @param length in bytes
     * @param offset in the object, in bytes
     * @param attributes of the one GPU that maps it; empty where there are several
     * @param order among what the program has made
     */
    Place(
        ProgramFile file,
        long base,
        long length,
        long offset,
        byte[] attributes,
        RmObject object,
        long order) {
      this.file = file;
      this.base = base;
      this.length = length;
      this.offset = offset;
      this.attributes = attributes;
      this.object = object;
      this.order = order;
    }

    /** Its place among what the program has made. */
    long order() {
      return order;
    }

    /** In the object, in bytes. */
    long offset() {
      return offset;
    }

    /** Whether all of some addresses lie in it. */
    boolean has(long address, long bytes) {
      long from = address - base;
      return Long.compareUnsigned(from, length) < 0
          && Long.compareUnsigned(bytes, length - from) <= 0;
    }

    ProgramFile file() {
      return file;
    }

    long base() {
      return base;
    }

    long length() {
      return length;
    }

    /** Attributes of the one GPU, which begin with its UUID. */
    byte[] attributes() {
      return attributes;
    }

    RmObject object() {
      return object;
    }

    /** Whether it is known to be mapped by one GPU, and by this one. */
    boolean isOn(byte[] uuid) {
      return attributes.length >= uuid.length
          && Arrays.equals(attributes, 0, uuid.length, uuid, 0, uuid.length);
    }

    /** Whether a piece of address space, which ends before the last address, has all of it. */
    boolean endsIn(long start, long bytes) {
      return Long.compareUnsigned(length, start + bytes - base) <= 0;
    }

    /** Whether it is the one place of its object, all of it, on one GPU. */
    boolean isWhole() {
      return offset == 0
          && length == object.sizeBytes()
          && attributes.length > 0
          && object.isHeldOnce();
    }
  }

  private final ProgramObjects objects;
  private final TreeMap<Long, Range> ranges = new TreeMap<>(Long::compareUnsigned);
  private final TreeMap<Long, Set<Place>> maps = new TreeMap<>(Long::compareUnsigned);
  private final UvmSpace.Counts counts;

  ExternalMaps(ProgramObjects objects, UvmSpace.Counts counts) {
    this.objects = objects;
    this.counts = counts;
  }

  /**
   * A range.
   *
   * @param order among what the program has made
   */
  record Range(long base, long length, long order) {}

  /** A range was made. */
  void create(long base, long length, long order) {
    if (ranges.put(base, new Range(base, length, order)) == null) {
      counts.addExternalRange();
    }
  }

  /** An object was mapped. */
  void map(Place map) {
    map.object().hold();
    maps.computeIfAbsent(map.base(), _ -> new LinkedHashSet<>()).add(map);
    counts.addMap();
  }

  /** All ranges. */
  List<Range> ranges() {
    return List.copyOf(ranges.values());
  }

  /** What is mapped at some addresses, all of them. */
  Optional<Place> at(long address, long bytes) {
    return Optional.ofNullable(maps.floorEntry(address))
        .flatMap(each ->
            each.getValue().stream().filter(place -> place.has(address, bytes)).findFirst());
  }

  /** All maps. */
  Stream<Place> all() {
    return maps.values().stream().flatMap(Set::stream);
  }

  /**
   * What a GPU has mapped in a piece of address space was unmapped. What others have mapped there
   * stays, and so does what several have, until its range is freed.
   *
   * @param uuid of the GPU
   */
  void unmap(long base, long length, byte[] uuid) {
    unmap(base, length, place -> place.isOn(uuid));
  }

  private void unmap(long base, long length, Predicate<Place> which) {
    if (Long.compareUnsigned(base, base + length) >= 0) {
      return; // nothing, or beyond the last address
    }
    List<Place> gone = new ArrayList<>();
    maps.subMap(base, true, base + length, false)
        .values()
        .forEach(at ->
            at.stream().filter(each -> each.endsIn(base, length)).filter(which).forEach(gone::add));
    gone.forEach(this::forget);
  }

  private void forget(Place map) {
    Set<Place> at = maps.get(map.base());
    if (at != null && at.remove(map)) {
      counts.removeMap();
      objects.releaseHold(map.object());
      if (at.isEmpty()) {
        maps.remove(map.base());
      }
    }
  }

  /** A range was freed, with all that was mapped in it. */
  void free(long base) {
    Range range = ranges.remove(base);
    if (range != null) {
      counts.removeExternalRanges(1);
      unmap(base, range.length(), _ -> true);
    }
  }

  /** UVM was closed. */
  void freeAll() {
    all().toList().forEach(this::forget);
    counts.removeExternalRanges(ranges.size());
    ranges.clear();
  }
}

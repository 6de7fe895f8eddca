package io.sluice.channel.guest;

import io.sluice.channel.Capability;
import io.sluice.channel.Gpu;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestRoom;
import io.sluice.channel.Refusal;
import io.sluice.channel.record.GuestRecord;
import io.sluice.channel.record.StateRecord;
import io.sluice.channel.table.ControlPages;
import io.sluice.channel.table.GuestRegion;
import io.sluice.channel.table.GuestRegions;
import io.sluice.channel.table.TransitionCounters;
import java.util.List;
import java.util.Map;

/**
 * The tables of a guest and what it is as a whole: its generation, its records, its end. Guarded by
 * the guest's lock.
 */
final class GuestState {
  final Endings endings = new Endings();
  final TableBytes heap;
  final GuestRegions regions = new GuestRegions();
  final BufferTable buffers;
  final SpaceTable spaces;
  final ChannelTable channels;
  private final String name;
  private final GpuInfo info;
  private int generation = 1;
  private boolean givenAway;
  private long changesReported;
  private volatile MemoryUse published = MemoryUse.NONE;
  private volatile TableUse tables = TableUse.NONE;

  GuestState(
      String name,
      Gpu gpu,
      GuestRoom room,
      GuestGpu backend,
      ControlPages pages,
      TransitionCounters transitions) {
    this.name = name;
    heap = new TableBytes(room.tables());
    info = gpu.info();
    boolean movable = gpu.capabilities().contains(Capability.EVICTION);
    buffers = new BufferTable(backend, endings, heap, regions, info.vramBytes(), movable);
    spaces = new SpaceTable(name, info, room.slots(), backend, endings, buffers, heap);
    channels = new ChannelTable(name, gpu, room.slots(), endings, pages, spaces, transitions);
  }

  int generation() {
    return generation;
  }

  /** The use of memory as it was when the lock was given back last; waits for nothing. */
  MemoryUse published() {
    MemoryUse last = published;
    return new MemoryUse(
        last.usesGpu(),
        last.videoBytes(),
        buffers.limitBytes(),
        last.systemBytes(),
        last.evictedBytes());
  }

  /** What is in the tables, as it was when the lock was given back last; waits for nothing. */
  TableUse tables() {
    return tables;
  }

  /** The use of memory now. */
  private MemoryUse use() {
    HeldBytes held = buffers.held();
    return new MemoryUse(
        !buffers.isEmpty() || !spaces.isEmpty(),
        held.vramBytes(),
        buffers.limitBytes(),
        held.systemBytes(),
        held.evictedBytes());
  }

  /**
   * Whether the use of memory may be another than when this was last asked; publishes it then, and
   * what is in the tables.
   */
  boolean takeChanged() {
    tables =
        new TableUse(
            buffers.handles(),
            buffers.size(),
            spaces.size(),
            spaces.mappings(),
            buffers.pages().parts(),
            regions.size());
    long changes = buffers.held().changes() + spaces.changes();
    boolean news = changes != changesReported;
    changesReported = changes;
    if (news) {
      published = use();
    }
    buffers.held().settle();
    return news;
  }

  /** When this returns the GPU has no access to the region, and no buffer has pages of it. */
  void removeRegion(GuestRegion region) {
    buffers.dropPages(region);
    regions.remove(region);
  }

  // ---- records ----

  GuestRecord record() {
    return new GuestRecord(name, generation, buffers.limitBytes(), info.chipset());
  }

  List<StateRecord> snapshot() {
    SnapshotWriter writer = new SnapshotWriter();
    writer.add(record());
    buffers.all().forEach(writer::add);
    spaces.all().forEach(writer::add);
    channels.all().forEach(writer::add);
    return writer.records();
  }

  void requireEmpty() {
    if (!buffers.isEmpty() || !spaces.isEmpty() || !channels.all().isEmpty()) {
      throw Refusal.busy("the guest is not empty, guest=" + name, "Reset it first.");
    }
  }

  void restore(List<StateRecord> records) {
    requireEmpty();
    restore(records, Map.of());
  }

  /**
   * @param early buffers that were made before, by serial number
   */
  void restore(List<StateRecord> records, Map<Long, GuestBuffer> early) {
    if (records.isEmpty() || !(records.getFirst() instanceof GuestRecord was)) {
      throw Refusal.unfit("records begin with a guest");
    }
    Refusal.unless(was.chipset() == info.chipset(), "another kind of GPU");
    Refusal.unless(was.vramLimitBytes() <= info.vramBytes(), "more video memory than there is");
    int next = after(was.generation());
    boolean complete = false;
    try {
      new SnapshotReader(this, next, early).restore(records);
      generation = next;
      boolean _ = buffers.setLimit(was.vramLimitBytes());
      complete = true;
    } finally {
      if (!complete) {
        releaseAll();
      }
    }
  }

  // ---- end ----

  void reset() {
    releaseAll();
    generation = after(generation);
  }

  void giveAway(boolean given) {
    givenAway = given;
  }

  /** Lets go of guest memory, after {@link #releaseAll}; not of a guest that is given away. */
  void releaseRegions() {
    if (!givenAway) {
      regions.all().forEach(this::removeRegion);
    }
  }

  /** Frees everything but regions of guest memory; nothing of a guest that is given away. */
  void releaseAll() {
    if (givenAway) {
      return;
    }
    channels.freeAll();
    spaces.freeAll();
    buffers.freeAll();
    if (!buffers.isEmpty()
        || !spaces.isEmpty()
        || spaces.mappings() != 0
        || buffers.pages().parts() != 0) {
      throw new AssertionError(
          "something is left, spaces=" + spaces.size() + " buffers=" + buffers.size());
    }
  }

  private static int after(int generation) {
    return generation == -1 ? 1 : generation + 1;
  }
}

package io.sluice.gpu;

import io.sluice.abi.pscnv.ExtRegionAdd;
import io.sluice.abi.sys.Mapping;
import io.sluice.gpu.mmu.MemoryRegion;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The registered guest memory of one open. Guarded by the GPU's lock. */
final class RegionTable implements AutoCloseable {
  private final IdPool ids = new IdPool(1, ExtRegionAdd.MAX_REGION);
  private final Map<Integer, Entry> entries = new HashMap<>();

  private record Entry(MemoryRegion region, Mapping mapping) {}

  /** Number for a new region, or {@link IdPool#NONE}. */
  int takeId() {
    return ids.take();
  }

  void add(MemoryRegion region, Mapping mapping) {
    entries.put(region.id(), new Entry(region, mapping));
  }

  @Nullable MemoryRegion get(int id) {
    Entry entry = entries.get(id);
    return entry == null ? null : entry.region();
  }

  /** Revokes a region; the mapping is to be closed by the caller. */
  Mapping remove(MemoryRegion region) {
    Entry entry = entries.remove(region.id());
    if (entry == null) {
      throw new AssertionError("a known region, id=" + region.id());
    }
    ids.give(region.id());
    region.revoke();
    return entry.mapping();
  }

  @Override
  public void close() {
    for (Entry entry : entries.values()) {
      entry.region().revoke();
      entry.mapping().close();
    }
    entries.clear();
  }
}

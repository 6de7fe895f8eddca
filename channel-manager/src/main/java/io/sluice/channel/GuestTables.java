package io.sluice.channel;

/** A guest's memory and address spaces. Guarded by the guest's lock. */
final class GuestTables {
  final GuestRegions regions = new GuestRegions();
  final GuestBuffers buffers;
  final GuestSpaces spaces;
  private long changesTold;

  GuestTables(String guest, GpuInfo info, CardSlots slots, GuestGpu backend) {
    buffers = new GuestBuffers(backend, regions);
    spaces = new GuestSpaces(guest, info, slots, backend, buffers);
  }

  /** Whether there is neither a buffer nor an address space. */
  boolean isEmpty() {
    return buffers.isEmpty() && spaces.isEmpty();
  }

  /**
   * The use of memory now.
   *
   * @param limitBytes video memory that the guest may hold
   */
  MemoryUse use(long limitBytes) {
    MemoryAccount account = buffers.account();
    return new MemoryUse(
        !isEmpty(), account.vramBytes(), limitBytes, account.systemBytes(), account.evictedBytes());
  }

  /** Whether {@link #use} may tell something else than when this was last asked. */
  boolean takeChanged() {
    long changes = buffers.account().changes() + spaces.changes();
    boolean news = changes != changesTold;
    changesTold = changes;
    return news;
  }

  void write(SnapshotWriter writer) {
    buffers.all().forEach(writer::add);
    spaces.all().forEach(writer::add);
  }

  /** When this returns the GPU has no access to the region, and no buffer has pages of it. */
  void removeRegion(GuestRegion region) {
    buffers.dropPages(region);
    regions.remove(region);
  }

  void removeAllRegions() {
    regions.all().forEach(this::removeRegion);
  }

  /** Frees every address space and buffer; no channel is left. */
  void releaseAll() {
    spaces.freeAll();
    buffers.freeAll();
    if (!isEmpty() || spaces.mappings() != 0 || buffers.pages().parts() != 0) {
      throw new AssertionError(
          "something is left, spaces=" + spaces.size() + " buffers=" + buffers.size());
    }
  }
}

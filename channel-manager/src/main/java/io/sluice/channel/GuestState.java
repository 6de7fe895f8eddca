package io.sluice.channel;

import io.sluice.channel.record.GuestRecord;
import io.sluice.channel.record.StateRecord;
import java.util.List;
import java.util.Map;

/** A guest as a whole: its generation, its records, its end. Under its lock. */
final class GuestState {
  private final String name;
  private final GpuInfo info;
  private final GuestTables tables;
  private final GuestChannels channels;
  private final VideoMemoryShare share;
  private int generation = 1;
  private boolean givenAway;

  GuestState(
      String name,
      GpuInfo info,
      GuestTables tables,
      GuestChannels channels,
      VideoMemoryShare share) {
    this.name = name;
    this.info = info;
    this.tables = tables;
    this.channels = channels;
    this.share = share;
  }

  int generation() {
    return generation;
  }

  GuestRecord record() {
    return new GuestRecord(name, generation, share.limitBytes(), info.chipset());
  }

  List<Integer> channelIds() {
    return channels.all().stream().map(GuestChannel::id).toList();
  }

  List<StateRecord> snapshot() {
    SnapshotWriter writer = new SnapshotWriter();
    writer.add(record());
    tables.write(writer);
    channels.all().forEach(writer::add);
    return writer.records();
  }

  void requireEmpty() {
    if (!tables.isEmpty() || !channels.all().isEmpty()) {
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
  void restore(List<StateRecord> records, Map<Long, GuestMemory> early) {
    if (records.isEmpty() || !(records.getFirst() instanceof GuestRecord was)) {
      throw SnapshotReader.unfit("records begin with a guest");
    }
    SnapshotReader.fits(was.chipset() == info.chipset(), "another kind of GPU");
    SnapshotReader.fits(
        was.vramLimitBytes() <= info.vramBytes(), "more video memory than there is");
    int next = after(was.generation());
    boolean complete = false;
    try {
      new SnapshotReader(tables, channels, next, early).restore(records);
      generation = next;
      boolean _ = share.setLimit(was.vramLimitBytes());
      complete = true;
    } finally {
      if (!complete) {
        releaseAll();
      }
    }
  }

  void reset() {
    releaseAll();
    generation = after(generation);
  }

  /** Whether memory and control pages are another daemon's, and not to be touched. */
  boolean isGivenAway() {
    return givenAway;
  }

  void giveAway(boolean given) {
    givenAway = given;
  }

  /** Frees everything but regions of guest memory; nothing of a guest that is given away. */
  void releaseAll() {
    if (givenAway) {
      return;
    }
    channels.freeAll();
    tables.releaseAll();
  }

  private static int after(int generation) {
    return generation == -1 ? 1 : generation + 1;
  }
}

package io.sluice.channel.guest;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import com.google.common.primitives.ImmutableIntArray;
import io.sluice.abi.Iova;
import io.sluice.channel.Refusal;
import io.sluice.channel.record.AddressSpaceRecord;
import io.sluice.channel.record.ChannelRecord;
import io.sluice.channel.record.EngineState;
import io.sluice.channel.record.MappingRecord;
import io.sluice.channel.record.MemoryPagesRecord;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.StateRecord;
import io.sluice.channel.state.ChannelState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The writer of state records of a guest's tables. Under the guest's lock. */
final class SnapshotWriter {
  private final List<StateRecord> records = new ArrayList<>();

  /** The records, what is referred to first. */
  List<StateRecord> records() {
    return records;
  }

  void add(StateRecord record) {
    records.add(record);
  }

  /**
   * A registered buffer whose memory was taken away cannot be mapped any more: what it was mapped
   * as is left out, and so is the buffer when nothing else keeps it.
   */
  void add(GuestBuffer memory) {
    if (memory.handle == 0 && !memory.isComplete()) {
      return;
    }
    records.add(record(memory));
    for (List<GuestBuffer.BackedPart> some :
        Lists.partition(memory.parts, MemoryPagesRecord.MAX_PAGES)) {
      records.add(
          new MemoryPagesRecord(
              memory.serial,
              some.stream().map(SnapshotWriter::pages).collect(ImmutableList.toImmutableList())));
    }
  }

  static MemoryRecord record(GuestBuffer memory) {
    return new MemoryRecord(
        memory.serial,
        memory.handle,
        memory.flags,
        memory.tileFlags,
        memory.cookie,
        memory.sizeBytes(),
        memory.registered,
        memory.apertureOffset(),
        memory.evicted);
  }

  private static MemoryPagesRecord.PageRun pages(GuestBuffer.BackedPart part) {
    return new MemoryPagesRecord.PageRun(
        part.offset(), new Iova(part.region().iova.value() + part.regionOffset()), part.bytes());
  }

  void add(GuestSpace space) {
    records.add(new AddressSpaceRecord(space.serial, space.vid));
    for (GuestSpace.Entry entry : space.entries.values()) {
      if (entry.memory().isComplete()) {
        records.add(new MappingRecord(space.serial, entry.memory().serial, entry.address()));
      }
    }
  }

  /** EBUSY while it runs or drains. */
  void add(GuestChannel channel) {
    ChannelState state = channel.life.state();
    if (state == ChannelState.RUNNING || state == ChannelState.DRAINING) {
      throw Refusal.busy(
          "a channel still runs, cid=" + channel.id() + " state=" + state,
          "Suspend it, or detach it and wait until it is drained.");
    }
    records.add(
        new ChannelRecord(
            channel.id(),
            channel.space.serial,
            state,
            channel.suspends(),
            Optional.ofNullable(channel.ring()),
            ImmutableList.copyOf(channel.objects()),
            Optional.ofNullable(channel.error()),
            state.isStarted() ? new EngineState(channel.backend.saveState()) : EngineState.NONE,
            ImmutableIntArray.copyOf(channel.setupSegment())));
  }
}

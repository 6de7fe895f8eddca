package io.sluice.channel;

import io.sluice.abi.Errno;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.record.AddressSpaceRecord;
import io.sluice.channel.record.ChannelRecord;
import io.sluice.channel.record.EndRecord;
import io.sluice.channel.record.GuestRecord;
import io.sluice.channel.record.MappingRecord;
import io.sluice.channel.record.MemoryPagesRecord;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.StateRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Makes an empty guest what state records say. The records may come from anywhere: whatever does
 * not fit together, or not into this guest and its GPU, is refused. Under the guest's lock.
 */
final class SnapshotReader {
  private final GuestTables tables;
  private final GuestChannels channels;
  private final int generation;
  private final Map<Long, GuestMemory> early;
  private final Map<Long, GuestMemory> memories = new HashMap<>();
  private final Map<Long, GuestSpace> spaces = new HashMap<>();

  /**
   * @param generation that channels are published with
   * @param early buffers that were made before, by serial number
   */
  SnapshotReader(
      GuestTables tables, GuestChannels channels, int generation, Map<Long, GuestMemory> early) {
    this.tables = tables;
    this.channels = channels;
    this.generation = generation;
    this.early = early;
  }

  void restore(List<StateRecord> records) {
    for (StateRecord record : records) {
      switch (record) {
        case GuestRecord _ -> {} // the guest's own
        case MemoryRecord memory -> restore(memory);
        case MemoryPagesRecord pages ->
            tables.buffers.pages().restore(known(memories, pages.serial()), pages.pages());
        case AddressSpaceRecord space ->
            put(spaces, space.serial(), tables.spaces.restore(space.vid()));
        case MappingRecord mapping ->
            tables.spaces.restoreMapping(
                known(spaces, mapping.space()),
                known(memories, mapping.memory()),
                mapping.address());
        case ChannelRecord channel -> restore(channel);
        case EndRecord _ -> throw unfit("an end within a snapshot");
      }
    }
    early.forEach((serial, _) -> fits(memories.containsKey(serial), "a buffer too many"));
    for (GuestMemory memory : memories.values()) {
      fits(!memory.isUnused(), "a buffer that nothing keeps");
    }
    for (GuestSpace space : spaces.values()) {
      fits(!space.isUnused(), "an address space that nothing keeps");
    }
  }

  private void restore(MemoryRecord record) {
    GuestMemory made = early.get(record.serial());
    if (made == null) {
      made =
          tables.buffers.restore(
              request(record), record.registered(), record.evicted(), record.handle());
    } else {
      fits(made.handle == 0 && isThe(made, record), "a buffer that is another one");
      tables.buffers.name(made, record.handle());
    }
    put(memories, record.serial(), made);
  }

  private static boolean isThe(GuestMemory made, MemoryRecord record) {
    return made.flags == record.flags()
        && made.tileFlags == record.tileFlags()
        && made.cookie == record.cookie()
        && made.sizeBytes() == record.sizeBytes()
        && made.registered == record.registered()
        && made.apertureOffset().equals(record.apertureOffset());
  }

  static MemoryRequest request(MemoryRecord record) {
    return new MemoryRequest(
        record.flags(),
        record.tileFlags(),
        record.cookie(),
        record.sizeBytes(),
        record.apertureOffset());
  }

  private void restore(ChannelRecord record) {
    GuestSpace space = known(spaces, record.space());
    GuestChannel channel = channels.create(space, OptionalInt.of(record.channelId()), generation);
    fits(channel.id() == record.channelId(), "a channel's id");
    channel.restore(record);
    if (record.state() == ChannelState.DEAD) {
      channels.restoreDeath(
          channel, record.error().orElseThrow(() -> unfit("a death without a reason")));
    }
  }

  private static <T> T known(Map<Long, T> all, long serial) {
    T one = all.get(serial);
    if (one == null) {
      throw unfit("something that is not there, serial=" + serial);
    }
    return one;
  }

  private static <T> void put(Map<Long, T> all, long serial, T one) {
    fits(all.putIfAbsent(serial, one) == null, "one serial number twice");
  }

  static void fits(boolean holds, String what) {
    if (!holds) {
      throw unfit(what);
    }
  }

  static RuntimeException unfit(String what) {
    return Refusal.with(Errno.EPROTO, "state records do not fit together: " + what);
  }
}

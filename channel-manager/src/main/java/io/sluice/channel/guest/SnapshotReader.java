package io.sluice.channel.guest;

import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.Refusal;
import io.sluice.channel.record.AddressSpaceRecord;
import io.sluice.channel.record.ChannelRecord;
import io.sluice.channel.record.EndRecord;
import io.sluice.channel.record.GuestRecord;
import io.sluice.channel.record.MappingRecord;
import io.sluice.channel.record.MemoryPagesRecord;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.StateRecord;
import io.sluice.channel.state.ChannelState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The restore of state records into an empty guest. The records may come from anywhere: whatever
 * does not fit together, or not into this guest and its GPU, is refused. Under the guest's lock.
 */
final class SnapshotReader {
  private final GuestState guest;
  private final int generation;
  private final Map<Long, GuestBuffer> early;
  private final Map<Long, GuestBuffer> memories = new HashMap<>();
  private final Map<Long, GuestSpace> spaces = new HashMap<>();

  /**
   * @param generation that channels are published with
   * @param early buffers that were made before, by serial number
   */
  SnapshotReader(GuestState guest, int generation, Map<Long, GuestBuffer> early) {
    this.guest = guest;
    this.generation = generation;
    this.early = early;
  }

  void restore(List<StateRecord> records) {
    for (StateRecord record : records) {
      switch (record) {
        case GuestRecord _ -> {} // the guest's own
        case MemoryRecord memory -> restore(memory);
        case MemoryPagesRecord pages ->
            guest.buffers.pages().restore(known(memories, pages.serial()), pages.pages());
        case AddressSpaceRecord space ->
            put(spaces, space.serial(), guest.spaces.restore(space.vid()));
        case MappingRecord mapping ->
            guest.spaces.restoreMapping(
                known(spaces, mapping.space()),
                known(memories, mapping.memory()),
                mapping.address());
        case ChannelRecord channel -> restore(channel);
        case EndRecord _ -> throw Refusal.unfit("an end within a snapshot");
      }
    }
    early.forEach((serial, _) -> Refusal.unless(memories.containsKey(serial), "a buffer too many"));
    for (GuestBuffer memory : memories.values()) {
      Refusal.unless(!memory.isUnused(), "a buffer that nothing keeps");
    }
    for (GuestSpace space : spaces.values()) {
      Refusal.unless(!space.isUnused(), "an address space that nothing keeps");
    }
  }

  private void restore(MemoryRecord record) {
    GuestBuffer made = early.get(record.serial());
    if (made == null) {
      made =
          guest.buffers.restore(
              request(record), record.registered(), record.evicted(), record.handle());
    } else {
      Refusal.unless(made.handle == 0 && isThe(made, record), "a buffer that is another one");
      guest.buffers.name(made, record.handle());
    }
    put(memories, record.serial(), made);
  }

  private static boolean isThe(GuestBuffer made, MemoryRecord record) {
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
    GuestChannel channel =
        guest.channels.create(space, OptionalInt.of(record.channelId()), generation);
    Refusal.unless(channel.id() == record.channelId(), "a channel's id");
    channel.restore(record);
    if (record.state() == ChannelState.DEAD) {
      guest.channels.restoreDeath(
          channel, record.error().orElseThrow(() -> Refusal.unfit("a death without a reason")));
    }
  }

  private static <T> T known(Map<Long, T> all, long serial) {
    T one = all.get(serial);
    if (one == null) {
      throw Refusal.unfit("something that is not there, serial=" + serial);
    }
    return one;
  }

  private static <T> void put(Map<Long, T> all, long serial, T one) {
    Refusal.unless(all.putIfAbsent(serial, one) == null, "one serial number twice");
  }
}

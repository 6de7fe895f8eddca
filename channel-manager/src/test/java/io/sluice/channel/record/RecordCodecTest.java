package io.sluice.channel.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.state.GuestLimits;
import io.sluice.testbed.fakes.Seeds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeds.class)
final class RecordCodecTest {
  private static final ChannelRecord.RingRecord RING =
      new ChannelRecord.RingRecord(new GpuVa(0x20000000L), 9, 1);

  static final ImmutableList<StateRecord> SAMPLES =
      ImmutableList.of(
          new GuestRecord("web-1", 7, 1L << 30, 0xc0),
          new GuestRecord("\u00fcber", -1, 0, 0xc8),
          new MemoryRecord(1, 1, 0, 0xfe, 0xf1f0, 4096, false, OptionalLong.of(0), false),
          new MemoryRecord(2, 0, 4, 0, 0, 1L << 30, true, OptionalLong.empty(), false),
          new MemoryRecord(5, 2, 0, 0, 0, 8192, false, OptionalLong.of(4096), true),
          new MemoryPagesRecord(
              2,
              ImmutableList.of(
                  new MemoryPagesRecord.PageRun(0, new Iova(0x100000L), 8192),
                  new MemoryPagesRecord.PageRun(8192, new Iova(-4096L), 4096))),
          new AddressSpaceRecord(3, 1),
          new AddressSpaceRecord(4, 0),
          new MappingRecord(3, 2, new GpuVa(0x20000000L)),
          new ChannelRecord(
              1,
              3,
              ChannelState.NEW,
              0,
              Optional.empty(),
              ImmutableList.of(),
              Optional.empty(),
              EngineState.NONE,
              ImmutableIntArray.of()),
          new ChannelRecord(
              126,
              4,
              ChannelState.DETACHED,
              3,
              Optional.of(RING),
              ImmutableList.of(new ChannelRecord.EngineObject(1, 0x9039, 0)),
              Optional.empty(),
              new EngineState(new byte[] {1, 2, 3}),
              ImmutableIntArray.of(0x20010000, 0x9039)),
          new ChannelRecord(
              2,
              4,
              ChannelState.DEAD,
              0,
              Optional.of(RING),
              ImmutableList.of(),
              Optional.of(new ChannelError(2, 1, 0x102, 0xdeadbeefL, 99)),
              EngineState.NONE,
              ImmutableIntArray.of()),
          new EndRecord(11));

  @Test
  void decode_everyTruncatedPayload_isRefused() {
    for (StateRecord record : SAMPLES) {
      Section section = RecordCodec.encode(record);
      byte[] payload = bytesOf(section);
      for (int length = 0; length < payload.length; length++) {
        Section cut =
            new Section(section.id(), section.version(), java.util.Arrays.copyOf(payload, length));
        assertThatThrownBy(() -> RecordCodec.decode(cut))
            .as("%s cut to %d", record, length)
            .isInstanceOf(RefusedException.class);
      }
    }
  }

  @Test
  void decode_payloadThatGoesOn_isRefused() {
    for (StateRecord record : SAMPLES) {
      Section section = RecordCodec.encode(record);
      byte[] payload = bytesOf(section);
      Section more =
          new Section(
              section.id(),
              section.version(),
              java.util.Arrays.copyOf(payload, payload.length + 1));
      assertThatThrownBy(() -> RecordCodec.decode(more))
          .as("%s", record)
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.code()).isEqualTo("SLU-REC-007"));
    }
  }

  @Test
  void decode_unknownIdOrVersion_isRefused() {
    byte[] payload = bytesOf(RecordCodec.encode(new EndRecord(1)));
    for (int[] idAndVersion : new int[][] {{8, 1}, {-1, 1}, {7, 2}, {7, -1}, {1 << 16, 1}}) {
      Section section = new Section(idAndVersion[0], idAndVersion[1], payload);
      assertThatThrownBy(() -> RecordCodec.decode(section))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.code()).isEqualTo("SLU-REC-008"));
    }
  }

  /** Whoever knows version 1 only is told nothing that it cannot do. */
  @Test
  void encode_memory_hasAVersionOfItsOwnOnlyWhenEvicted() {
    MemoryRecord resident =
        new MemoryRecord(5, 2, 0, 0, 0, 8192, false, OptionalLong.of(4096), false);
    MemoryRecord evicted =
        new MemoryRecord(5, 2, 0, 0, 0, 8192, false, OptionalLong.of(4096), true);
    Section one = RecordCodec.encode(resident);
    Section two = RecordCodec.encode(evicted);
    assertThat(one.version()).isEqualTo(1);
    assertThat(two.version()).isEqualTo(2);
    assertThat(bytesOf(two)).isEqualTo(bytesOf(one));
    assertThat(RecordCodec.decode(one)).isEqualTo(resident);
    assertThat(RecordCodec.decode(two)).isEqualTo(evicted);
  }

  @Test
  void decode_countThatCannotBe_isRefusedBeforeItIsAllocated() {
    FieldWriter out = new FieldWriter().u64(1).bits(Integer.MAX_VALUE);
    Section pages = new Section(3, 1, out.toBytes());
    assertThatThrownBy(() -> RecordCodec.decode(pages)).isInstanceOf(RefusedException.class);
    Section claimed = new Section(3, 1, new FieldWriter().u64(1).bits(30000).toBytes());
    assertThatThrownBy(() -> RecordCodec.decode(claimed)).isInstanceOf(RefusedException.class);
  }

  @Test
  void decode_randomPayloads_giveARecordOrARefusal(RandomGenerator random) {
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      StateRecord sample = SAMPLES.get(random.nextInt(SAMPLES.size()));
      Section section = RecordCodec.encode(sample);
      byte[] payload = bytesOf(section);
      for (int n = 1 + random.nextInt(4); n > 0; n--) {
        payload[random.nextInt(payload.length)] = (byte) random.nextInt();
      }
      try {
        StateRecord other = RecordCodec.decode(new Section(section.id(), 1, payload));
        assertThat(RecordCodec.decode(RecordCodec.encode(other))).isEqualTo(other);
      } catch (RefusedException expected) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void decode_everySample_comesBack() {
    for (StateRecord record : SAMPLES) {
      assertThat(RecordCodec.decode(RecordCodec.encode(record))).isEqualTo(record);
    }
  }

  @Test
  void decode_longestLists_comeBack() {
    MemoryPagesRecord pages =
        new MemoryPagesRecord(
            1,
            ImmutableList.copyOf(
                Collections.nCopies(
                    MemoryPagesRecord.MAX_PAGES,
                    new MemoryPagesRecord.PageRun(0, new Iova(4096), 4096))));
    assertThat(RecordCodec.decode(RecordCodec.encode(pages))).isEqualTo(pages);
    ChannelRecord channel =
        new ChannelRecord(
            1,
            1,
            ChannelState.SUSPENDED,
            GuestLimits.MAX_SUSPENDS,
            Optional.of(RING),
            ImmutableList.copyOf(
                Collections.nCopies(
                    ChannelRecord.MAX_OBJECTS, new ChannelRecord.EngineObject(1, 2, 3))),
            Optional.empty(),
            new EngineState(new byte[EngineState.MAX_BYTES]),
            ImmutableIntArray.copyOf(new int[GuestLimits.MAX_SETUP_WORDS]));
    assertThat(RecordCodec.decode(RecordCodec.encode(channel))).isEqualTo(channel);
  }

  @Test
  void snapshotRead_withoutEndOrWithMissingRecord_isRefused() {
    List<StateRecord> records = SAMPLES.subList(0, 4);
    byte[] whole = Snapshot.write(records);
    int first = RecordCodec.encode(records.getFirst()).sizeBytes();
    int end = RecordCodec.encode(new EndRecord(4)).sizeBytes();
    ByteBuffer noEnd = ByteBuffer.wrap(whole, 0, whole.length - end).slice();
    ByteBuffer noFirst = ByteBuffer.wrap(whole, first, whole.length - first).slice();
    byte[] tail = java.util.Arrays.copyOf(whole, whole.length + 1);
    assertThatThrownBy(() -> Snapshot.read(noEnd)).isInstanceOf(RefusedException.class);
    assertThatThrownBy(() -> Snapshot.read(noFirst)).isInstanceOf(RefusedException.class);
    assertThatThrownBy(() -> Snapshot.read(ByteBuffer.wrap(tail)))
        .isInstanceOf(RefusedException.class);
    assertThat(Snapshot.read(ByteBuffer.wrap(whole))).isEqualTo(records);
  }

  @Test
  void constructors_impossibleValues_areRefused() {
    List<Runnable> impossible = new ArrayList<>();
    impossible.add(() -> new GuestRecord("", 1, 0, 0));
    impossible.add(() -> new GuestRecord("a", 0, 0, 0));
    impossible.add(() -> new MemoryRecord(0, 1, 0, 0, 0, 4096, false, OptionalLong.empty(), false));
    impossible.add(
        () -> new MemoryRecord(1, 1 << 16, 0, 0, 0, 4096, false, OptionalLong.empty(), false));
    impossible.add(() -> new MemoryRecord(1, 1, 0, 0, 0, 4097, false, OptionalLong.empty(), false));
    impossible.add(() -> new MemoryRecord(1, 1, 0, 0, 0, 4096, false, OptionalLong.of(1), false));
    impossible.add(() -> new MemoryRecord(1, 1, 0, 0, 0, 4096, true, OptionalLong.of(0), false));
    impossible.add(() -> new MemoryRecord(1, 1, 4, 0, 0, 4096, true, OptionalLong.empty(), true));
    impossible.add(() -> new MemoryPagesRecord(1, ImmutableList.of()));
    impossible.add(() -> new MemoryPagesRecord.PageRun(0, new Iova(1), 4096));
    impossible.add(() -> new MappingRecord(1, 1, new GpuVa(-1)));
    impossible.add(() -> new ChannelRecord.RingRecord(new GpuVa(0), 30, 1));
    impossible.add(() -> new EndRecord(0));
    for (Runnable each : impossible) {
      assertThatThrownBy(each::run).isInstanceOf(RefusedException.class);
    }
  }

  private static byte[] bytesOf(Section section) {
    ByteBuffer payload = section.payload();
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    return bytes;
  }
}

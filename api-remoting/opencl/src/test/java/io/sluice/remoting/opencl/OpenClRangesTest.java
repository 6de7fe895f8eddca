package io.sluice.remoting.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.remoting.relay.CallRanges;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What OpenCL's calls read and write of an application's memory, by their messages. */
final class OpenClRangesTest {
  private static final long PLACE = 1L << 48 | 4096;
  private static final long BYTES = 1000;
  private static final long MEM = 7;
  private static final long READ = 1;
  private static final long WRITE = 2;
  private static final long INVALIDATE = 4;
  private static final int CREATE = 14;
  private static final int MAP = 56;
  private static final int UNMAP = 57;
  private static final int RELEASE = 5;

  private final OpenClRanges ranges = new OpenClRanges();

  private static byte[] message(long... words) {
    ByteBuffer bytes =
        ByteBuffer.allocate(16 + 8 * words.length).order(ByteOrder.LITTLE_ENDIAN).position(16);
    for (long word : words) {
      bytes.putLong(word);
    }
    return bytes.array();
  }

  private CallRanges.NamedRanges create() {
    return ranges.of(CREATE, message(MEM, 1, 0, PLACE, BYTES));
  }

  private CallRanges.NamedRanges map(long flags, long offset, long bytes) {
    return ranges.of(MAP, message(1, MEM, flags, offset, bytes, 0, 0));
  }

  private CallRanges.NamedRanges unmap(long offset) {
    return ranges.of(UNMAP, message(1, MEM, offset, 0, 0));
  }

  @Test
  void read_ofABuffer_writesItsRange() {
    CallRanges.NamedRanges named = ranges.of(41, message(1, MEM, 0, PLACE, 64, 0, 0));

    assertThat(named.read()).isEmpty();
    assertThat(named.written()).containsExactly(new MemoryRange(PLACE, 64));
  }

  @Test
  void write_ofABuffer_readsItsRange() {
    CallRanges.NamedRanges named = ranges.of(42, message(1, MEM, 0, PLACE, 64, 0, 0));

    assertThat(named.read()).containsExactly(new MemoryRange(PLACE, 64));
    assertThat(named.written()).isEmpty();
  }

  /** Their call reads the indices; where it did not bring them, parts had indices of chance. */
  @Test
  void partsOfADevice_haveTheirIndicesRead() {
    CallRanges.NamedRanges named = ranges.of(4, message(1, 2, 0x1086, 1, PLACE, 8));

    assertThat(named.read()).containsExactly(new MemoryRange(PLACE, 8));
    assertThat(named.written()).isEmpty();
  }

  @Test
  void bufferInTheApplicationsMemory_isReadWholeWhenItIsMade() {
    assertThat(create().read()).containsExactly(new MemoryRange(PLACE, BYTES));
  }

  @Test
  void map_toRead_writesWhatItShowsAndItsUnmapReadsNothing() {
    create();

    assertThat(map(READ, 10, 20).written()).containsExactly(new MemoryRange(PLACE + 10, 20));
    assertThat(unmap(10).read()).isEmpty();
  }

  @Test
  void map_toWriteAnew_writesNothingAndItsUnmapReadsAll() {
    create();

    assertThat(map(INVALIDATE, 10, 20).written()).isEmpty();
    assertThat(unmap(10).read()).containsExactly(new MemoryRange(PLACE + 10, 20));
    assertThat(unmap(10).read()).isEmpty();
  }

  @Test
  void maps_ofOneOffset_areUnmappedLastFirst() {
    create();
    map(READ, 0, 20);
    map(READ | WRITE, 0, 30);

    assertThat(unmap(0).read()).containsExactly(new MemoryRange(PLACE, 30));
    assertThat(unmap(0).read()).isEmpty();
  }

  /** What the application has written there by the other map was lost. */
  @Test
  void map_aroundOthersThatWrite_writesTheRest() {
    create();
    map(WRITE, 10, 20);
    map(INVALIDATE, 25, 10);
    map(READ, 5, 10);
    map(WRITE, 0, 2);

    assertThat(map(READ, 1, 99).written())
        .containsExactly(new MemoryRange(PLACE + 2, 8), new MemoryRange(PLACE + 35, 65));
    assertThat(map(READ, 12, 15).written()).isEmpty();
    unmap(10);
    assertThat(map(READ, 12, 15).written()).containsExactly(new MemoryRange(PLACE + 12, 13));
  }

  @Test
  void map_ofMorePartsThanAMessageHas_isRefused() {
    ranges.of(CREATE, message(MEM, 1, 0, PLACE, 4L * MemoryRange.MOST));
    for (int i = 0; i < MemoryRange.MOST; i++) {
      map(WRITE, 2L * i + 1, 1);
    }

    assertThat(map(READ, 0, 2L * MemoryRange.MOST).written()).hasSize(MemoryRange.MOST);
    assertThatThrownBy(() -> map(READ, 0, 2L * MemoryRange.MOST + 1))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void map_outsideItsBuffer_isRefused() {
    create();

    assertThatThrownBy(() -> map(READ, BYTES - 1, 2)).isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> map(READ, -1, 2)).isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> map(READ, 1, Long.MAX_VALUE)).isInstanceOf(ProtocolException.class);
  }

  @Test
  void map_ofAnotherBuffer_namesNothing() {
    assertThat(map(READ, 0, 20).written()).isEmpty();

    create();
    ranges.of(RELEASE, message(OpenClKinds.MEM.number(), MEM));
    assertThat(map(READ, 0, 20).written()).isEmpty();
  }

  @Test
  void call_thatIsNotThere_isRefused() {
    assertThatThrownBy(() -> ranges.of(9999, message())).isInstanceOf(ProtocolException.class);
  }

  @Test
  void storage_ofASessionThatComes_isAll_andUnmappedWhatNoMapHas() {
    StateItem.KeptCall call =
        new StateItem.KeptCall(CREATE, 3, message(MEM, 1, 0, PLACE, BYTES), List.of(2L));
    StateItem.Entity entity = new StateItem.Entity(OpenClKinds.MEM.number(), (int) MEM, 9, false);
    ranges.take(new StateItem.Made(List.of(entity), call, new byte[0]));
    ranges.take(new StateItem.Mapped(9, 100, 50, READ));
    ranges.take(new StateItem.Mapped(9, 120, 80, READ | WRITE));

    assertThat(ranges.storage()).containsExactly(new MemoryRange(PLACE, BYTES));
    assertThat(ranges.unmappedStorage())
        .containsExactly(new MemoryRange(PLACE, 100), new MemoryRange(PLACE + 200, BYTES - 200));
    assertThat(unmap(120).read()).containsExactly(new MemoryRange(PLACE + 120, 80));
    assertThat(unmap(100).read()).isEmpty();

    ranges.take(new StateItem.Gone(9, false));
    assertThat(ranges.storage()).isEmpty();
  }

  /** Its map stayed there otherwise, and what others of the session wrote did not come. */
  @Test
  void unmap_thatWaitsInASessionThatComes_readsWhatItsMapShowed() {
    StateItem.KeptCall call =
        new StateItem.KeptCall(CREATE, 3, message(MEM, 1, 0, PLACE, BYTES), List.of(2L));
    StateItem.Entity entity = new StateItem.Entity(OpenClKinds.MEM.number(), (int) MEM, 9, false);
    ranges.take(new StateItem.Made(List.of(entity), call, new byte[0]));
    ranges.take(new StateItem.Mapped(9, 100, 50, WRITE));

    StateItem.KeptCall unmap =
        new StateItem.KeptCall(UNMAP, 5, message(1, MEM, 100, 0, 0), List.of(4L, 9L));
    assertThat(ranges.of(new StateItem.Open(unmap, 0, List.of())).read())
        .containsExactly(new MemoryRange(PLACE + 100, 50));
    assertThat(map(READ, 100, 50).written()).containsExactly(new MemoryRange(PLACE + 100, 50));
  }
}

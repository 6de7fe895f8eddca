package io.sluice.remoting.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.state.StateItem.MemoryRange;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ranges whose bytes are still to come. */
final class PendingRangesTest {
  private final PendingRanges pending = new PendingRanges();

  @Test
  void without_nothingPending_isAll() {
    assertThat(pending.without(new MemoryRange(100, 50))).containsExactly(new MemoryRange(100, 50));
  }

  @Test
  void without_rangesWithinAndAround_isWhatNobodyWrites() {
    pending.add(1, List.of(new MemoryRange(90, 20), new MemoryRange(120, 10)));
    pending.add(2, List.of(new MemoryRange(145, 100), new MemoryRange(300, 1)));

    assertThat(pending.without(new MemoryRange(100, 50)))
        .containsExactlyInAnyOrder(new MemoryRange(110, 10), new MemoryRange(130, 15));
  }

  @Test
  void without_allPending_isNothingUntilItIsThere() {
    pending.add(1, List.of(new MemoryRange(0, 1000)));
    assertThat(pending.without(new MemoryRange(100, 50))).isEmpty();

    pending.remove(1);
    assertThat(pending.without(new MemoryRange(100, 50))).containsExactly(new MemoryRange(100, 50));
  }

  @Test
  void add_moreRangesThanMayBePending_isRefusedUntilSomeAreThere() {
    List<MemoryRange> many = Collections.nCopies(MemoryRange.MOST, new MemoryRange(0, 1));
    for (int call = 0; call < PendingRanges.MOST / MemoryRange.MOST; call++) {
      pending.add(call, many);
    }
    assertThatThrownBy(() -> pending.add(-1, many)).isInstanceOf(ProtocolException.class);

    pending.remove(0);
    pending.add(-1, many);
    assertThat(pending.covers(-1, 0, 1)).isTrue();
  }

  @Test
  void covers_pieceOfItsCall_andOfNoOther() {
    pending.add(1, List.of(new MemoryRange(100, 50)));

    assertThat(pending.covers(1, 100, 50)).isTrue();
    assertThat(pending.covers(1, 149, 1)).isTrue();
    assertThat(pending.covers(1, 149, 2)).isFalse();
    assertThat(pending.covers(1, 99, 2)).isFalse();
    assertThat(pending.covers(1, 100, Long.MAX_VALUE)).isFalse();
    assertThat(pending.covers(2, 100, 1)).isFalse();
  }
}

package io.sluice.remoting.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is on its way to a near end that does not take it. */
final class MirrorOutboxTest {
  private final NearEnd end = new NearEnd(List.of());
  private final MirrorOutbox outbox =
      new MirrorOutbox(
          end.here, end.memory, System::nanoTime, () -> new StateItem.Beat(List.of(), 0));
  private final List<MemoryRange> many =
      Collections.nCopies(MemoryRange.MOST, new MemoryRange(0, 1));

  @AfterEach
  void close() {
    end.close();
  }

  /** Items were counted, and not the ranges that each of them has. */
  @Test
  void add_moreItemsAndRangesThanMayBeOnTheirWay_isRefused() {
    int most = MirrorOutbox.MOST / (1 + many.size());
    for (int call = 0; call < most; call++) {
      outbox.add(call, many, new StateItem.Written(call));
    }

    assertThat(most * many.size()).isGreaterThan(MirrorOutbox.MOST / 2);
    assertThatThrownBy(() -> outbox.add(most, many, new StateItem.Written(most)))
        .isInstanceOf(ProtocolException.class);
  }

  /** The end had no room behind what nobody took, and its sender waited for ever. */
  @Test
  void end_behindAllThatMayBeOnItsWay_isTheEnd() {
    for (int number = 0; number < MirrorOutbox.MOST; number++) {
      outbox.add(new StateItem.Written(number));
    }
    outbox.end();
    end.here.end(); // nobody takes any of it
    outbox.run();

    assertThatCode(() -> outbox.add(0, many, new StateItem.Written(0))).doesNotThrowAnyException();
  }
}

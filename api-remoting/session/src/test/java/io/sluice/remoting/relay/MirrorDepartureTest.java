package io.sluice.remoting.relay;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Answers of the near end about a move that the far end has given up. */
final class MirrorDepartureTest {
  private final NearEnd end = new NearEnd(List.of());
  private final MirrorOutbox outbox =
      new MirrorOutbox(
          end.here, end.memory, System::nanoTime, () -> new StateItem.Beat(List.of(), 0));
  private final MirrorDeparture departure = new MirrorDeparture(end.settings, end.linked, outbox);

  @AfterEach
  void close() {
    end.linked.session().discard(); // so that it has nothing to wait for
    departure.run(false); // closes what is its own
    end.close();
  }

  @Test
  void answer_ofTheNearEndThatCrossesAStay_isNobodys() {
    assertThatCode(
            () -> {
              departure.hear(new StateItem.Stay());
              departure.hear(new StateItem.Ready());
              departure.hear(new StateItem.Refused(List.of("an image")));
              departure.hear(new StateItem.Held());
            })
        .doesNotThrowAnyException();
  }

  @Test
  void answer_thatIsNone_isABreach() {
    assertThatThrownBy(() -> departure.hear(new StateItem.Go())).isInstanceOf(StateException.class);
  }
}

package io.sluice.remoting.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import io.sluice.remoting.state.UnmovableException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Returns of sessions from another host that do not come to their end. */
final class SessionReturnTest {
  private static final int BYTES = 4096;
  private static final MemoryRange STORAGE = new MemoryRange(64 << 10, 2 * BYTES);

  private final NearEnd end = new NearEnd(List.of(STORAGE));
  private final SessionReturn coming =
      new SessionReturn(end.near(), end.here, _ -> {}, Optional.empty());
  private Future<?> running;

  @BeforeEach
  void begin() throws StateException {
    running = end.workers.submit(() -> coming.run(false));
    assertThat(end.far.read()).isEqualTo(new StateItem.Recall(false));
  }

  /** Its threads use the links until it is over. */
  @AfterEach
  void close() {
    coming.end("the test is over");
    assertThatThrownBy(() -> running.get(2, TimeUnit.MINUTES)).isNotNull();
    end.close();
  }

  private static StateItem.Bytes bytes(long place) {
    return new StateItem.Bytes(0, place, new byte[BYTES]);
  }

  /** Has all be complete but for the bytes that are asked for then. */
  private void complete() throws StateException {
    coming.hear(new StateItem.Complete());
    assertThat(end.far.read()).isEqualTo(new StateItem.Wanted(STORAGE));
  }

  @Test
  void kept_beforeBytesThatWereAskedFor_isOverWhenTheyHaveCome() throws Exception {
    complete();
    coming.hear(new StateItem.Kept("an operator gave it up", List.of()));
    coming.came(bytes(STORAGE.place()));
    assertThatThrownBy(() -> running.get(200, TimeUnit.MILLISECONDS))
        .as("who hears the bytes asks it whether they were wanted")
        .isInstanceOf(TimeoutException.class);

    assertThat(coming.wants(bytes(STORAGE.place() + BYTES))).isTrue();
    coming.came(bytes(STORAGE.place() + BYTES));

    assertThatThrownBy(() -> running.get(2, TimeUnit.MINUTES))
        .hasMessageContaining("an operator gave it up");
    assertThat(coming.wants(bytes(STORAGE.place()))).as("more than was asked for").isFalse();
  }

  @Test
  void kept_whenNothingIsAskedFor_isOverAtOnce() throws Exception {
    coming.hear(new StateItem.Kept("", List.of("a program of binaries")));

    assertThatThrownBy(() -> running.get(2, TimeUnit.MINUTES))
        .hasCauseInstanceOf(UnmovableException.class);
  }

  @Test
  void bytes_thatWereNotAskedFor_areNotWanted() throws Exception {
    assertThat(coming.wants(bytes(STORAGE.place()))).isFalse();
    complete();
    assertThat(coming.wants(bytes(STORAGE.place() + 2 * BYTES))).isFalse();
    assertThat(coming.wants(bytes(STORAGE.place() - 1))).isFalse();
    assertThat(coming.wants(bytes(STORAGE.place()))).isTrue();
  }
}

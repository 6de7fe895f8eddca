package io.sluice.remoting.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.TurnPage;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Claims, waits and turns that are given back: those of which the daemon is told. */
final class HostTurnsTest {
  private static final int DEVICE = 3;

  private final Arena arena = Arena.ofConfined();
  private final TurnPage page = new TurnPage(arena.allocate(TurnPage.BYTES, 8));
  private final List<HostMessage> told = new ArrayList<>();
  private final HostTurns turns = new HostTurns(page, told::add);

  @AfterEach
  void stop() {
    arena.close();
  }

  @Test
  void claim_againAndAgainWithoutATurn_tellsNothing() {
    for (int look = 0; look < 100; look++) {
      assertThat(turns.claim(DEVICE)).isFalse();
    }
    assertThat(told).isEmpty();
    assertThat(page.claims(DEVICE)).isZero();
  }

  @Test
  void claim_withATurn_isCountedUntilItIsGivenBack() {
    page.grant(DEVICE, true);
    assertThat(turns.claim(DEVICE)).isTrue();
    assertThat(page.claims(DEVICE)).isOne();
    turns.release(DEVICE);
    assertThat(page.claims(DEVICE)).isZero();
    assertThat(told).isEmpty();
  }

  @Test
  void release_ofATurnThatIsOver_isToldOnceWithTheLastClaim() {
    page.grant(DEVICE, true);
    assertThat(turns.claim(DEVICE)).isTrue();
    assertThat(turns.claim(DEVICE)).isTrue();
    page.grant(DEVICE, false);
    turns.release(DEVICE);
    assertThat(told).isEmpty();
    turns.release(DEVICE);
    assertThat(told).containsExactly(new HostMessage.Turns());
  }

  @Test
  void await_isToldAndCounted_untilItIsLeft() {
    Runnable waker = () -> {};
    turns.await(DEVICE, waker);
    assertThat(page.waiting(DEVICE)).isOne();
    assertThat(told).containsExactly(new HostMessage.Turns());
    turns.leave(DEVICE, waker);
    assertThat(page.waiting(DEVICE)).isZero();
  }
}

package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a guest's own writes make up for those of its GPU that nobody saw. */
final class GuestTouchTest {
  private static final long T = 5_000_000_000L;

  private final AskedMachine machine = new AskedMachine();
  private boolean unseen = true;
  private long starts = 3;
  private final GuestTouch touch = new GuestTouch(machine, () -> starts, () -> unseen);

  @Test
  void begin_allWritesAreKnown_asksNothing() {
    unseen = false;
    touch.begin(starts, T);
    machine.touched = true; // of an earlier migration
    assertThat(machine.asked).isEmpty();
    assertThat(touch.isOver(T)).isTrue();
    assertThat(touch.isDone()).isFalse();
  }

  /** The channel may have run after the guest had touched its pages. */
  @Test
  void isDone_channelHasStartedSince_isNot() {
    touch.begin(starts, T);
    machine.touched = true;
    starts++;
    assertThat(touch.isDone()).isFalse();
  }

  /** It started after the count was taken, and before it was seen that all is drained. */
  @Test
  void isDone_channelHasStartedWhileTheGuestWasLookedAt_isNot() {
    long before = starts;
    starts++;
    touch.begin(before, T);
    machine.touched = true;
    assertThat(touch.isDone()).isFalse();
  }

  @Test
  void isDone_guestHasNotAnswered_isNot() {
    touch.begin(starts, T);
    assertThat(touch.isOver(T + GuestTouch.PATIENCE_NS)).isFalse();
    assertThat(touch.isOver(T + GuestTouch.PATIENCE_NS + 1)).isTrue();
    assertThat(touch.isDone()).isFalse();
  }

  @Test
  void isOver_guestCannotBeAsked_isNotWaitedFor() {
    machine.dumb = true;
    touch.begin(starts, T);
    assertThat(touch.isOver(T)).isTrue();
    assertThat(touch.isDone()).isFalse();
  }

  @Test
  void begin_again_asksOnceUntilAChannelStarts() {
    touch.begin(starts, T);
    touch.begin(starts, T + 1);
    assertThat(machine.asked).containsExactly("askToTouch");
    machine.touched = true;
    starts++;
    touch.begin(starts, T + 2);
    assertThat(machine.asked).containsExactly("askToTouch", "askToTouch");
    assertThat(touch.isDone()).isFalse();
    assertThat(touch.isOver(T + GuestTouch.PATIENCE_NS + 1)).isTrue(); // by the first time
    machine.touched = true;
    assertThat(touch.isDone()).isTrue();
  }

  @Test
  void isDone_guestHasAnswered_is() {
    touch.begin(starts, T);
    machine.touched = true;
    assertThat(touch.isOver(T + 1)).isTrue();
    assertThat(touch.isDone()).isTrue();
  }
}

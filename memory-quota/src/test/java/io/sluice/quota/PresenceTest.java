package io.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.fakes.Seeds;
import java.time.Duration;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeds.class)
final class PresenceTest {
  private static final Set<String> A = Set.of("a");
  private static final Set<String> BOTH = Set.of("a", "b");

  private final Presence presence = new Presence();
  private long nowNs = Long.MAX_VALUE - 1; // a clock may begin anywhere

  private Set<String> after(Duration time, Set<String> using) {
    nowNs += time.toNanos();
    return presence.note(using, nowNs);
  }

  private Set<String> at(Set<String> using) {
    return after(Duration.ZERO, using);
  }

  /** For how long room is kept for b, which goes now. */
  private Duration keptAfterGoing() {
    assertThat(at(A)).isEqualTo(BOTH);
    Duration kept = Duration.ZERO;
    while (at(A).equals(BOTH)) {
      assertThat(kept).isLessThanOrEqualTo(Presence.LONGEST);
      kept = kept.plusSeconds(1);
      nowNs += Duration.ofSeconds(1).toNanos();
    }
    return kept;
  }

  @Test
  void note_whoNeverCame_isNotWaitedFor() {
    assertThat(at(A)).isEqualTo(A);
    assertThat(at(Set.of())).isEqualTo(A);
  }

  @Test
  void note_whoGoesOnce_isWaitedForAShortWhile() {
    assertThat(at(BOTH)).isEqualTo(BOTH);
    assertThat(keptAfterGoing()).isEqualTo(Presence.SHORTEST);
  }

  @Test
  void note_whoComesBackAgainAndAgain_isWaitedForLongerEachTime() {
    at(BOTH);
    Duration before = keptAfterGoing();
    for (int i = 0; i < 10; i++) {
      at(BOTH);
      Duration kept = keptAfterGoing();
      assertThat(kept).isGreaterThanOrEqualTo(before).isLessThanOrEqualTo(Presence.LONGEST);
      before = kept;
    }
    assertThat(before).isEqualTo(Presence.LONGEST);
  }

  /** Or a guest would come for an instant to be forgotten. */
  @Test
  void note_whoComesBackAtOnce_isNotWaitedForShorterThanBefore() {
    at(BOTH);
    for (int i = 0; i < 5; i++) {
      Duration _ = keptAfterGoing();
      at(BOTH);
    }
    at(A);
    at(BOTH);
    assertThat(keptAfterGoing()).isEqualTo(Presence.LONGEST);
  }

  @Test
  void note_whoWasAwayForLong_isAsOneThatNeverCame() {
    at(BOTH);
    for (int i = 0; i < 5; i++) {
      Duration _ = keptAfterGoing();
      at(BOTH);
    }
    at(A);
    after(Presence.FORGOTTEN.plusSeconds(1), BOTH);
    assertThat(keptAfterGoing()).isEqualTo(Presence.SHORTEST);
  }

  @Test
  void remove_aGuest_nothingIsKeptForIt() {
    at(BOTH);
    at(A);
    presence.remove("b");
    assertThat(at(A)).isEqualTo(A);
  }

  /** However one comes and goes, others get their room back a few times an hour at most. */
  @Test
  void note_whateverAGuestDoes_roomIsGivenUpRarely(RandomGenerator random) {
    for (int round = 0; round < 50; round++) {
      String name = "b" + round;
      Duration time = Duration.ZERO;
      boolean kept = true;
      int givenUp = 0;
      while (time.compareTo(Duration.ofHours(10)) < 0) {
        Duration step = Duration.ofMillis(random.nextLong(1, 1L << random.nextInt(1, 22)));
        time = time.plus(step);
        boolean now = after(step, random.nextBoolean() ? A : Set.of("a", name)).contains(name);
        givenUp += kept && !now ? 1 : 0;
        kept = now;
      }
      assertThat(givenUp).isLessThan(10 * 12 + 5);
    }
  }
}

package io.sluice.gpu.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.engine.TimeShare;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class KeptProgramsTest {
  private final KeptPrograms kept = new KeptPrograms(() -> 0);

  @Test
  void of_nobodyInParticular_findsNothingOfAnother() {
    KeptPrograms.Kept first = kept.of(new TimeShare());

    assertThat(kept.of(new TimeShare())).isNotSameAs(first);
  }

  @Test
  void of_anotherGuest_findsNothingOfTheFirst() {
    KeptPrograms.Kept first = kept.of(share("a"));

    assertThat(kept.of(share("b"))).isNotSameAs(first);
  }

  @Test
  void of_theSameGuestAgain_findsItsOwn() {
    KeptPrograms.Kept first = kept.of(share("a"));

    assertThat(kept.of(share("a"))).isSameAs(first);
  }

  @Test
  void of_moreGuestsThanAreRemembered_forgetsWhoCameLongestAgo() {
    KeptPrograms.Kept first = kept.of(share("0"));
    KeptPrograms.Kept second = kept.of(share("1"));
    for (int i = 2; i < KeptPrograms.MAX_GUESTS; i++) {
      KeptPrograms.Kept _ = kept.of(share(Integer.toString(i)));
    }
    KeptPrograms.Kept again = kept.of(share("0"));
    KeptPrograms.Kept _ = kept.of(share("one more"));

    assertThat(again).isSameAs(first);
    assertThat(kept.of(share("0"))).isSameAs(first);
    assertThat(kept.of(share("1"))).isNotSameAs(second);
  }

  private static TimeShare share(String guest) {
    return new TimeShare(Optional.of(guest));
  }
}

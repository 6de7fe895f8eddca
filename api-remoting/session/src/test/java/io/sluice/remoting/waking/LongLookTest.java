package io.sluice.remoting.waking;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** Places for long looks: who has one, and that it is given back. */
final class LongLookTest {
  @Test
  void goesOn_noPlaces_never() {
    assertThat(new LongLook(new Semaphore(0)).goesOn()).isFalse();
  }

  @Test
  void goesOn_aPlaceForOne_isTheFirstOnesUntilItEnds() {
    Semaphore places = new Semaphore(1);
    LongLook first = new LongLook(places);
    LongLook second = new LongLook(places);
    assertThat(first.goesOn()).isTrue();
    assertThat(first.goesOn()).isTrue();
    assertThat(second.goesOn()).isFalse();
    first.end();
    assertThat(second.goesOn()).isTrue();
  }

  @Test
  void end_twice_givesOnePlaceBack() {
    Semaphore places = new Semaphore(1);
    LongLook look = new LongLook(places);
    assertThat(look.goesOn()).isTrue();
    look.end();
    look.end();
    assertThat(places.availablePermits()).isOne();
  }
}

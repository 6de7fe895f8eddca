package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The memory of a guest with two hosts. */
final class MemoryAccountTest {
  private static final long LIMIT = 1000;

  private final AtomicLong all = new AtomicLong();
  private final MemoryAccount source = new MemoryAccount(() -> LIMIT, all::addAndGet);
  private final MemoryAccount target = new MemoryAccount(() -> LIMIT, all::addAndGet);

  @Test
  void charge_beyondWhatTheOtherHostLeaves_isRefusedAndNothingIsCharged() {
    assertThat(source.charge(600)).isTrue();

    assertThat(target.charge(500)).isFalse();

    assertThat(target.heldBytes()).isEqualTo(600);
    assertThat(target.charge(400)).isTrue();
  }

  @Test
  void charge_negativeOrMoreThanThereCanBe_isRefused() {
    assertThat(source.charge(-1)).isFalse();
    assertThat(source.charge(Long.MAX_VALUE)).isFalse();
    assertThat(source.heldBytes()).isZero();
  }

  @Test
  void chargeComing_ofWhatTheSourceHolds_isNotCountedTwice() {
    assertThat(source.charge(800)).isTrue();
    assertThat(target.chargeComing(800)).isTrue();
    assertThat(target.heldBytes()).isEqualTo(800);

    target.hasCome(800);
    source.release(800);

    assertThat(target.heldBytes()).isEqualTo(800);
    assertThat(source.charge(300)).isFalse();
  }

  @Test
  void chargeComing_beyondTheLimitByItself_isRefused() {
    assertThat(target.chargeComing(800)).isTrue();
    assertThat(target.chargeComing(300)).isFalse();
    target.releaseComing(800);
    assertThat(target.chargeComing(1000)).isTrue();
  }
}

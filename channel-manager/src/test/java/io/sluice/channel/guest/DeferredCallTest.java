package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.channel.Refusal;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class DeferredCallTest {
  private final DeferredCall<Integer> call = new DeferredCall<>();
  private final AtomicInteger made = new AtomicInteger();

  @Test
  void defer_isMadeOnceAndItsResultIsThatOfTheNext() {
    assertThat(call.defer(made::incrementAndGet)).isEmpty();
    assertThat(call.isWaiting()).isTrue();
    call.makeIfWaiting();
    call.makeIfWaiting();
    assertThat(made).hasValue(1);
    assertThat(call.isWaiting()).isFalse();
    assertThat(call.defer(made::incrementAndGet)).contains(1);
    assertThat(call.defer(made::incrementAndGet)).as("not made").isEmpty();
  }

  @Test
  void defer_again_takesThePlaceOfTheFirst() {
    call.defer(() -> 7);
    call.defer(() -> 8);
    call.makeIfWaiting();
    assertThat(call.defer(() -> 9)).contains(8);
  }

  @Test
  void withdraw_nothingIsMade() {
    call.defer(made::incrementAndGet);
    call.withdraw();
    call.makeIfWaiting();
    assertThat(made).hasValue(0);
    assertThat(call.isWaiting()).isFalse();
    assertThat(call.defer(made::incrementAndGet)).isEmpty();
  }

  @Test
  void defer_afterOneThatWasRefused_isRefusedAsThat() {
    call.defer(() -> {
      throw Refusal.invalid("no such thing");
    });
    call.makeIfWaiting();
    assertThatThrownBy(() -> call.defer(made::incrementAndGet))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("no such thing");
    call.makeIfWaiting();
    assertThat(made).as("the next is made").hasValue(1);
  }

  @Test
  void makeIfWaiting_failure_isTheAskersAndNotItsOwn() {
    call.defer(() -> {
      throw new AssertionError("broken");
    });
    call.makeIfWaiting();
    assertThatThrownBy(() -> call.defer(made::incrementAndGet))
        .isInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("broken");
  }
}

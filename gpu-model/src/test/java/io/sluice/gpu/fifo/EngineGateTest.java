package io.sluice.gpu.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** The gate of an open, between the engine and whoever changes the open's channels. */
final class EngineGateTest {
  private final ReentrantLock lock = new ReentrantLock(true);
  private final EngineGate gate = new EngineGate(lock);

  private CompletableFuture<Boolean> change() {
    return CompletableFuture.supplyAsync(
        () -> {
          lock.lock();
          try {
            gate.awaitOutside();
            return gate.isInside();
          } finally {
            lock.unlock();
          }
        },
        Thread.ofPlatform()::start);
  }

  private void enter() {
    lock.lock();
    gate.enter();
  }

  private void leave() {
    gate.leave();
    lock.unlock();
  }

  private void awaitWanted() {
    while (!gate.isWanted()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void enter_givesTheLockUp() {
    enter();
    assertThat(lock.isLocked()).isFalse();
    assertThat(gate.isInside()).isTrue();
    leave();
    assertThat(lock.isLocked()).isFalse();
    assertThat(gate.isInside()).isFalse();
  }

  @Test
  void awaitOutside_engineOutside_returnsAtOnce() {
    assertThat(change().join()).isFalse();
    assertThat(gate.isWanted()).isFalse();
  }

  @Test
  void awaitOutside_engineInside_isToldAndWaits() {
    enter();
    CompletableFuture<Boolean> one = change();
    CompletableFuture<Boolean> two = change();
    awaitWanted();
    assertThat(one).isNotDone();
    assertThat(two).isNotDone();

    leave();

    assertThat(one.join()).isFalse();
    assertThat(two.join()).isFalse();
    assertThat(gate.isWanted()).isFalse();
  }

  /** An engine that goes in again at once keeps nobody out for ever. */
  @Test
  void awaitOutside_engineThatComesAndGoes_isGot() {
    CompletableFuture<Boolean> one = null;
    for (int i = 0; one == null || !one.isDone(); i++) {
      enter();
      if (i == 100) {
        one = change();
      }
      leave();
    }
    assertThat(one.join()).isFalse();
  }
}

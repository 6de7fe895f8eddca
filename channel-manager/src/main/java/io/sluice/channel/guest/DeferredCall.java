package io.sluice.channel.guest;

import io.sluice.abi.RefusedException;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call of a guest that could not be made soon, because what the guest does has the lock: whoever
 * leaves the lock next makes it. So a guest that is never found without a call of its own answers
 * all the same, at the end of each. There is one such call of a kind, the last.
 *
 * @param <T> what it brings
 */
final class DeferredCall<T> {
  private final AtomicReference<@Nullable FutureTask<T>> deferred = new AtomicReference<>();

  /** Whether one waits to be made: no use in trying for long. */
  boolean isWaiting() {
    FutureTask<T> task = deferred.get();
    return task != null && !task.isDone();
  }

  /**
   * Has the operation made in place of the one before.
   *
   * @return what that one brought; nothing if it was not made
   * @throws RefusedException as it was refused
   */
  Optional<T> defer(Supplier<T> operation) {
    FutureTask<T> before = deferred.getAndSet(new FutureTask<>(operation::get));
    if (before == null || !before.isDone()) {
      return Optional.empty();
    }
    return Optional.of(resultOf(before));
  }

  private static <T> T resultOf(FutureTask<T> made) {
    if (made.state() != FutureTask.State.FAILED) {
      return made.resultNow();
    }
    Throwable why = made.exceptionNow();
    if (why instanceof RefusedException refused) {
      throw refused;
    }
    throw new IllegalStateException("a deferred call of a guest failed", why);
  }

  /** It is not to be made any more: it was made directly. */
  void withdraw() {
    deferred.set(null);
  }

  /** Makes it if it waits; with the guest's lock held. */
  void makeIfWaiting() {
    FutureTask<T> task = deferred.get();
    if (task != null) {
      task.run();
    }
  }
}

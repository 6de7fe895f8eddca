package io.sluice.gpu.launch;

import io.sluice.abi.RateLimit;
import io.sluice.gpu.engine.TimeShare;
import io.sluice.gpu.sm.jit.CompileBudget;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The compiled programs of guests, by name, also while a guest has no open of the GPU. What a guest
 * runs takes HotSpot seconds to compile well; one that was restarted, or that has moved away and
 * back, need not wait for that again. Nobody finds the programs of another name. With them is kept
 * what limits a guest for longer than one open lasts.
 *
 * <p>Guarded by whoever has it.
 */
final class KeptPrograms {
  /** Most guests that are remembered; the one that came longest ago makes room. */
  static final int MAX_GUESTS = 16;

  private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

  private final LongSupplier clock;
  private final Map<String, Kept> byGuest = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * The programs and log rates that are kept of a guest.
   *
   * @param interpreted lines of the log about grids that were interpreted
   * @param failures lines of the log about grids that failed
   */
  record Kept(CompiledPrograms programs, RateLimit interpreted, RateLimit failures) {}

  /**
   * @param clock nanoseconds
   */
  KeptPrograms(LongSupplier clock) {
    this.clock = clock;
  }

  /** Those of the guest that an open is for; new ones of an open for nobody in particular. */
  Kept of(TimeShare share) {
    if (share.guest().isEmpty()) {
      return none();
    }
    Kept found = byGuest.computeIfAbsent(share.guest().get(), _ -> none());
    if (byGuest.size() > MAX_GUESTS) {
      byGuest.remove(byGuest.keySet().iterator().next());
    }
    return found;
  }

  private Kept none() {
    return new Kept(
        new CompiledPrograms(CompileBudget.of(clock)),
        new RateLimit(1, BETWEEN_LINES, clock),
        new RateLimit(1, BETWEEN_LINES, clock));
  }
}

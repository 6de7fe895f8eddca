package io.sluice.gpu.sm.jit;

import io.sluice.abi.RateLimit;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rate at which what one guest runs is compiled. All guests share the JVM's compilers, its code
 * cache and its space for classes: programs without end would take them from the others. What comes
 * beyond the rate is interpreted, until it is launched again later. Any thread may ask.
 */
public final class CompileBudget {
  /** Programs, and parts of programs, at once: more than applications begin with. */
  static final int AT_ONCE = 512;

  /** In the long run. */
  static final Duration INTERVAL = Duration.ofMillis(100);

  private final @Nullable RateLimit rate;
  private final AtomicLong refused = new AtomicLong();

  private CompileBudget(@Nullable RateLimit rate) {
    this.rate = rate;
  }

  /** Of one guest. */
  public static CompileBudget of(LongSupplier clock) {
    return new CompileBudget(new RateLimit(AT_ONCE, INTERVAL, clock));
  }

  /** Of programs that nobody sends. */
  static CompileBudget unlimited() {
    return new CompileBudget(null);
  }

  /** Takes what one program, or one part, needs. */
  boolean tryTake() {
    if (rate == null || rate.tryTake()) {
      return true;
    }
    refused.incrementAndGet();
    return false;
  }

  /** Whether nothing can be taken now. */
  boolean isSpent() {
    return rate != null && rate.untilNextNs() > 0;
  }

  /** How often something was interpreted because of it. */
  public long refused() {
    return refused.get();
  }
}

package io.sluice.gpu;

import io.sluice.abi.sys.ThreadUse;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The clocks of a GPU, in nanoseconds.
 *
 * @param time GPU time, monotonic; also what {@link GpuEngine#doWork} is given
 * @param processor processor time of the thread that asks: what commands are charged with
 * @param use what the thread that asks has used: whether it slept for a page
 */
public record GpuClocks(LongSupplier time, LongSupplier processor, Supplier<ThreadUse> use) {
  /** Of threads of which nothing more is known. */
  public GpuClocks(LongSupplier time, LongSupplier processor) {
    this(time, processor, () -> ThreadUse.NONE);
  }
}

package io.sluice.vdevice;

import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.dma.MapBudget;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * The host as all guests' devices share it.
 *
 * @param kernel the operating system
 * @param threads makes the threads of devices; platform threads, because they block in system calls
 * @param clock nanoseconds
 * @param budget memory that guests may have mapped
 * @param log lines about each guest
 */
public record DeviceHost(
    Kernel kernel, ThreadFactory threads, LongSupplier clock, MapBudget budget, LogRate log) {
  /** With as many lines as when the operator says nothing. */
  public DeviceHost(Kernel kernel, ThreadFactory threads, LongSupplier clock, MapBudget budget) {
    this(kernel, threads, clock, budget, LogRate.DEFAULT);
  }
}

package io.sluice.channel.nvidia.time;

import io.sluice.channel.GuestGpu.TimeUsage;
import java.util.concurrent.atomic.DoubleAdder;

/** GPU time that an open was charged with. Any thread. */
public final class TimeUse {
  private final DoubleAdder gpuNs = new DoubleAdder();
  private final DoubleAdder waitNs = new DoubleAdder();

  void addGpu(double nanoseconds) {
    gpuNs.add(nanoseconds);
  }

  void addWait(double nanoseconds) {
    waitNs.add(nanoseconds);
  }

  public TimeUsage totals() {
    return new TimeUsage((long) gpuNs.sum(), (long) waitNs.sum());
  }
}

package io.sluice.testbed.conformance.spi;

import io.sluice.abi.GpuVa;
import io.sluice.channel.Gpu;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.util.Deque;

/** The NVIDIA GPU of this machine. */
final class NvidiaConformanceTest extends GpuConformance {
  @Override
  Gpu open(Deque<AutoCloseable> closing) {
    return NvidiaRig.open();
  }

  @Override
  TestQueue queue(MemorySegment memory, GpuVa base) {
    return new HopperTestQueue(memory, base);
  }
}

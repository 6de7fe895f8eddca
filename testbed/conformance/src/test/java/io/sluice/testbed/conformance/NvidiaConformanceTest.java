package io.sluice.testbed.conformance;

import io.sluice.abi.GpuVa;
import io.sluice.channel.Gpu;
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

/** The software GTX 480: pscnv's ABI in front, PFIFO, engines and MMU behind. */
module io.sluice.gpu {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires io.sluice.abi;
  requires org.slf4j;

  exports io.sluice.gpu;
  exports io.sluice.gpu.sm to
      io.sluice.testbed.bench,
      io.sluice.testbed.workloads;
  exports io.sluice.gpu.sm.fault to
      io.sluice.testbed.bench,
      io.sluice.testbed.workloads;
  exports io.sluice.gpu.sm.jit to
      io.sluice.testbed.bench,
      io.sluice.testbed.workloads;
  exports io.sluice.gpu.sm.memory to
      io.sluice.testbed.bench,
      io.sluice.testbed.workloads;
  exports io.sluice.gpu.sm.warp to
      io.sluice.testbed.bench,
      io.sluice.testbed.workloads;
}

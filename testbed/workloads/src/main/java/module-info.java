/** GPU programs for tests and benches: an sm_20 assembler, kernels, what they must compute. */
module io.sluice.testbed.workloads {
  requires static org.jspecify;
  requires transitive io.sluice.gpu;

  exports io.sluice.testbed.workloads;
  exports io.sluice.testbed.workloads.asm;
  exports io.sluice.testbed.workloads.cubin;
}

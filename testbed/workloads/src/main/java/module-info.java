/** GPU programs for tests and benches: an sm_20 assembler, kernels, what they must compute. */
module io.sluice.testbed.workloads {
  requires static org.jspecify;
  requires transitive io.sluice.abi;
  requires transitive io.sluice.gpu;
  requires transitive io.sluice.guest;

  exports io.sluice.testbed.workloads;
  exports io.sluice.testbed.workloads.asm;
  exports io.sluice.testbed.workloads.cubin;
  exports io.sluice.testbed.workloads.device;
}

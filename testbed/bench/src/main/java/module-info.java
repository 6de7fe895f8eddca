/** The benches of docs/performance.md. */
module io.sluice.testbed.bench {
  requires static org.jspecify;
  requires info.picocli;
  requires io.sluice.abi;
  requires io.sluice.channel;
  requires io.sluice.gpu;
  requires io.sluice.guest;
  requires io.sluice.management;
  requires io.sluice.migrate;
  requires io.sluice.testbed.machine;
  requires io.sluice.testbed.opencl;
  requires io.sluice.testbed.workloads;
  requires java.management;
  requires jdk.management;
  requires HdrHistogram;
  requires tools.jackson.core;

  opens io.sluice.testbed.bench to
      info.picocli;
}

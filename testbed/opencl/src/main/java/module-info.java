/** A host of OpenCL sessions without a daemon, for tests and figures. */
module io.sluice.testbed.opencl {
  requires static org.jspecify;
  requires io.sluice.remoting.opencl;

  exports io.sluice.testbed.opencl;
}

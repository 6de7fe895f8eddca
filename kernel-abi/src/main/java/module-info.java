/**
 * Bindings and layouts of the kernel interfaces Sluice uses: system calls, DRM, pscnv, NVIDIA RM,
 * VFIO.
 */
module io.sluice.abi {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires org.slf4j;

  exports io.sluice.abi;
  exports io.sluice.abi.sys;
  exports io.sluice.abi.drm;
  exports io.sluice.abi.guest;
  exports io.sluice.abi.pscnv;
  exports io.sluice.abi.relay;
  exports io.sluice.abi.rm;
  exports io.sluice.abi.rm.alloc;
  exports io.sluice.abi.rm.control;
  exports io.sluice.abi.rm.ioctl;
  exports io.sluice.abi.rm.program;
  exports io.sluice.abi.sandbox;
  exports io.sluice.abi.signal;
  exports io.sluice.abi.uvm;
  exports io.sluice.abi.vfio;
}

package io.sluice.gpu;

/** The part of an ioctl that changes tables, under the lock that its entry of the table names. */
interface IoctlHandler {
  void handle(GpuFile file, IoctlCall call);

  /** The part of an ioctl that needs the operating system, before any lock is taken. */
  interface Preparation {
    IoctlHandler prepare(GpuFile file, IoctlCall call);
  }
}

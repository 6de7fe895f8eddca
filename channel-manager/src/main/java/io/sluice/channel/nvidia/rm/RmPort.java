package io.sluice.channel.nvidia.rm;

import io.sluice.abi.rm.RmIoctl;
import io.sluice.abi.sys.Fd;
import java.lang.foreign.MemorySegment;

/** RM's device nodes, as far as this backend uses them: the seam at which a test stands in. */
public interface RmPort {
  /** A new open of {@code /dev/nvidiactl}: a credential, and no client yet. */
  Fd openControl();

  /** A new open of {@code /dev/nvidia<minor>}. */
  Fd openCard(int minor);

  /** Issues an ioctl whose argument points nowhere. */
  void ioctl(Fd fd, RmIoctl ioctl, long request, MemorySegment argument);

  /**
   * Issues an ioctl whose argument holds the address of a block.
   *
   * @param block the block itself, which is reachable until this returns
   */
  void ioctl(Fd fd, RmIoctl ioctl, long request, MemorySegment argument, MemorySegment block);
}

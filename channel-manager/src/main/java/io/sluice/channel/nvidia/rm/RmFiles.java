package io.sluice.channel.nvidia.rm;

import io.sluice.abi.rm.RmIoctl;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.file.Path;

/** The nodes of this host's driver. */
public final class RmFiles implements RmPort {
  private static final Path CONTROL = Path.of("/dev/nvidiactl");

  private final Kernel kernel;

  public RmFiles(Kernel kernel) {
    this.kernel = kernel;
  }

  @Override
  public Fd openControl() {
    return kernel.open(CONTROL, Kernel.O_RDWR);
  }

  @Override
  public Fd openCard(int minor) {
    return kernel.open(Path.of("/dev/nvidia" + Integer.toUnsignedString(minor)), Kernel.O_RDWR);
  }

  @Override
  public void ioctl(Fd fd, RmIoctl ioctl, long request, MemorySegment argument) {
    int _ = kernel.ioctl(fd, request, argument);
  }

  @Override
  public void ioctl(
      Fd fd, RmIoctl ioctl, long request, MemorySegment argument, MemorySegment block) {
    try {
      int _ = kernel.ioctl(fd, request, argument);
    } finally {
      Reference.reachabilityFence(block);
    }
  }
}

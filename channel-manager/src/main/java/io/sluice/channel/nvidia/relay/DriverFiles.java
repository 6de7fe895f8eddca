package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.relay.link.Node;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The nodes of this host's driver, for programs that may use one card of it. */
public final class DriverFiles implements DriverPort {
  private static final Path DEV = Path.of("/dev");

  private final Kernel kernel;
  private final List<Node> nodes;

  /**
   * @throws RefusedException SLU-RLY-004 when a node is not there
   */
  public DriverFiles(Kernel kernel, RelayCard card) {
    this.kernel = kernel;
    nodes =
        List.of(
            node("nvidiactl", Node.Kind.CONTROL),
            node("nvidia" + Integer.toUnsignedString(card.minor()), Node.Kind.CARD),
            node("nvidia-uvm", Node.Kind.UVM));
  }

  private static Node node(String name, Node.Kind kind) {
    try {
      long device = (Long) Files.getAttribute(DEV.resolve(name), "unix:rdev");
      int mode = (Integer) Files.getAttribute(DEV.resolve(name), "unix:mode");
      // The numbers as makedev(3) packs them.
      int major = (int) (device >>> 8 & 0xfff | device >>> 32 & ~0xfff);
      int minor = (int) (device & 0xff | device >>> 12 & ~0xff);
      return new Node(name, kind, major, minor, mode);
    } catch (IOException e) {
      throw new RefusedException(
          RelayCode.NO_NODE, Errno.ENODEV, "a node of the NVIDIA driver is missing: " + e, "");
    }
  }

  @Override
  public List<Node> nodes() {
    return nodes;
  }

  @Override
  public Fd open(Node node) {
    return kernel.open(DEV.resolve(node.name()), Kernel.O_RDWR);
  }

  @Override
  public int ioctl(Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
    try {
      return kernel.ioctl(file, Integer.toUnsignedLong(request), argument);
    } finally {
      Reference.reachabilityFence(blocks);
    }
  }
}

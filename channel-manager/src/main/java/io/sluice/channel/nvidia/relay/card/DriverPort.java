package io.sluice.channel.nvidia.relay.card;

import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.relay.link.Node;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** NVIDIA's device nodes, as far as programs use them: the seam at which a test stands in. */
public interface DriverPort {
  /** The nodes that a program is shown. */
  List<Node> nodes();

  /** A new open of a node. */
  Fd open(Node node);

  /**
   * Issues an ioctl.
   *
   * @param argument holds the addresses of the other blocks
   * @param blocks the argument and what it and they point to, reachable until this returns
   * @return what the call returns, not negative
   * @throws io.sluice.abi.SyscallException when it fails
   */
  int ioctl(Fd file, int request, MemorySegment argument, List<MemorySegment> blocks);
}

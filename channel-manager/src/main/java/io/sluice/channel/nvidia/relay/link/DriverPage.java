package io.sluice.channel.nvidia.relay.link;

import io.sluice.abi.sys.Fd;

/**
 * The page of the doorbell, which is the driver's own.
 *
 * @param file by which it is mapped; its owner is another
 */
public record DriverPage(Fd file) implements MapBacking {
  @Override
  public boolean isOpen() {
    return file.isOpen();
  }
}

package io.sluice.channel.nvidia.rm;

import io.sluice.abi.sys.Kernel;

/**
 * An open of the card: what everything that is made in it uses.
 *
 * @param client its client of RM
 * @param kernel of this host
 * @param doorbell the card's
 * @param copyEngines the card's
 * @param lock guards all that belongs to the open
 */
public record RmOpen(
    RmClient client, Kernel kernel, Doorbell doorbell, CopyEngines copyEngines, OpenLock lock) {
  public RmOpen(RmClient client, Kernel kernel, Doorbell doorbell, CopyEngines copyEngines) {
    this(client, kernel, doorbell, copyEngines, new OpenLock());
  }

  /** GPU time. */
  public long timeNs() {
    return doorbell.timeNs();
  }

  /** Frees an object that belongs to the device. */
  public void free(int object) {
    client.free(client.device(), object);
  }
}

package io.sluice.channel.nvidia.relay.link;

/** The thing that a program maps for a file of the driver's. */
public sealed interface MapBacking permits HostPages, DriverPage {
  /** Whether it is still there. */
  boolean isOpen();
}

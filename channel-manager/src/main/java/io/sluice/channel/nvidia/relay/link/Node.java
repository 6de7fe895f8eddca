package io.sluice.channel.nvidia.relay.link;

/**
 * A device node.
 *
 * @param name below {@code /dev/}
 * @param kind what it takes
 * @param major device number
 * @param minor device number
 * @param mode type and permissions, as of {@code stat}
 */
public record Node(String name, Kind kind, int major, int minor, int mode) {
  /** The language of a node. */
  public enum Kind {
    /** RM's escapes, for all cards. */
    CONTROL,
    /** RM's escapes, for one card. */
    CARD,
    /** UVM's commands. */
    UVM
  }
}

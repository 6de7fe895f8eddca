package io.sluice.channel.nvidia.relay;

import io.sluice.abi.sys.Fd;
import java.util.Optional;

/** A file of the driver that a program has open: the descriptor is the relay's. */
final class ProgramFile {
  /**
   * The memory that a file stands for, once RM_MAP_MEMORY has said so.
   *
   * @param file what is to be mapped; its owner is another
   * @param offset in it
   * @param bytes that may be mapped from there
   */
  record MapTarget(Fd file, long offset, long bytes) {
    /** Whether a piece lies in it. */
    boolean has(long at, long length) {
      return at >= 0 && length > 0 && at <= bytes && length <= bytes - at;
    }
  }

  private final int number;
  private final Node node;
  private final Fd fd;
  private Optional<MapTarget> target = Optional.empty();
  private boolean wakes;
  private boolean tied;
  private boolean given;

  ProgramFile(int number, Node node, Fd fd) {
    this.number = number;
    this.node = node;
    this.fd = fd;
  }

  int number() {
    return number;
  }

  Node.Kind kind() {
    return node.kind();
  }

  Fd fd() {
    return fd;
  }

  Optional<MapTarget> target() {
    return target;
  }

  /** Whether the program may wait for it: it has the driver's own descriptor then. */
  boolean wakes() {
    return wakes;
  }

  void setWakes() {
    wakes = true;
  }

  /** Whether it may name clients. */
  boolean isTied() {
    return tied;
  }

  void setTied() {
    tied = true;
  }

  /** Whether the program has had its descriptor, to map it. */
  boolean isGiven() {
    return given;
  }

  void setGiven() {
    given = true;
  }

  void setTarget(MapTarget now) {
    target = Optional.of(now);
  }
}

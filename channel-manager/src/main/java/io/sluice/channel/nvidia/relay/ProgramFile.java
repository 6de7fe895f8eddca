package io.sluice.channel.nvidia.relay;

import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.relay.link.MapTarget;
import io.sluice.channel.nvidia.relay.link.Node;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A file of the driver that a program has open: the descriptor is the relay's. */
final class ProgramFile {
  private final int number;
  private final Node node;
  private final ProgramHeap heap;
  private final Map<Integer, RecordedCall> events = new HashMap<>(); // by their clients
  private Fd fd;
  private Optional<MapTarget> target = Optional.empty();
  private boolean wakes;
  private Optional<RecordedCall> tie = Optional.empty();
  private Optional<RecordedCall> doorbell = Optional.empty();
  private boolean given;

  /**
   * @param heap of the program
   */
  ProgramFile(int number, Node node, Fd fd, ProgramHeap heap) {
    this.number = number;
    this.node = node;
    this.heap = heap;
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

  /** Which node it is of. */
  Node node() {
    return node;
  }

  /** Has another open of its node behind it: what had been made through the former is gone. */
  void reopen(Fd now) {
    fd.close();
    fd = now;
  }

  /** The calls by which clients have it wake the program. */
  Collection<RecordedCall> events() {
    return events.values();
  }

  void setEvent(int client, RecordedCall call) {
    forgetEvent(client);
    heap.use(call.heapBytes());
    events.put(client, call);
  }

  void forgetEvent(int client) {
    RecordedCall call = events.remove(client);
    if (call != null) {
      heap.free(call.heapBytes());
    }
  }

  /** It is closed. */
  void forgetEvents() {
    List.copyOf(events.keySet()).forEach(this::forgetEvent);
  }

  /** The memory that it stands for, once RM_MAP_MEMORY has said so. */
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
    return tie.isPresent();
  }

  /** The call that has tied it. */
  Optional<RecordedCall> tie() {
    return tie;
  }

  void setTie(RecordedCall call) {
    tie = Optional.of(call);
  }

  /** The call by which the doorbell is mapped through it, if it is. */
  Optional<RecordedCall> doorbell() {
    return doorbell;
  }

  void setDoorbell(RecordedCall call) {
    doorbell = Optional.of(call);
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

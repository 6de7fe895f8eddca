package io.sluice.channel.nvidia.relay;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.channel.nvidia.relay.link.HostPages;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An object of RM's that a program has made. */
final class RmObject {
  /**
   * The name of an object.
   *
   * @param client its client
   * @param handle its handle; the client's own for a client
   */
  record Name(int client, int handle) {}

  private static final ImmutableSet<ProgramClass> OF_CHANNELS =
      ImmutableSet.of(ProgramClass.HOPPER_CHANNEL_GPFIFO_A, ProgramClass.KEPLER_CHANNEL_GROUP_A);

  private final Name name;
  private final Name parent;
  private final Optional<ProgramClass> type;
  private final long order;
  private final Set<Name> children = new LinkedHashSet<>();
  private long videoBytes;
  private long systemBytes;
  private long sizeBytes;
  private boolean moved;
  private boolean data;
  private Optional<RecordedCall> made = Optional.empty();
  private @Nullable Map<Long, RecordedCall> commands; // few objects have some
  private int flags;
  private Optional<HostPages> pages = Optional.empty();
  private boolean mappedByGpu;
  private int holds;
  private boolean doorbell;

  /**
   * @param parent itself for a client
   * @param type empty for pages that the program brought
   * @param order of what the program has made
   */
  RmObject(Name name, Name parent, Optional<ProgramClass> type, long order) {
    this.name = name;
    this.parent = parent;
    this.type = type;
    this.order = order;
  }

  Name name() {
    return name;
  }

  Name parent() {
    return parent;
  }

  boolean is(ProgramClass other) {
    return type.filter(other::equals).isPresent();
  }

  Set<Name> children() {
    return children;
  }

  /** Its place among what the program has made. */
  long order() {
    return order;
  }

  /** The call that made it, unless it is made of pages. */
  Optional<RecordedCall> made() {
    return made;
  }

  void setMade(RecordedCall call) {
    made = Optional.of(call);
  }

  /** The heap that it takes up, with its calls. */
  long heapBytes() {
    return heapOf(type)
        + made.map(RecordedCall::heapBytes).orElse(0L)
        + commands().stream().mapToLong(RecordedCall::heapBytes).sum();
  }

  /**
   * The heap that an object of a class takes up without its calls.
   *
   * @param type empty for pages
   */
  static long heapOf(Optional<ProgramClass> type) {
    return type.filter(OF_CHANNELS::contains).isPresent()
        ? ProgramHeap.OBJECT + ProgramHeap.CHANNEL
        : ProgramHeap.OBJECT;
  }

  /** The commands it got, which are given again when it is made anew. */
  Collection<RecordedCall> commands() {
    return commands == null ? List.of() : commands.values();
  }

  /**
   * Notes a command, in place of the one before under the same key.
   *
   * @param key of the command, and of what that names
   * @param heap of the program
   */
  void note(long key, RecordedCall call, ProgramHeap heap) {
    untell(key, heap);
    if (commands == null) {
      commands = new HashMap<>();
    }
    heap.use(call.heapBytes());
    commands.put(key, call);
  }

  /** Forgets a command. */
  void untell(long key, ProgramHeap heap) {
    RecordedCall call = commands == null ? null : commands.remove(key);
    if (call != null) {
      heap.free(call.heapBytes());
    }
  }

  /** How RM has taken its pages. */
  int flags() {
    return flags;
  }

  /** Video memory that was taken for it. */
  long videoBytes() {
    return videoBytes;
  }

  void setVideoBytes(long bytes) {
    videoBytes = bytes;
  }

  /** System memory that was taken for it in place of video memory. */
  long systemBytes() {
    return systemBytes;
  }

  void setSystemBytes(long bytes) {
    moved |= bytes > 0;
    systemBytes = bytes;
  }

  /** Whether it is in system memory in place of video memory. */
  boolean isOfSystem() {
    return systemBytes > 0;
  }

  /** Whether it ever was. */
  boolean hasMoved() {
    return moved;
  }

  /**
   * Whether it is memory of the program's own, which {@code cudaMalloc} has given it; what libcuda
   * needs for itself is not.
   */
  boolean isData() {
    return data;
  }

  void setData() {
    data = true;
  }

  /** How long the memory is. */
  long sizeBytes() {
    return sizeBytes;
  }

  void setSizeBytes(long bytes) {
    sizeBytes = bytes;
  }

  /** Pages of the host's that it is made of. */
  Optional<HostPages> pages() {
    return pages;
  }

  /** Gives its pages back. */
  void closePages() {
    pages.ifPresent(HostPages::close);
    pages = Optional.empty();
  }

  void setPages(HostPages now, int how) {
    flags = how;
    setPages(now);
  }

  void setPages(HostPages now) {
    pages = Optional.of(now);
    sizeBytes = now.bytes();
  }

  /**
   * UVM has it in one range more: it lives until UVM lets go of it, whatever becomes of its name.
   */
  void hold() {
    holds++;
    mappedByGpu = true;
  }

  /** UVM has let go of it once. */
  void releaseHold() {
    holds--;
  }

  boolean isHeld() {
    return holds > 0;
  }

  boolean isHeldOnce() {
    return holds == 1;
  }

  /** Whether it is the page of the doorbell. */
  boolean isDoorbell() {
    return doorbell;
  }

  void setDoorbell() {
    doorbell = true;
  }

  /** Whether it is, or was, mapped in an address space of the GPU. */
  boolean isMappedByGpu() {
    return mappedByGpu;
  }
}

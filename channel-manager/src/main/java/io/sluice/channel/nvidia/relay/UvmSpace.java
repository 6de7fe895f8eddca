package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.channel.nvidia.relay.ring.HostRange;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The address space behind a file of UVM: its ranges, and what of the program's is mapped there.
 */
final class UvmSpace {
  /** The counts of a program's ranges and maps, in all its address spaces of UVM together. */
  static final class Counts {
    /** Most ranges, and most maps; one each for a cudaMalloc. */
    static final int MAX_MAPS = 1 << 16;

    /** Most ranges that are pages of ours. */
    static final int MAX_RANGES = 4096;

    private final ProgramHeap heap;
    private int externalRanges;
    private int maps;
    private int ranges;

    Counts(ProgramHeap heap) {
      this.heap = heap;
    }

    /**
     * Whether there is room for one more range, or one more map, which the call that asks may add.
     *
     * @throws RefusedException SLU-RLY-002
     */
    void requireMap() {
      if (externalRanges >= MAX_MAPS || maps >= MAX_MAPS) {
        throw tooMany("maps", MAX_MAPS);
      }
      heap.require(Math.max(ProgramHeap.MAP, ProgramHeap.RANGE));
    }

    void addMap() {
      maps++;
      heap.use(ProgramHeap.MAP);
    }

    void removeMap() {
      maps--;
      heap.free(ProgramHeap.MAP);
    }

    void addExternalRange() {
      externalRanges++;
      heap.use(ProgramHeap.RANGE);
    }

    void removeExternalRanges(int how) {
      externalRanges -= how;
      heap.free(how * ProgramHeap.RANGE);
    }

    void addRange() {
      ranges++;
      heap.use(ProgramHeap.RANGE);
    }

    void removeRanges(int how) {
      ranges -= how;
      heap.free(how * ProgramHeap.RANGE);
    }

    /** The same for a range that is pages of ours. */
    void requireRange() {
      if (ranges >= MAX_RANGES) {
        throw tooMany("ranges", MAX_RANGES);
      }
      heap.require(ProgramHeap.RANGE);
    }

    private static RefusedException tooMany(String what, int most) {
      return new RefusedException(
          RelayCode.TOO_MANY, Errno.ENOMEM, "too many " + what + " of UVM, most=" + most, "");
    }
  }

  /** Most commands that are kept: those about channels that have gone leave first. */
  private static final int MAX_COMMANDS = 2 * ProgramObjects.MAX_CHANNELS;

  private static final int CLIENT_OF_REGISTER = 20;
  private static final int CHANNEL_OF_REGISTER = 24;
  private static final int CHANNEL_OF_UNREGISTER = 20;

  private final ProgramObjects objects;
  private final ProgramFile file;
  private final ProgramHeap heap;
  private final UvmRanges ranges;
  private final ExternalMaps external;
  private final Map<Long, RecordedCall> commands = new LinkedHashMap<>();
  private Optional<byte[]> attributes = Optional.empty();
  private boolean anew;

  /**
   * @param counts of all spaces of the program
   * @param heap of the program
   */
  UvmSpace(ProgramFile file, ProgramObjects objects, Counts counts, ProgramHeap heap) {
    this.file = file;
    this.objects = objects;
    this.heap = heap;
    ranges = new UvmRanges(counts);
    external = new ExternalMaps(objects, counts);
  }

  ProgramFile file() {
    return file;
  }

  /** The commands it got, which are given again when it is made anew. */
  Collection<RecordedCall> commands() {
    return commands.values();
  }

  /** Notes a command, in place of the one before about the same. */
  void note(UvmCommand command, RecordedCall call) {
    boolean ofChannel = command == UvmCommand.REGISTER_CHANNEL;
    if (ofChannel && commands.size() >= MAX_COMMANDS) {
      forgetAll(each -> !isOfChannel(each));
    }
    long key = key(command, ofChannel ? call.word(0, CHANNEL_OF_REGISTER) : 0);
    forget(key);
    heap.use(call.heapBytes());
    commands.put(key, call);
  }

  private void forget(long key) {
    RecordedCall call = commands.remove(key);
    if (call != null) {
      heap.free(call.heapBytes());
    }
  }

  private void forgetAll(Predicate<RecordedCall> which) {
    heap.free(commands.values().stream().filter(which).mapToLong(RecordedCall::heapBytes).sum());
    commands.values().removeIf(which);
  }

  /** It is closed. */
  void forgetAll() {
    forgetAll(_ -> true);
    attributes.ifPresent(how -> heap.free(how.length));
    attributes = Optional.empty();
  }

  /** Whether a command is about nothing, or about a channel that is there. */
  boolean isOfChannel(RecordedCall call) {
    return call.request() != UvmCommand.REGISTER_CHANNEL.number()
        || objects
            .find(call.word(0, CLIENT_OF_REGISTER), call.word(0, CHANNEL_OF_REGISTER))
            .isPresent();
  }

  /** Forgets what a command has undone. */
  void forget(UvmCommand command, MemorySegment argument) {
    switch (command) {
      case UNREGISTER_GPU -> forget(key(UvmCommand.REGISTER_GPU, 0));
      case UNREGISTER_GPU_VASPACE -> forget(key(UvmCommand.REGISTER_GPU_VASPACE, 0));
      default ->
          forget(
              key(
                  UvmCommand.REGISTER_CHANNEL,
                  argument.get(ValueLayout.JAVA_INT, CHANNEL_OF_UNREGISTER)));
    }
  }

  private static long key(UvmCommand command, int channel) {
    return (long) command.number() << Integer.SIZE | Integer.toUnsignedLong(channel);
  }

  /** Whether it was made anew: what has no part in {@link #commands} is not there. */
  boolean isAnew() {
    return anew;
  }

  void setAnew() {
    anew = true;
  }

  /** The host's pages at some addresses, if all are there. */
  Optional<MemorySegment> at(long address, long bytes) {
    return rangeOf(address, bytes).flatMap(range -> range.at(address, bytes));
  }

  /** The range of the host's pages that has some addresses, if one has all. */
  Optional<HostRange> rangeOf(long address, long bytes) {
    Optional<ExternalMaps.Place> place = external.at(address, bytes);
    Optional<HostRange> found =
        place.isPresent() ? range(place.get()) : ranges.at(address).flatMap(UvmSpace::range);
    return found.filter(range -> range.at(address, bytes).isPresent());
  }

  private static Optional<HostRange> range(UvmRanges.BackedRange range) {
    return range.memory().pages().map(pages -> new HostRange(range.base(), pages.segment()));
  }

  /** No more of its object than is mapped there: what is beyond may be another one's. */
  private static Optional<HostRange> range(ExternalMaps.Place place) {
    return place
        .object()
        .pages()
        .filter(pages -> place.offset() >= 0 && place.offset() <= pages.bytes())
        .map(pages -> {
          long bytes = pages.bytes() - place.offset();
          long mapped = place.length() >= 0 ? Math.min(bytes, place.length()) : bytes;
          return new HostRange(place.base(), pages.segment().asSlice(place.offset(), mapped));
        });
  }

  /** Ranges that are pages of ours. */
  UvmRanges ranges() {
    return ranges;
  }

  /** Objects of the program's in external ranges. */
  ExternalMaps external() {
    return external;
  }

  /** How each GPU maps the semaphores: what is made later is mapped alike. */
  Optional<byte[]> attributes() {
    return attributes;
  }

  void setAttributes(byte[] how) {
    heap.use(how.length);
    attributes.ifPresent(before -> heap.free(before.length));
    attributes = Optional.of(how);
  }
}

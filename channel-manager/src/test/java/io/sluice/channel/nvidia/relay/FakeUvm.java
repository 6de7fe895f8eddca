package io.sluice.channel.nvidia.relay;

import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.program.UvmCommand;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The address space of UVM in memory: its ranges, and what is mapped in them. */
final class FakeUvm {
  private final Map<Long, FakeMemory> mapped = new HashMap<>(); // by addresses
  private final Map<Long, Long> ranges = new HashMap<>(); // bytes, likewise
  private int mapsRefused;

  /** Has it refuse the next maps. */
  void refuseMaps(int times) {
    mapsRefused = times;
  }

  /** The bytes of the range that begins there. */
  long rangeBytes(long base) {
    return ranges.getOrDefault(base, 0L);
  }

  /** What is mapped, by addresses. */
  Map<Long, FakeMemory> mapped() {
    return mapped;
  }

  /** What is mapped there. */
  FakeMemory at(long address) {
    FakeMemory memory = mapped.get(address);
    if (memory == null) {
      throw new AssertionError(String.format("nothing is mapped, address=0x%x", address));
    }
    return memory;
  }

  /** MAP_EXTERNAL_ALLOCATION of memory, which is null if there is none of that name. */
  void map(MemorySegment argument, @Nullable FakeMemory memory) {
    if (mapsRefused-- > 0 || memory == null) {
      status(UvmCommand.MAP_EXTERNAL_ALLOCATION, argument, FakeDriver.NOT_FOUND);
    } else {
      mapped.put(base(argument), memory);
    }
  }

  /** Any other command, of which most change nothing here. */
  void execute(UvmCommand command, MemorySegment argument) {
    if (command == UvmCommand.CREATE_EXTERNAL_RANGE) {
      ranges.put(base(argument), bytes(argument));
    } else if (command == UvmCommand.FREE) {
      free(argument);
    } else if (command == UvmCommand.UNMAP_EXTERNAL) {
      mapped.remove(base(argument));
    }
  }

  /** A whole range, or nothing. */
  private void free(MemorySegment argument) {
    if (ranges.remove(base(argument), bytes(argument))) {
      mapped.remove(base(argument));
    } else {
      status(UvmCommand.FREE, argument, RmStatus.INVALID_ADDRESS.code());
    }
  }

  private static long base(MemorySegment argument) {
    return argument.get(ValueLayout.JAVA_LONG, 0);
  }

  private static long bytes(MemorySegment argument) {
    return argument.get(ValueLayout.JAVA_LONG, Long.BYTES);
  }

  private static void status(UvmCommand command, MemorySegment argument, int status) {
    argument.set(ValueLayout.JAVA_INT, command.shape().status(), status);
  }
}

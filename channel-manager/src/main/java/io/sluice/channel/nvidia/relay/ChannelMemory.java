package io.sluice.channel.nvidia.relay;

import io.sluice.abi.rm.alloc.ChannelAlloc;
import io.sluice.abi.rm.program.ProgramClass;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The memory that a program's channels and channel groups name: where USERD is, and where errors
 * are told of. The GPU and RM reach for it by its physical pages, and RM does not keep them: they
 * must stay where they are, and nobody else's, as long as the channel is there.
 */
final class ChannelMemory {
  /** {@code hObjectEccError} of a channel. */
  private static final long ECC_ERROR_OF_CHANNEL = 140;

  /** {@code hObjectError} and {@code hObjectEccError} of a group. */
  private static final long[] ERRORS_OF_GROUP = {0, 4};

  private final Map<RmObject.Name, Set<RmObject.Name>> named = new LinkedHashMap<>();

  /** Notes what a channel or a group names that RM has made; others name none. */
  void add(RmObject user, MemorySegment block) {
    Set<RmObject.Name> memory = new LinkedHashSet<>();
    if (user.is(ProgramClass.HOPPER_CHANNEL_GPFIFO_A)) {
      note(user, ChannelAlloc.H_OBJECT_ERROR.bits(block), memory);
      note(user, block.get(ValueLayout.JAVA_INT, ECC_ERROR_OF_CHANNEL), memory);
      for (int i = 0; i < ChannelAlloc.H_USERD_MEMORY.count(); i++) {
        note(user, ChannelAlloc.H_USERD_MEMORY.at(i).bits(block), memory);
      }
    }
    if (user.is(ProgramClass.KEPLER_CHANNEL_GROUP_A)) {
      for (long offset : ERRORS_OF_GROUP) {
        note(user, block.get(ValueLayout.JAVA_INT, offset), memory);
      }
    }
    if (!memory.isEmpty()) {
      named.put(user.name(), memory);
    }
  }

  private static void note(RmObject user, int handle, Set<RmObject.Name> memory) {
    if (handle != 0) {
      memory.add(new RmObject.Name(user.name().client(), handle));
    }
  }

  /** Forgets a channel or a group; nothing happens when there is none of that name. */
  void remove(RmObject.Name user) {
    named.remove(user);
  }

  /** All that channels and groups name. */
  Set<RmObject.Name> all() {
    return named.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
  }

  /**
   * Whether some objects cannot go: a channel or a group that stays names one of them.
   *
   * @param going which those are
   */
  boolean keeps(Predicate<RmObject.Name> going) {
    return named.entrySet().stream()
        .filter(each -> !going.test(each.getKey()))
        .anyMatch(each -> each.getValue().stream().anyMatch(going));
  }
}

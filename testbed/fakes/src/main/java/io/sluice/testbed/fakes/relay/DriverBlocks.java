package io.sluice.testbed.fakes.relay;

import io.sluice.abi.rm.ioctl.Nvos02AllocMemory;
import io.sluice.abi.rm.program.BlockShape;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;

/**
 * The blocks of a call of NVIDIA's driver, as they are in every process: without addresses, and
 * with descriptors by the order in which they were opened.
 */
public final class DriverBlocks {
  private static final int PARAMETERS = 16; // of NVOS21 and NVOS54
  private static final int COMMAND = 8;
  private static final int CLASS = 12;

  private DriverBlocks() {}

  /**
   * Copies of blocks.
   *
   * @param uvm whether the call is of UVM's node
   * @param descriptors from a number of this process to the order; what it does not know stays
   */
  public static List<byte[]> of(
      boolean uvm, int request, List<MemorySegment> blocks, IntUnaryOperator descriptors) {
    List<byte[]> copies =
        blocks.stream().map(block -> block.toArray(ValueLayout.JAVA_BYTE)).toList();
    List<MemorySegment> all = copies.stream().map(MemorySegment::ofArray).toList();
    if (uvm) {
      UvmCommand.of(request)
          .ifPresent(command -> order(all.getFirst(), command.shape(), descriptors));
    } else {
      ProgramEscape.of(request).ifPresent(escape -> rm(escape, all, descriptors));
    }
    return copies;
  }

  private static void rm(
      ProgramEscape escape, List<MemorySegment> blocks, IntUnaryOperator descriptors) {
    MemorySegment argument = blocks.getFirst();
    order(argument, escape.shape(), descriptors);
    switch (escape) {
      case ALLOC_MEMORY -> clear(argument, Nvos02AllocMemory.MEMORY.offset());
      case ALLOC -> {
        clear(argument, PARAMETERS);
        ProgramClass.of(word(argument, CLASS))
            .ifPresent(type -> parameters(blocks, type.shape(), descriptors));
      }
      case CONTROL -> {
        clear(argument, PARAMETERS);
        ProgramControl.of(word(argument, COMMAND))
            .ifPresent(control -> parameters(blocks, control.shape(), descriptors));
      }
      default -> {}
    }
  }

  private static void parameters(
      List<MemorySegment> blocks, BlockShape shape, IntUnaryOperator descriptors) {
    Optional<MemorySegment> parameters =
        blocks.stream().skip(1).findFirst().filter(block -> block.byteSize() > 0);
    parameters.ifPresent(block -> {
      order(block, shape, descriptors);
      shape.lists().forEach(list -> clear(block, list.pointer()));
    });
  }

  private static void order(MemorySegment block, BlockShape shape, IntUnaryOperator descriptors) {
    for (int offset : shape.descriptors()) {
      int ordered = descriptors.applyAsInt(word(block, offset));
      block.set(ValueLayout.JAVA_INT_UNALIGNED, offset, ordered);
    }
  }

  private static void clear(MemorySegment block, long offset) {
    block.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, 0);
  }

  private static int word(MemorySegment block, int offset) {
    return block.get(ValueLayout.JAVA_INT_UNALIGNED, offset);
  }
}

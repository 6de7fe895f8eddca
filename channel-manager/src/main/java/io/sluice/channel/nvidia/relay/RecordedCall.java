package io.sluice.channel.nvidia.relay;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.sluice.abi.rm.ioctl.Nvos54Control;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.channel.nvidia.relay.card.KeptWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A call that has left something with the driver, as the program asked for it: repeated, in order,
 * such calls make what was lost anew.
 */
final class RecordedCall {
  private static final long ALIGNMENT = 8;

  /** A call, and the table and key by which it is found again; and one of its blocks. */
  private static final long CALL_HEAP = 384;

  private static final long BLOCK_HEAP = 40;

  private static final ImmutableSet<ProgramControl> CONTROLS =
      ImmutableSet.of(
          ProgramControl.GPU_ATTACH_IDS,
          ProgramControl.GPU_ASYNC_ATTACH_ID,
          ProgramControl.PERF_CUDA_LIMIT_SET_CONTROL,
          ProgramControl.GPU_ACQUIRE_COMPUTE_MODE_RESERVATION,
          ProgramControl.GR_SET_CTXSW_PREEMPTION_MODE,
          ProgramControl.RC_SOFT_DISABLE_WATCHDOG,
          ProgramControl.REGISTER_VA_SPACE,
          ProgramControl.REGISTER_VIDMEM,
          ProgramControl.DEBUG_SET_EXCEPTION_MASK,
          ProgramControl.GPFIFO_SCHEDULE,
          ProgramControl.SET_TIMESLICE,
          ProgramControl.GPFIFO_GET_WORK_SUBMIT_TOKEN);

  private static final ImmutableSet<UvmCommand> COMMANDS =
      ImmutableSet.of(
          UvmCommand.INITIALIZE,
          UvmCommand.MM_INITIALIZE,
          UvmCommand.REGISTER_GPU,
          UvmCommand.REGISTER_GPU_VASPACE,
          UvmCommand.REGISTER_CHANNEL,
          UvmCommand.MAP_DYNAMIC_PARALLELISM_REGION);

  private final long order;
  private final int file;
  private final int request;
  private final ImmutableList<byte[]> blocks;

  private RecordedCall(long order, int file, int request, ImmutableList<byte[]> blocks) {
    this.order = order;
    this.file = file;
    this.request = request;
    this.blocks = blocks;
  }

  /** Whether a call of RM's leaves something, if it succeeds. */
  static boolean isLasting(ProgramEscape escape, DriverCall call) {
    return switch (escape) {
      case ALLOC, ALLOC_OS_EVENT -> true;
      case CONTROL ->
          ProgramControl.of(Nvos54Control.CMD.bits(call.argument()))
              .filter(CONTROLS::contains)
              .isPresent();
      default -> false;
    };
  }

  /** The same of a command of UVM's. */
  static boolean isLasting(UvmCommand command) {
    return COMMANDS.contains(command);
  }

  /**
   * Copies a call before it is made.
   *
   * @param order of the calls of a program
   */
  static RecordedCall of(long order, DriverCall call) {
    return new RecordedCall(
        order,
        call.file().number(),
        call.request(),
        call.blocks().stream()
            .map(block -> block.toArray(ValueLayout.JAVA_BYTE))
            .collect(ImmutableList.toImmutableList()));
  }

  /** The heap that it takes up, no less than it is. */
  long heapBytes() {
    return CALL_HEAP + blocks.stream().mapToLong(block -> BLOCK_HEAP + block.length).sum();
  }

  /** Its place among the calls of the program. */
  long order() {
    return order;
  }

  /** The number of the file on which it was made. */
  int file() {
    return file;
  }

  /** What it was. */
  int request() {
    return request;
  }

  /** A word of a block. */
  int word(int block, int offset) {
    return MemorySegment.ofArray(blocks.get(block)).get(ValueLayout.JAVA_INT_UNALIGNED, offset);
  }

  /** Two words of a block. */
  long longWord(int block, int offset) {
    return MemorySegment.ofArray(blocks.get(block)).get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
  }

  /** The call once more. */
  DriverCall again(ProgramFile on, Arena arena) {
    List<MemorySegment> copies =
        blocks.stream()
            .map(block ->
                arena.allocate(block.length, ALIGNMENT).copyFrom(MemorySegment.ofArray(block)))
            .toList();
    return new DriverCall(on, request, ImmutableList.copyOf(copies), new KeptWords());
  }
}

package io.sluice.channel.nvidia.relay;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.rm.ioctl.Nvos54Control;
import io.sluice.abi.rm.ioctl.Nvos64Alloc;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.channel.nvidia.relay.card.KeptWords;
import io.sluice.channel.nvidia.relay.link.RelayProtocolException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * An ioctl that a program asks for: copied out of the link, so that nobody else changes it. The
 * blocks become what the program is answered.
 *
 * @param file on which it is made
 * @param request the request word
 * @param blocks the argument, what it points to, and what that points to; empty for null pointers
 * @param kept of the blocks, for when the call was made
 */
record DriverCall(
    ProgramFile file, int request, ImmutableList<MemorySegment> blocks, KeptWords kept) {
  /** Most blocks of a call. */
  static final int MAX_BLOCKS = 8;

  MemorySegment argument() {
    return blocks.getFirst();
  }

  /** What the argument points to, unless that is nothing. */
  Optional<MemorySegment> block() {
    return blocks.size() > 1 && blocks.get(1).byteSize() > 0
        ? Optional.of(blocks.get(1))
        : Optional.empty();
  }

  /** Whether it may make what is then set up by methods; of a call that is not UVM's. */
  boolean isMaking() {
    return nr() == ProgramEscape.ALLOC.nr() || nr() == ProgramEscape.CONTROL.nr() && isOfDebugger();
  }

  /** The memory that it makes, which may be the program's own; of a call that is not UVM's. */
  Optional<RmObject.Name> madeMemory() {
    return nr() == ProgramEscape.ALLOC.nr()
            && argument().byteSize() == Nvos64Alloc.LAYOUT.byteSize()
            && Nvos64Alloc.H_CLASS.bits(argument()) == ProgramClass.NV01_MEMORY_LOCAL_USER.number()
        ? Optional.of(
            new RmObject.Name(
                Nvos64Alloc.H_ROOT.bits(argument()), Nvos64Alloc.H_OBJECT.bits(argument())))
        : Optional.empty();
  }

  private boolean isOfDebugger() {
    return argument().byteSize() == Nvos54Control.LAYOUT.byteSize()
        && Nvos54Control.CMD.bits(argument()) >>> Short.SIZE
            == ProgramClass.GT200_DEBUGGER.number();
  }

  private int nr() {
    return request & 0xff;
  }

  /**
   * The blocks of a message's body.
   *
   * @throws RelayProtocolException when they are not as the protocol says
   */
  static ImmutableList<MemorySegment> blocks(MemorySegment body, long count)
      throws RelayProtocolException {
    if (count < 1 || count > MAX_BLOCKS) {
      throw new RelayProtocolException("blocks=" + count);
    }
    long at = padded(count * Integer.BYTES);
    if (at > body.byteSize()) {
      throw new RelayProtocolException("no lengths of blocks");
    }
    ImmutableList.Builder<MemorySegment> blocks = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      long bytes = Integer.toUnsignedLong(body.getAtIndex(ValueLayout.JAVA_INT, i));
      if (bytes > RelayRequest.MAX_BYTES || at + padded(bytes) > body.byteSize()) {
        throw new RelayProtocolException("a block is longer than its message, bytes=" + bytes);
      }
      blocks.add(body.asSlice(at, bytes));
      at += padded(bytes);
    }
    if (at != body.byteSize()) {
      throw new RelayProtocolException("there is more than the blocks");
    }
    return blocks.build();
  }

  private static long padded(long bytes) {
    return bytes + 7 & ~7L;
  }
}

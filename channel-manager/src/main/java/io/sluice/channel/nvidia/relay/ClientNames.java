package io.sluice.channel.nvidia.relay;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.sluice.abi.rm.RmIoctl;
import io.sluice.abi.rm.ioctl.Nvos00Free;
import io.sluice.abi.rm.program.BlockShape;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.relay.card.KeptWords;
import io.sluice.channel.nvidia.relay.link.Node;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The driver under the names that a program knows its clients by: RM chooses them, and chooses
 * others when they are made anew.
 */
final class ClientNames implements DriverPort {
  private static final int MAGIC = 'F';
  private static final int CLASS = 12;

  /** Where an object's handle stands, which is its client's own for a client. */
  private static final ImmutableMap<Integer, ImmutableList<Integer>> HANDLES =
      ImmutableMap.of(
          ProgramEscape.ALLOC.nr(), ImmutableList.of(0, 4),
          ProgramEscape.ALLOC_MEMORY.nr(), ImmutableList.of(0, 4),
          ProgramEscape.FREE.nr(), ImmutableList.of(0, 4, 8),
          ProgramEscape.CONTROL.nr(), ImmutableList.of(0, 4),
          RmIoctl.RM_DUP_OBJECT.nr(), ImmutableList.of(0, 4, 12),
          RmIoctl.RM_MAP_MEMORY_DMA.nr(), ImmutableList.of(0));

  private final DriverPort port;
  private final Map<Integer, Integer> real = new ConcurrentHashMap<>(); // by the program's names

  ClientNames(DriverPort port) {
    this.port = port;
  }

  /** What RM calls a client. */
  int real(int name) {
    return real.getOrDefault(name, name);
  }

  /** RM calls a client so from now on. */
  void put(int name, int handle) {
    real.put(name, handle);
  }

  /** Frees a client by what RM calls it. */
  void free(Fd control, int handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(Nvos00Free.LAYOUT);
      Nvos00Free.H_ROOT.setBits(argument, handle);
      Nvos00Free.H_PARENT.setBits(argument, handle);
      Nvos00Free.H_OBJECT.setBits(argument, handle);
      int request = ProgramDriver.request(ProgramEscape.FREE);
      int _ = port.ioctl(control, request, argument, List.of(argument));
    }
  }

  @Override
  public List<Node> nodes() {
    return port.nodes();
  }

  @Override
  public Fd open(Node node) {
    return port.open(node);
  }

  @Override
  public int ioctl(Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
    if (real.isEmpty()) {
      return port.ioctl(file, request, argument, blocks);
    }
    KeptWords kept = new KeptWords();
    if ((request >>> 8 & 0xff) == MAGIC) {
      ofRm(request & 0xff, argument, blocks, kept);
    } else {
      UvmCommand.of(request).ifPresent(command -> rename(argument, command.shape(), kept));
    }
    try {
      return port.ioctl(file, request, argument, blocks);
    } finally {
      kept.restore();
    }
  }

  private void ofRm(int nr, MemorySegment argument, List<MemorySegment> blocks, KeptWords kept) {
    ImmutableList<Integer> handles = HANDLES.get(nr);
    if (handles != null) {
      handles.forEach(offset -> rename(argument, offset, kept));
    } else {
      escape(nr).ifPresent(escape -> rename(argument, escape.shape(), kept));
    }
    if (nr == ProgramEscape.ALLOC.nr() && blocks.size() > 1 && blocks.get(1).byteSize() > 0) {
      ProgramClass.of(argument.get(ValueLayout.JAVA_INT, CLASS))
          .ifPresent(type -> rename(blocks.get(1), type.shape(), kept));
    }
  }

  private static Optional<ProgramEscape> escape(int nr) {
    for (ProgramEscape escape : ProgramEscape.values()) {
      if (escape.nr() == nr) {
        return Optional.of(escape);
      }
    }
    return Optional.empty();
  }

  private void rename(MemorySegment block, BlockShape shape, KeptWords kept) {
    shape.clients().forEach(offset -> rename(block, offset, kept));
  }

  private void rename(MemorySegment block, int offset, KeptWords kept) {
    if (offset + Integer.BYTES <= block.byteSize()) {
      Integer handle = real.get(block.get(ValueLayout.JAVA_INT, offset));
      if (handle != null) {
        kept.word(block, offset);
        block.set(ValueLayout.JAVA_INT, offset, handle);
      }
    }
  }
}

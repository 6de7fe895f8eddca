package io.sluice.channel.nvidia.relay;

import io.sluice.abi.U32;
import io.sluice.abi.rm.RmIoctl;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.ioctl.Nvos54Control;
import io.sluice.abi.rm.program.BlockShape;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.relay.card.CardNames;
import io.sluice.channel.nvidia.relay.card.KeptWords;
import io.sluice.channel.nvidia.relay.card.ProgramCopier;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.link.MemoryShare;
import io.sluice.channel.nvidia.relay.link.ProgramTurn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The driver, as one program has it: its files and objects, its share of memory, and the calls made
 * for it. Used by whoever has its turn: the program's thread, or one that moves its memory.
 *
 * @param port the driver, which knows the program's clients by other names, perhaps
 * @param on the card that it is on, and the one whose names it knows
 * @param pinned the host's memory that the GPU may reach for it
 * @param descriptors of the daemon's that it has taken up, each with a mapping or without
 * @param video the video memory that it has
 * @param system the system memory that it has in place of video memory
 * @param heap this process', which is taken up by what is remembered of it
 * @param turn guards all that is here
 */
record ProgramDriver(
    Kernel kernel,
    ClientNames port,
    CardNames on,
    ProgramFiles files,
    ProgramObjects objects,
    MemoryShare pinned,
    MemoryShare descriptors,
    MemoryShare video,
    MemoryShare system,
    ProgramHeap heap,
    ProgramTurn turn) {
  private static final int READ_WRITE = 3;
  private static final int MAGIC = 'F';

  /** The card, as the program knows it. */
  RelayCard card() {
    return on.named();
  }

  /** Copies its memory when that moves. */
  ProgramCopier copier() {
    return on.now().copier();
  }

  /** The number of an ioctl of RM's. */
  static int request(ProgramEscape escape) {
    return READ_WRITE << 30 | escape.shape().bytes() << 16 | MAGIC << 8 | escape.nr();
  }

  /** Makes a call of RM's that the relay has written: its status. */
  int call(ProgramFile file, ProgramEscape escape, MemorySegment argument) {
    return call(file, escape, List.of(argument));
  }

  /** The same of one that has more blocks than its argument, which comes first. */
  int call(ProgramFile file, ProgramEscape escape, List<MemorySegment> blocks) {
    MemorySegment argument = blocks.getFirst();
    int _ = port.ioctl(file.fd(), request(escape), argument, blocks);
    return escape.shape().status() == BlockShape.NONE
        ? RmStatus.OK.code()
        : argument.get(ValueLayout.JAVA_INT, escape.shape().status());
  }

  /** Makes a call of UVM's that the relay has written: its status. */
  int call(ProgramFile file, UvmCommand command, MemorySegment argument) {
    int _ = port.ioctl(file.fd(), command.number(), argument, List.of(argument));
    return argument.get(ValueLayout.JAVA_INT, command.shape().status());
  }

  /** Makes a call of RM's that no program may ask for: its status. */
  int call(ProgramFile file, RmIoctl ioctl, MemorySegment argument, U32 status) {
    int request = (int) ioctl.request(argument.byteSize());
    int _ = port.ioctl(file.fd(), request, argument, List.of(argument));
    return status.bits(argument);
  }

  /** Sends a command that the relay has written: its status. */
  int control(ProgramFile file, RmObject.Name object, int command, MemorySegment block) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(Nvos54Control.LAYOUT);
      Nvos54Control.H_CLIENT.setBits(argument, object.client());
      Nvos54Control.H_OBJECT.setBits(argument, object.handle());
      Nvos54Control.CMD.setBits(argument, command);
      Nvos54Control.PARAMS.set(argument, block.address());
      Nvos54Control.PARAMS_SIZE.setBits(argument, (int) block.byteSize());
      return call(file, ProgramEscape.CONTROL, List.of(argument, block));
    }
  }

  /** Refuses a client that is not the program's. */
  void requireOwn(int client, String what) throws Denial {
    if (client == 0 || !objects.owns(client)) {
      throw new Denial(RmStatus.INVALID_CLIENT, what + ": a client that is not the program's");
    }
  }

  /** Refuses an object with its client's own handle, as RM does: it would stand for the client. */
  static void requireOther(int client, int handle) throws Denial {
    if (handle == client) {
      throw new Denial(RmStatus.INVALID_OBJECT_HANDLE, "an object with its client's handle");
    }
  }

  /** Refuses what names a client that is not the program's; 0 is none. */
  void requireOwnClients(MemorySegment block, BlockShape shape) throws Denial {
    for (int offset : shape.clients()) {
      int client = block.get(ValueLayout.JAVA_INT, offset);
      if (client != 0) {
        requireOwn(client, shape.name());
      }
    }
  }

  /** Puts descriptors of ours where a program's block has numbers of its files. */
  void translate(MemorySegment block, BlockShape shape, KeptWords kept) throws Denial {
    for (int offset : shape.descriptors()) {
      int number = block.get(ValueLayout.JAVA_INT, offset);
      if (number != -1) {
        kept.word(block, offset);
        block.set(ValueLayout.JAVA_INT, offset, file(number, shape.name()).fd().number());
      }
    }
  }

  /** The file that a block names. */
  ProgramFile file(int number, String what) throws Denial {
    return files
        .find(number)
        .orElseThrow(() ->
            new Denial(RmStatus.INVALID_ARGUMENT, what + ": a file that the program has not"));
  }

  /** The program has ended: it has no file and no object any more. */
  void forgetAll() {
    objects.groups().removeAll();
    files.closeAll();
    objects.removeAll();
  }
}

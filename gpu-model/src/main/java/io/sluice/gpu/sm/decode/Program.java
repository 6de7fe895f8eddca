package io.sluice.gpu.sm.decode;

import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.memory.GlobalMemory;
import io.sluice.gpu.sm.warp.Grid;
import org.jspecify.annotations.Nullable;

/**
 * The instructions of a program, read and decoded when they are first needed. They are in memory of
 * the guest's: one that changes them while they run gets some of the old ones and some of the new.
 */
public final class Program {
  /** Instructions that are kept, one for each place; others are decoded each time. */
  private static final int PLACES = 1 << 10;

  private final GlobalMemory global;
  private final long base;
  private final int registers;
  private final @Nullable Instruction[] decoded = new Instruction[PLACES];

  /** By place: the offset of the instruction that is kept there. */
  private final int[] offsets = new int[PLACES];

  public Program(GlobalMemory global, Grid grid) {
    this.global = global;
    this.base = grid.program();
    this.registers = grid.registers();
  }

  /**
   * The instruction at an offset in the program region.
   *
   * @throws WarpFault when there is none, or it names a register that the launch did not ask for
   */
  public Instruction at(int pc) {
    int place = pc / Instruction.BYTES & PLACES - 1;
    Instruction known = decoded[place];
    if (known == null || offsets[place] != pc) {
      known = fetch(pc);
      decoded[place] = known;
      offsets[place] = pc;
    }
    return known;
  }

  /** The word at an offset, whatever it is. */
  public long word(int pc) {
    return global.load64(GlobalMemory.NO_SITE, base + Integer.toUnsignedLong(pc));
  }

  private Instruction fetch(int pc) {
    if (pc % Instruction.BYTES != 0) {
      throw new WarpFault(WarpError.INVALID_OPCODE, Integer.toUnsignedLong(pc));
    }
    long word = word(pc);
    Instruction fresh = InstructionDecoder.decode(word);
    Opcode opcode = fresh.opcode();
    if (opcode == null) {
      throw new WarpFault(WarpError.INVALID_OPCODE, Integer.toUnsignedLong(pc));
    }
    int needed = Effects.of(opcode, fresh).registers();
    if (needed > registers) {
      throw new WarpFault(WarpError.GPR_OUT_OF_BOUNDS, needed - 1L);
    }
    return fresh;
  }
}

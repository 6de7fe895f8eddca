package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.isa.AccessSize;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.isa.PairedLoad;
import io.sluice.gpu.sm.math.AtomicMath;
import io.sluice.gpu.sm.memory.ConstantMemory;
import io.sluice.gpu.sm.memory.GlobalMemory;
import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.warp.Warp;

/** Loads, stores and atomics of one lane. */
final class MemoryUnit {
  private static final int NO_SITE = GlobalMemory.NO_SITE;
  private static final int WORD_BYTES = 4;

  private final LaneMemory memory;

  MemoryUnit(LaneMemory memory) {
    this.memory = memory;
  }

  /** The memory that an address leads to. */
  private enum StateSpace {
    GENERIC,
    SHARED,
    LOCAL
  }

  void execute(Opcode opcode, Instruction i, Warp w, int lane) {
    switch (opcode) {
      case LD, LDU -> load(i, w, lane, generic(i, w, lane, i.imm32()), StateSpace.GENERIC);
      case LDS_LDU, LD_LDU -> loadPair(PairedLoad.of(i), w, lane);
      case ST -> store(i, w, lane, generic(i, w, lane, i.imm32()), StateSpace.GENERIC);
      case LDS -> load(i, w, lane, near(i, w, lane), StateSpace.SHARED);
      case STS -> store(i, w, lane, near(i, w, lane), StateSpace.SHARED);
      case LDL -> load(i, w, lane, near(i, w, lane), StateSpace.LOCAL);
      case STL -> store(i, w, lane, near(i, w, lane), StateSpace.LOCAL);
      case LDSLK -> {
        load(i, w, lane, near(i, w, lane), StateSpace.SHARED);
        w.setPredicate(i.bits(52, 50), lane, memory.shared().lock((int) near(i, w, lane)));
      }
      case STSUL -> {
        store(i, w, lane, near(i, w, lane), StateSpace.SHARED);
        memory.shared().unlock((int) near(i, w, lane));
      }
      case LDC -> loadConstant(i, w, lane);
      case RED, RED_S32, RED_F32 -> atomic(opcode, i, w, lane, i.imm32(), Instruction.RZ);
      case ATOM, ATOM_S32, ATOM_F32, ATOM_EXCH, ATOM_CAS ->
          atomic(opcode, i, w, lane, i.offsetAtomic(), i.dstAtomic());
      default -> throw new AssertionError(opcode);
    }
  }

  /** Bit 58 takes a 64-bit address from a register pair. */
  private static long generic(Instruction i, Warp w, int lane, int offset) {
    if (i.bit(58)) {
      return w.getPair(i.src1(), lane) + offset;
    }
    return Integer.toUnsignedLong(w.get(i.src1(), lane) + offset);
  }

  private static long near(Instruction i, Warp w, int lane) {
    return Integer.toUnsignedLong(w.get(i.src1(), lane) + i.offset24());
  }

  private void load(Instruction i, Warp w, int lane, long address, StateSpace space) {
    int size = i.accessSize();
    int bytes = AccessSize.bytes(size);
    LaneMemory.align(address, bytes);
    int thread = w.thread(lane);
    switch (size) {
      case AccessSize.U8 -> w.set(i.dst(), lane, load8(space, thread, address));
      case AccessSize.S8 -> w.set(i.dst(), lane, (byte) load8(space, thread, address));
      case AccessSize.U16 -> w.set(i.dst(), lane, load16(space, thread, address));
      case AccessSize.S16 -> w.set(i.dst(), lane, (short) load16(space, thread, address));
      default -> {
        for (int done = 0; done < bytes; done += WORD_BYTES) {
          setPart(i, w, lane, done / WORD_BYTES, load32(space, thread, address + done));
        }
      }
    }
  }

  private void store(Instruction i, Warp w, int lane, long address, StateSpace space) {
    int size = i.accessSize();
    int bytes = AccessSize.bytes(size);
    LaneMemory.align(address, bytes);
    int thread = w.thread(lane);
    switch (size) {
      case AccessSize.U8, AccessSize.S8 -> store8(space, thread, address, w.get(i.dst(), lane));
      case AccessSize.U16, AccessSize.S16 -> store16(space, thread, address, w.get(i.dst(), lane));
      default -> {
        for (int done = 0; done < bytes; done += WORD_BYTES) {
          int register = i.dst() == Instruction.RZ ? Instruction.RZ : i.dst() + done / WORD_BYTES;
          store32(space, thread, address + done, w.get(register, lane));
        }
      }
    }
  }

  private void loadPair(PairedLoad pair, Warp w, int lane) {
    Instruction first = pair.first();
    Instruction second = pair.second();
    boolean shared = first.form() == Opcode.LDS;
    long from = shared ? near(first, w, lane) : generic(first, w, lane, first.imm32());
    long secondFrom = generic(second, w, lane, second.imm32());
    load(first, w, lane, from, shared ? StateSpace.SHARED : StateSpace.GENERIC);
    load(second, w, lane, secondFrom, StateSpace.GENERIC);
  }

  private static void setPart(Instruction i, Warp w, int lane, int part, int value) {
    if (i.dst() != Instruction.RZ) {
      w.set(i.dst() + part, lane, value);
    }
  }

  private int load8(StateSpace space, int thread, long address) {
    return switch (space) {
      case GENERIC -> memory.load8(NO_SITE, thread, address);
      case SHARED -> memory.shared().load8((int) address);
      case LOCAL -> memory.loadLocal8(thread, (int) address);
    };
  }

  private int load16(StateSpace space, int thread, long address) {
    return switch (space) {
      case GENERIC -> memory.load16(NO_SITE, thread, address);
      case SHARED -> memory.shared().load16((int) address);
      case LOCAL -> memory.loadLocal16(thread, (int) address);
    };
  }

  private int load32(StateSpace space, int thread, long address) {
    return switch (space) {
      case GENERIC -> memory.load32(NO_SITE, thread, address);
      case SHARED -> memory.shared().load32((int) address);
      case LOCAL -> memory.loadLocal32(thread, (int) address);
    };
  }

  private void store8(StateSpace space, int thread, long address, int value) {
    switch (space) {
      case GENERIC -> memory.store8(NO_SITE, thread, address, value);
      case SHARED -> memory.shared().store8((int) address, value);
      case LOCAL -> memory.storeLocal8(thread, (int) address, value);
    }
  }

  private void store16(StateSpace space, int thread, long address, int value) {
    switch (space) {
      case GENERIC -> memory.store16(NO_SITE, thread, address, value);
      case SHARED -> memory.shared().store16((int) address, value);
      case LOCAL -> memory.storeLocal16(thread, (int) address, value);
    }
  }

  private void store32(StateSpace space, int thread, long address, int value) {
    switch (space) {
      case GENERIC -> memory.store32(NO_SITE, thread, address, value);
      case SHARED -> memory.shared().store32((int) address, value);
      case LOCAL -> memory.storeLocal32(thread, (int) address, value);
    }
  }

  private void loadConstant(Instruction i, Warp w, int lane) {
    int size = i.accessSize();
    int bytes = AccessSize.bytes(size);
    int bank = i.loadBank();
    int offset = i.loadOffset() + w.get(i.src1(), lane);
    LaneMemory.align(Integer.toUnsignedLong(offset), bytes);
    ConstantMemory constants = memory.constants();
    switch (size) {
      case AccessSize.U8 -> w.set(i.dst(), lane, constants.load8(bank, offset));
      case AccessSize.S8 -> w.set(i.dst(), lane, (byte) constants.load8(bank, offset));
      case AccessSize.U16 -> w.set(i.dst(), lane, constants.load16(bank, offset));
      case AccessSize.S16 -> w.set(i.dst(), lane, (short) constants.load16(bank, offset));
      default -> {
        for (int done = 0; done < bytes; done += WORD_BYTES) {
          setPart(i, w, lane, done / WORD_BYTES, constants.load32(bank, offset + done));
        }
      }
    }
  }

  private void atomic(
      Opcode opcode, Instruction i, Warp w, int lane, int offset, int resultRegister) {
    long address = generic(i, w, lane, offset);
    if (AtomicMath.isWide(opcode, i)) {
      long operand = w.getPair(i.dst(), lane);
      long replacement = w.getPair(i.src3(), lane);
      w.setPair(resultRegister, lane, memory.atomic64(i.word(), address, operand, replacement));
    } else {
      int operand = w.get(i.dst(), lane);
      int replacement = w.get(i.src3(), lane);
      w.set(resultRegister, lane, memory.atomic32(i.word(), address, operand, replacement));
    }
  }
}

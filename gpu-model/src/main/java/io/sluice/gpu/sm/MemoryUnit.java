package io.sluice.gpu.sm;

/**
 * Loads, stores and atomics of one lane. A generic address inside the shared or local window goes
 * there, any other is global.
 */
final class MemoryUnit {
  private static final int U8 = 0;
  private static final int S8 = 1;
  private static final int U16 = 2;
  private static final int S16 = 3;
  private static final int B32 = 4;
  private static final int B64 = 5;
  private static final int B128 = 6;

  private final Grid grid;
  private final SmMemory global;
  private final BlockMemory block;
  private final Operands operands;

  MemoryUnit(Grid grid, SmMemory global, BlockMemory block, Operands operands) {
    this.grid = grid;
    this.global = global;
    this.block = block;
    this.operands = operands;
  }

  void execute(Opcode opcode, Instruction i, Warp w, int lane) {
    switch (opcode) {
      case LD, LDU -> load(i, w, lane, generic(i, w, lane, i.imm32()), Space.GENERIC);
      case ST -> store(i, w, lane, generic(i, w, lane, i.imm32()), Space.GENERIC);
      case LDS -> load(i, w, lane, near(i, w, lane), Space.SHARED);
      case STS -> store(i, w, lane, near(i, w, lane), Space.SHARED);
      case LDL -> load(i, w, lane, near(i, w, lane), Space.LOCAL);
      case STL -> store(i, w, lane, near(i, w, lane), Space.LOCAL);
      case LDSLK -> {
        // Lanes run one after the other, so the lock is always had.
        load(i, w, lane, near(i, w, lane), Space.SHARED);
        w.setPredicate(i.bits(52, 50), lane, true);
      }
      case STSUL -> store(i, w, lane, near(i, w, lane), Space.SHARED);
      case LDC -> loadConstant(i, w, lane);
      case RED -> reduce(i, w, lane, i.imm32(), false);
      case ATOM -> reduce(i, w, lane, i.offsetAtomic(), true);
      case RED_F32 -> addFloat(i, w, lane, i.imm32(), false);
      case ATOM_F32 -> addFloat(i, w, lane, i.offsetAtomic(), true);
      case ATOM_EXCH -> exchange(i, w, lane);
      case ATOM_CAS -> compareAndSwap(i, w, lane);
      default -> throw new AssertionError(opcode);
    }
  }

  /** Where an address leads. */
  private enum Space {
    GENERIC,
    SHARED,
    LOCAL
  }

  private static long generic(Instruction i, Warp w, int lane, int offset) {
    if (i.bit(58)) {
      return w.getPair(i.src1(), lane) + offset;
    }
    return Integer.toUnsignedLong(w.get(i.src1(), lane) + offset);
  }

  private static long near(Instruction i, Warp w, int lane) {
    return Integer.toUnsignedLong(w.get(i.src1(), lane) + i.offset24());
  }

  private static int sizeBytes(int size) {
    return switch (size) {
      case U8, S8 -> 1;
      case U16, S16 -> 2;
      case B32 -> 4;
      case B64 -> 8;
      case B128 -> 16;
      default -> throw new WarpFault(WarpError.INVALID_OPCODE);
    };
  }

  private static void align(long address, int bytes) {
    if ((address & bytes - 1) != 0) {
      throw new WarpFault(WarpError.UNALIGNED, address);
    }
  }

  private void load(Instruction i, Warp w, int lane, long address, Space space) {
    int size = i.accessSize();
    int bytes = sizeBytes(size);
    align(address, bytes);
    int thread = w.index * Warp.LANES + lane;
    for (int done = 0; done < bytes; done += 4) {
      int value = loadPart(space, thread, address + done, Math.min(bytes, 4));
      int extended =
          switch (size) {
            case S8 -> (byte) value;
            case S16 -> (short) value;
            default -> value;
          };
      setPart(i, w, lane, done / 4, extended);
    }
  }

  private void store(Instruction i, Warp w, int lane, long address, Space space) {
    int bytes = sizeBytes(i.accessSize());
    align(address, bytes);
    int thread = w.index * Warp.LANES + lane;
    for (int done = 0; done < bytes; done += 4) {
      int register = i.dst() == Instruction.RZ ? Instruction.RZ : i.dst() + done / 4;
      storePart(space, thread, address + done, Math.min(bytes, 4), w.get(register, lane));
    }
  }

  private static void setPart(Instruction i, Warp w, int lane, int part, int value) {
    if (i.dst() != Instruction.RZ) {
      w.set(i.dst() + part, lane, value);
    }
  }

  private int loadPart(Space space, int thread, long address, int bytes) {
    Space where = space == Space.GENERIC ? window(address) : space;
    return switch (where) {
      case SHARED -> block.loadShared(offset(space, address, grid.sharedWindow()), bytes);
      case LOCAL -> block.loadLocal(thread, offset(space, address, grid.localWindow()), bytes);
      case GENERIC ->
          switch (bytes) {
            case 1 -> global.load8(address);
            case 2 -> global.load16(address);
            default -> global.load32(address);
          };
    };
  }

  private void storePart(Space space, int thread, long address, int bytes, int value) {
    Space where = space == Space.GENERIC ? window(address) : space;
    switch (where) {
      case SHARED -> block.storeShared(offset(space, address, grid.sharedWindow()), bytes, value);
      case LOCAL ->
          block.storeLocal(thread, offset(space, address, grid.localWindow()), bytes, value);
      case GENERIC -> {
        switch (bytes) {
          case 1 -> global.store8(address, value);
          case 2 -> global.store16(address, value);
          default -> global.store32(address, value);
        }
      }
    }
  }

  private Space window(long address) {
    if (inWindow(address, grid.sharedWindow())) {
      return Space.SHARED;
    }
    return inWindow(address, grid.localWindow()) ? Space.LOCAL : Space.GENERIC;
  }

  private static boolean inWindow(long address, long base) {
    return address >= base && address < base + BlockMemory.WINDOW_BYTES;
  }

  private static int offset(Space asked, long address, long window) {
    return (int) (asked == Space.GENERIC ? address - window : address);
  }

  private void loadConstant(Instruction i, Warp w, int lane) {
    int size = i.accessSize();
    int bytes = sizeBytes(size);
    int offset = (short) i.bits(41, 26) + w.get(i.src1(), lane);
    if ((offset & bytes - 1) != 0) {
      throw new WarpFault(WarpError.UNALIGNED, offset);
    }
    long address = operands.address(i.bits(46, 42), offset, bytes);
    for (int done = 0; done < bytes; done += 4) {
      int value =
          switch (size) {
            case U8 -> global.load8(address);
            case S8 -> (byte) global.load8(address);
            case U16 -> global.load16(address);
            case S16 -> (short) global.load16(address);
            default -> global.load32(address + done);
          };
      setPart(i, w, lane, done / 4, value);
    }
  }

  /** Integer reductions: bit 9 with the unsigned form is 64 bits, with the signed form is s32. */
  private void reduce(Instruction i, Warp w, int lane, int offset, boolean returns) {
    boolean signedForm = (i.word() >>> 59 & 1) != 0;
    boolean wide = i.bit(9) && !signedForm;
    long address = global(i, w, lane, offset, wide ? 8 : 4);
    int operation = i.bits(8, 5);
    if (wide) {
      if (operation != 0) {
        throw new WarpFault(WarpError.INVALID_OPCODE);
      }
      long operand = w.getPair(i.dst(), lane);
      long old = global.load64(address);
      for (long seen; (seen = global.compareAndSwap64(address, old, old + operand)) != old; ) {
        old = seen;
      }
      if (returns) {
        w.setPair(i.bits(48, 43), lane, old);
      }
      return;
    }
    int operand = w.get(i.dst(), lane);
    int old = global.load32(address);
    while (true) {
      int seen =
          global.compareAndSwap32(address, old, reduced(operation, signedForm, old, operand));
      if (seen == old) {
        break;
      }
      old = seen;
    }
    if (returns) {
      w.set(i.bits(48, 43), lane, old);
    }
  }

  private static int reduced(int operation, boolean signed, int old, int operand) {
    return switch (operation) {
      case 0 -> old + operand;
      case 1 -> signed || lessUnsigned(old, operand) ? pickMin(signed, old, operand) : operand;
      case 2 -> signed ? Math.max(old, operand) : lessUnsigned(old, operand) ? operand : old;
      case 3 -> lessUnsigned(old, operand) ? old + 1 : 0;
      case 4 -> old == 0 || lessUnsigned(operand, old) ? operand : old - 1;
      case 5 -> old & operand;
      case 6 -> old | operand;
      case 7 -> old ^ operand;
      default -> throw new WarpFault(WarpError.INVALID_OPCODE);
    };
  }

  private static int pickMin(boolean signed, int old, int operand) {
    return signed ? Math.min(old, operand) : old;
  }

  private static boolean lessUnsigned(int a, int b) {
    return Integer.compareUnsigned(a, b) < 0;
  }

  private void addFloat(Instruction i, Warp w, int lane, int offset, boolean returns) {
    long address = global(i, w, lane, offset, 4);
    int operand = w.get(i.dst(), lane);
    int old = global.load32(address);
    while (true) {
      int sum = Fp32.add(old, operand, Rounding.RN, true, false);
      int seen = global.compareAndSwap32(address, old, sum);
      if (seen == old) {
        break;
      }
      old = seen;
    }
    if (returns) {
      w.set(i.bits(48, 43), lane, old);
    }
  }

  private void exchange(Instruction i, Warp w, int lane) {
    boolean wide = i.bit(9);
    long address = global(i, w, lane, i.offsetAtomic(), wide ? 8 : 4);
    if (wide) {
      long value = w.getPair(i.dst(), lane);
      long old = global.load64(address);
      for (long seen; (seen = global.compareAndSwap64(address, old, value)) != old; ) {
        old = seen;
      }
      w.setPair(i.bits(48, 43), lane, old);
      return;
    }
    int value = w.get(i.dst(), lane);
    int old = global.load32(address);
    for (int seen; (seen = global.compareAndSwap32(address, old, value)) != old; ) {
      old = seen;
    }
    w.set(i.bits(48, 43), lane, old);
  }

  private void compareAndSwap(Instruction i, Warp w, int lane) {
    boolean wide = i.bit(9);
    long address = global(i, w, lane, i.offsetAtomic(), wide ? 8 : 4);
    if (wide) {
      long expected = w.getPair(i.dst(), lane);
      long old = global.compareAndSwap64(address, expected, w.getPair(i.src3(), lane));
      w.setPair(i.bits(48, 43), lane, old);
      return;
    }
    int expected = w.get(i.dst(), lane);
    int old = global.compareAndSwap32(address, expected, w.get(i.src3(), lane));
    w.set(i.bits(48, 43), lane, old);
  }

  /** The address of an atomic, which global memory alone has. */
  private long global(Instruction i, Warp w, int lane, int offset, int bytes) {
    long address = generic(i, w, lane, offset);
    align(address, bytes);
    if (window(address) != Space.GENERIC) {
      throw new WarpFault(WarpError.INVALID_ADDR_SPACE, address);
    }
    return address;
  }
}

package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.isa.AccessSize;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.isa.PairedLoad;
import io.sluice.gpu.sm.math.AtomicMath;
import io.sluice.gpu.sm.memory.BlockMemory;
import io.sluice.gpu.sm.memory.ConstantMemory;
import io.sluice.gpu.sm.memory.LaneMemory;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;

/** The emitter of loads, stores, atomics and locks. */
final class MemoryEmitter {
  private static final Class<?> MEMORY = LaneMemory.class;
  private static final Class<?> SHARED = BlockMemory.class;
  private static final Class<?> CONSTANTS = ConstantMemory.class;
  private static final int WORD_BYTES = 4;
  private static final int PAIR_BYTES = 8;

  /** Where the two lowest bits of an address that is not aligned are in its word number. */
  private static final int UNALIGNED_BIT = 29;

  private final CodeBuilder code;
  private final LaneState lane;
  private final OperandEmitter operands;
  private final OperandPool pool;
  private final int address;
  private final int word;

  MemoryEmitter(CodeBuilder code, LaneState lane, OperandEmitter operands, OperandPool pool) {
    this.code = code;
    this.lane = lane;
    this.operands = operands;
    this.pool = pool;
    this.address = code.allocateLocal(TypeKind.LONG);
    this.word = code.allocateLocal(TypeKind.INT);
  }

  void emit(Opcode opcode, Instruction i, int pc) {
    code.loadConstant(pc).istore(lane.at());
    switch (opcode) {
      case LD, LDU -> {
        generic(i, i.imm32());
        if (i.accessSize() >= AccessSize.B32) {
          loadFromWindow(i);
        } else {
          load(i, new Generic(pool.newSite()));
        }
      }
      case LDS_LDU, LD_LDU -> loadPair(PairedLoad.of(i));
      case ST -> {
        generic(i, i.imm32());
        if (i.accessSize() >= AccessSize.B32) {
          storeToWindow(i);
        } else {
          store(i, new Generic(pool.newSite()));
        }
      }
      case LDS -> {
        boolean words = i.offset24() % WORD_BYTES == 0 && lane.isRepeatable();
        if (i.accessSize() == AccessSize.B32 && words) {
          loadSharedWord(i);
        } else {
          near(i);
          load(i, new Shared());
        }
      }
      case STS -> {
        near(i);
        if (i.accessSize() == AccessSize.B32) {
          storeSharedWord(i);
        } else {
          store(i, new Shared());
        }
      }
      case LDL -> {
        near(i);
        load(i, new Local());
      }
      case STL -> {
        near(i);
        store(i, new Local());
      }
      case LDC -> loadConstant(i);
      case LDSLK -> {
        near(i);
        load(i, new Shared());
        lock("lock", "(I)Z");
        lane.flags().popPredicate(i.bits(52, 50));
      }
      case STSUL -> {
        near(i);
        store(i, new Shared());
        lock("unlock", "(I)V");
      }
      case RED, RED_S32, RED_F32 -> atomic(opcode, i, i.imm32(), Instruction.RZ);
      case ATOM, ATOM_S32, ATOM_F32, ATOM_EXCH, ATOM_CAS ->
          atomic(opcode, i, i.offsetAtomic(), i.dstAtomic());
      default -> throw new AssertionError(opcode);
    }
  }

  // ---- addresses ----

  private void generic(Instruction i, int offset) {
    if (i.bit(58)) {
      lane.pushPair(i.src1());
      code.loadConstant((long) offset).ladd();
    } else {
      lane.pushRegister(i.src1());
      code.loadConstant(offset).iadd().i2l().loadConstant(0xffff_ffffL).land();
    }
    code.lstore(address);
  }

  private void near(Instruction i) {
    lane.pushRegister(i.src1());
    code.loadConstant(i.offset24()).iadd().i2l().loadConstant(0xffff_ffffL).land();
    code.lstore(address);
  }

  private void align(int bytes) {
    code.lload(address).loadConstant(bytes);
    operands.call(MEMORY, "align", "(JI)V");
  }

  /** One of the address spaces: what is pushed before a value, and what is called. */
  private sealed interface SpaceEmitter {
    /** The type of the object that is called. */
    Class<?> type();

    /** Name of the load. */
    String load();

    /** Name of the store. */
    String store();

    /** Descriptor of the arguments before the value. */
    String arguments();
  }

  private record Generic(int site) implements SpaceEmitter {
    @Override
    public Class<?> type() {
      return MEMORY;
    }

    @Override
    public String load() {
      return "load";
    }

    @Override
    public String store() {
      return "store";
    }

    @Override
    public String arguments() {
      return "IIJ";
    }
  }

  private record Shared() implements SpaceEmitter {
    @Override
    public Class<?> type() {
      return SHARED;
    }

    @Override
    public String load() {
      return "load";
    }

    @Override
    public String store() {
      return "store";
    }

    @Override
    public String arguments() {
      return "I";
    }
  }

  private record Local() implements SpaceEmitter {
    @Override
    public Class<?> type() {
      return MEMORY;
    }

    @Override
    public String load() {
      return "loadLocal";
    }

    @Override
    public String store() {
      return "storeLocal";
    }

    @Override
    public String arguments() {
      return "II";
    }
  }

  /** Pushes the object and the arguments of an access. */
  private void push(SpaceEmitter space, int offset) {
    switch (space) {
      case Generic generic -> {
        code.aload(lane.memory()).loadConstant(generic.site()).iload(lane.thread());
        pushAddress(offset);
      }
      case Shared _ -> {
        code.aload(lane.shared());
        pushAddress(offset);
        code.l2i();
      }
      case Local _ -> {
        code.aload(lane.memory()).iload(lane.thread());
        pushAddress(offset);
        code.l2i();
      }
    }
  }

  private void pushAddress(int offset) {
    code.lload(address);
    if (offset != 0) {
      code.loadConstant((long) offset).ladd();
    }
  }

  private void callLoad(SpaceEmitter space, int bits) {
    operands.callOn(space.type(), space.load() + bits, "(" + space.arguments() + ")I");
  }

  private void load(Instruction i, SpaceEmitter space) {
    switch (i.accessSize()) {
      case AccessSize.U8, AccessSize.S8 -> {
        push(space, 0);
        callLoad(space, 8);
        if (i.accessSize() == AccessSize.S8) {
          code.i2b();
        }
        lane.popRegister(i.dst());
      }
      case AccessSize.U16, AccessSize.S16 -> {
        push(space, 0);
        callLoad(space, 16);
        if (i.accessSize() == AccessSize.S16) {
          code.i2s();
        }
        lane.popRegister(i.dst());
      }
      default -> loadWords(i, space);
    }
  }

  private void loadPair(PairedLoad pair) {
    Instruction first = pair.first();
    Instruction second = pair.second();
    int secondAddress = code.allocateLocal(TypeKind.LONG);
    generic(second, second.imm32());
    code.lload(address).lstore(secondAddress);
    if (first.form() == Opcode.LDS) {
      near(first);
      load(first, new Shared());
    } else {
      generic(first, first.imm32());
      load(first, new Generic(pool.newSite()));
    }
    code.lload(secondAddress).lstore(address);
    load(second, new Generic(pool.newSite()));
  }

  private void loadWords(Instruction i, SpaceEmitter space) {
    int bytes = AccessSize.bytes(i.accessSize());
    if (bytes > WORD_BYTES) {
      align(bytes);
    }
    for (int done = 0; done < bytes; done += WORD_BYTES) {
      push(space, done);
      callLoad(space, 32);
      lane.popRegister(part(i, done));
    }
  }

  private static int part(Instruction i, int done) {
    boolean none = i.dst() == Instruction.RZ;
    return none ? Instruction.RZ : Math.min(Instruction.RZ, i.dst() + done / WORD_BYTES);
  }

  private void store(Instruction i, SpaceEmitter space) {
    int bytes = AccessSize.bytes(i.accessSize());
    if (bytes > WORD_BYTES) {
      align(bytes);
    }
    for (int done = 0; done < bytes; done += WORD_BYTES) {
      push(space, done);
      lane.pushRegister(part(i, done));
      int bits = Math.min(bytes, WORD_BYTES) * Byte.SIZE;
      operands.callOn(space.type(), space.store() + bits, "(" + space.arguments() + "I)V");
    }
  }

  /** A load that first tries the window that it keeps. */
  private void loadFromWindow(Instruction i) {
    WindowLocals window = lane.window(i);
    int bytes = AccessSize.bytes(i.accessSize());
    window.pushContains(address, bytes);
    code.ifThenElse(
        inside -> {
          if (bytes == WORD_BYTES) {
            window.pushPlace(address, 0);
            operands.call(MEMORY, "read32", "(Ljava/lang/foreign/MemorySegment;J)I");
            lane.popRegister(i.dst());
            return;
          }
          for (int done = 0; done < bytes; done += PAIR_BYTES) {
            window.pushPlace(address, done);
            operands.call(MEMORY, "read64", "(Ljava/lang/foreign/MemorySegment;J)J");
            lane.popPair(part(i, done));
          }
        },
        outside -> {
          loadWords(i, new Generic(window.site()));
          readAgain(window);
        });
  }

  /** A store that first tries the window that it keeps. */
  private void storeToWindow(Instruction i) {
    WindowLocals window = lane.window(i);
    int bytes = AccessSize.bytes(i.accessSize());
    window.pushContains(address, bytes);
    code.ifThenElse(
        inside -> {
          if (bytes == WORD_BYTES) {
            window.pushPlace(address, 0);
            lane.pushRegister(i.dst());
            operands.call(MEMORY, "write32", "(Ljava/lang/foreign/MemorySegment;JI)V");
            return;
          }
          for (int done = 0; done < bytes; done += PAIR_BYTES) {
            window.pushPlace(address, done);
            lane.pushPair(part(i, done));
            operands.call(MEMORY, "write64", "(Ljava/lang/foreign/MemorySegment;JJ)V");
          }
        },
        outside -> {
          store(i, new Generic(window.site()));
          readAgain(window);
        });
  }

  /**
   * The window may be another one now. In a segment that each lane goes through once the old one
   * stays until the segment runs again: so it is known not to change while lanes take turns.
   */
  private void readAgain(WindowLocals window) {
    if (lane.isLoop()) {
      window.read();
    }
  }

  /**
   * A load that leaves it to the array whether there is such a word. Where there is none the lane
   * is interpreted, to find out what is wrong.
   */
  private void loadSharedWord(Instruction i) {
    code.aload(lane.sharedWords());
    pushWordNumber(i.src1());
    if (i.offset24() != 0) {
      code.loadConstant(i.offset24() / WORD_BYTES).iadd();
    }
    code.iaload();
    lane.popRegister(i.dst());
  }

  /**
   * Pushes the number of the word in shared memory that a register is the address of. Of one that
   * is not aligned the two bits come before all that a number has: it is beyond all words, and so
   * far below 2^32 that it is with any offset added.
   */
  private void pushWordNumber(int register) {
    lane.pushRegister(register);
    code.iconst_2().iushr();
    lane.pushRegister(register);
    code.iconst_3().iand().bipush(UNALIGNED_BIT).ishl().ior();
  }

  private void storeSharedWord(Instruction i) {
    pushIsSharedWord();
    code.ifThenElse(
        inside -> {
          code.aload(lane.sharedWords()).iload(word);
          lane.pushRegister(i.dst());
          code.iastore();
        },
        outside -> store(i, new Shared()));
  }

  /**
   * Pushes 1 if the address is that of a word in shared memory, otherwise 0. Turned by two bits it
   * is the word's number, or a very large one if it is not aligned: one comparison for both.
   */
  private void pushIsSharedWord() {
    code.lload(address).l2i().iconst_2();
    operands.callInteger("rotateRight", "(II)I");
    code.istore(word);
    code.iload(word).aload(lane.sharedWords()).arraylength();
    operands.callInteger("compareUnsigned", "(II)I");
    code.ifThenElse(java.lang.classfile.Opcode.IFLT, CodeBuilder::iconst_1, CodeBuilder::iconst_0);
  }

  private void loadConstant(Instruction i) {
    lane.pushRegister(i.src1());
    code.loadConstant(i.loadOffset()).iadd().i2l().loadConstant(0xffff_ffffL).land();
    code.lstore(address);
    int bytes = AccessSize.bytes(i.accessSize());
    if (bytes > 1) {
      align(bytes);
    }
    for (int done = 0; done < bytes; done += WORD_BYTES) {
      code.aload(lane.constants()).loadConstant(i.loadBank());
      pushAddress(done);
      code.l2i();
      int bits = Math.min(bytes, WORD_BYTES) * Byte.SIZE;
      operands.callOn(CONSTANTS, "load" + bits, "(II)I");
      switch (i.accessSize()) {
        case AccessSize.S8 -> code.i2b();
        case AccessSize.S16 -> code.i2s();
        default -> {}
      }
      lane.popRegister(part(i, done));
    }
  }

  private void lock(String method, String descriptor) {
    code.aload(lane.shared()).lload(address).l2i();
    operands.callOn(SHARED, method, descriptor);
  }

  private void atomic(Opcode opcode, Instruction i, int offset, int target) {
    generic(i, offset);
    code.aload(lane.memory()).loadConstant(i.word()).lload(address);
    boolean compares = opcode == Opcode.ATOM_CAS;
    if (AtomicMath.isWide(opcode, i)) {
      lane.pushPair(i.dst());
      lane.pushPair(compares ? i.src3() : Instruction.RZ);
      operands.callOn(MEMORY, "atomic64", "(JJJJ)J");
      lane.popPair(target);
    } else {
      lane.pushRegister(i.dst());
      lane.pushRegister(compares ? i.src3() : Instruction.RZ);
      operands.callOn(MEMORY, "atomic32", "(JJII)I");
      lane.popRegister(target);
    }
  }
}

package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.decode.Effects;
import io.sluice.gpu.sm.isa.AccessSize;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.jit.plan.Liveness;
import io.sluice.gpu.sm.jit.plan.Segment;
import io.sluice.gpu.sm.jit.plan.Step;
import io.sluice.gpu.sm.math.ConversionMath;
import io.sluice.gpu.sm.memory.BlockMemory;
import io.sluice.gpu.sm.memory.ConstantMemory;
import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.warp.Warp;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The state of a lane as local variables of a segment's method: its registers, and what else a
 * register stands in as well. Its predicates and condition code are {@link LaneFlags}.
 */
final class LaneState {
  private static final ClassDesc CONTEXT = HostClass.of(LaneContext.class);
  private static final ClassDesc WARP = HostClass.of(Warp.class);
  private static final ClassDesc MEMORY = HostClass.of(LaneMemory.class);
  private static final ClassDesc SHARED = HostClass.of(BlockMemory.class);
  private static final ClassDesc CONSTANTS = HostClass.of(ConstantMemory.class);
  private static final ClassDesc INTS = ConstantDescs.CD_int.arrayType();
  private static final ClassDesc FLOAT = ClassDesc.of("java.lang.Float");
  private static final ClassDesc DOUBLE = ClassDesc.of("java.lang.Double");
  private static final MethodTypeDesc TO_DOUBLE = MethodTypeDesc.ofDescriptor("(J)D");
  private static final MethodTypeDesc TO_FLOAT = MethodTypeDesc.ofDescriptor("(I)F");
  private static final MethodTypeDesc COUNT_ZEROS = MethodTypeDesc.ofDescriptor("(I)I");
  private static final int WARP_ARGUMENT = 1;

  private final CodeBuilder code;
  private final OperandPool pool;
  private final Segment segment;
  private final Liveness liveness;
  private final int lane;
  private final int at;
  private final int thread;
  private final int memory;
  private final int shared;
  private final int sharedWords;
  private final int constants;
  private final int registers;
  private final int[] registerSlots = new int[Instruction.RZ];
  private final LaneFlags flags;

  private final Map<Integer, Integer> constantSlots = new HashMap<>();

  /** Registers that stand in a local variable of type float as well. */
  private final Map<Integer, Integer> floatSlots = new HashMap<>();

  /** Those that have not changed since. */
  private final Set<Integer> floats = new HashSet<>();

  /** Pairs of registers that stand in a local variable of type double as well. */
  private final Map<Integer, Integer> doubleSlots = new HashMap<>();

  /** Those that have not changed since. */
  private final Set<Integer> doubles = new HashSet<>();

  private final Map<Instruction, WindowLocals> windows = new IdentityHashMap<>();

  /** Results of instructions that were executed once for all lanes. */
  private final OnceResults once;

  private long used;
  private long written;

  LaneState(CodeBuilder code, Segment segment, OperandPool pool, Liveness liveness) {
    this.code = code;
    this.pool = pool;
    this.segment = segment;
    this.liveness = liveness;
    lane = code.allocateLocal(TypeKind.INT);
    at = code.allocateLocal(TypeKind.INT);
    thread = code.allocateLocal(TypeKind.INT);
    memory = code.allocateLocal(TypeKind.REFERENCE);
    shared = code.allocateLocal(TypeKind.REFERENCE);
    sharedWords = code.allocateLocal(TypeKind.REFERENCE);
    constants = code.allocateLocal(TypeKind.REFERENCE);
    registers = code.allocateLocal(TypeKind.REFERENCE);
    flags = new LaneFlags(code, segment, liveness, lane);
    once = new OnceResults(code);
    gather();
  }

  private void gather() {
    for (Instruction i : segment.instructions()) {
      Effects effects = Effects.of(i.form(), i);
      used |= effects.reads() | effects.writes();
      written |= effects.writes();
    }
    for (int r = 0; r < Instruction.RZ; r++) {
      registerSlots[r] = (used >>> r & 1) != 0 ? code.allocateLocal(TypeKind.INT) : -1;
    }
  }

  /** Its predicates and condition code. */
  LaneFlags flags() {
    return flags;
  }

  /** The number of the lane. */
  int lane() {
    return lane;
  }

  /** Offset of the instruction that may fault. */
  int at() {
    return at;
  }

  /** The number of the lane's thread in its block. */
  int thread() {
    return thread;
  }

  int memory() {
    return memory;
  }

  int shared() {
    return shared;
  }

  /** The words of shared memory. */
  int sharedWords() {
    return sharedWords;
  }

  int constants() {
    return constants;
  }

  // ---- around the body ----

  /** Loads registers of the first lane, for instructions that are executed once for all. */
  void loadFirst(List<Integer> inputs, int lanes) {
    code.iload(lanes).invokestatic(ConstantDescs.CD_Integer, "numberOfTrailingZeros", COUNT_ZEROS);
    code.istore(lane);
    for (int r : inputs) {
      element(registers, r).iaload().istore(registerSlots[r]);
    }
  }

  /** Puts the results of such an instruction aside. */
  void keepOnce(Instruction i, int pc) {
    once.keep(i, pc, registerSlots, flags.slots());
  }

  /** What was put aside becomes the lane's, if the instruction at an offset was executed once. */
  boolean popOnce(int pc) {
    return once.pop(pc, this);
  }

  /** Forgets what registers stand in other local variables as well: those are the first lane's. */
  void forgetKept() {
    floats.clear();
    doubles.clear();
  }

  /** What is the same for all lanes. */
  void prepare() {
    field(memory, "memory", MEMORY);
    field(shared, "shared", SHARED);
    code.aload(shared).getfield(SHARED, "words", INTS).astore(sharedWords);
    field(constants, "constants", CONSTANTS);
    code.aload(WARP_ARGUMENT).getfield(WARP, "registers", INTS).astore(registers);
    flags.prepare();
    for (Instruction i : segment.instructions()) {
      if (keepsWindow(i)) {
        WindowLocals window = new WindowLocals(code, memory, pool.newSite());
        windows.put(i, window);
        window.read();
      }
      if (usesConstant(i)) {
        if (isWideConstant(i)) {
          prepareConstant(i.constBank(), i.constOffsetWide());
          prepareConstant(i.constBank(), i.constOffsetWide() + Integer.BYTES);
        } else {
          prepareConstant(i.constBank(), i.constOffset());
        }
      }
    }
  }

  /** Whether an instruction accesses words of generic memory. */
  private static boolean keepsWindow(Instruction i) {
    return switch (i.form()) {
      case LD, LDU, ST -> i.accessSize() >= AccessSize.B32;
      default -> false;
    };
  }

  /** The window of an instruction that keeps one. */
  WindowLocals window(Instruction i) {
    WindowLocals window = windows.get(i);
    if (window == null) {
      throw new AssertionError("no window, word=0x" + Long.toHexString(i.word()));
    }
    return window;
  }

  /** Reads all windows again. */
  void readWindows() {
    windows.values().forEach(WindowLocals::read);
  }

  private void field(int slot, String name, ClassDesc type) {
    code.aload(0).getfield(CONTEXT, name, type).astore(slot);
  }

  /** Whether an operand is a constant in its own place: not those of loads and of 32-bit forms. */
  private static boolean usesConstant(Instruction i) {
    boolean arithmetic =
        switch (i.group()) {
          case 0, 1, 3, 4 -> true;
          default -> false;
        };
    boolean mode = i.mode() == Instruction.CONST_SECOND || i.mode() == Instruction.CONST_THIRD;
    return arithmetic && mode && hasSecond(i);
  }

  private static boolean hasSecond(Instruction i) {
    return switch (i.form()) {
      case MUFU, S2R, PSETP, PSET, CSETP, CSET, NOP, LEPC, VOTE, BAR -> false;
      case VADD, VMNMX, VABSDIFF, VSET, VSHR, VSHL, VMAD, VSETP -> false;
      default -> true;
    };
  }

  /** Whether the constant is 64 bits. */
  private static boolean isWideConstant(Instruction i) {
    return switch (i.form()) {
      case DADD, DMUL, DFMA, DMNMX, DSETP, DSET -> true;
      case F2F, F2I, I2F, I2I -> ConversionMath.readsPair(i);
      default -> false;
    };
  }

  private void prepareConstant(int bank, int offset) {
    int index = pool.indexOf(bank, offset);
    if (constantSlots.containsKey(index)) {
      return;
    }
    int slot = code.allocateLocal(TypeKind.INT);
    constantSlots.put(index, slot);
    code.aload(0).getfield(CONTEXT, "pool", INTS).loadConstant(index).iaload().istore(slot);
  }

  /** Loads a lane's state. */
  void load() {
    code.aload(WARP_ARGUMENT).iload(lane);
    code.invokevirtual(
        WARP, "thread", MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int));
    code.istore(thread);
    long live = liveness.registersBefore(segment.pc());
    for (int r = 0; r < Instruction.RZ; r++) {
      if (registerSlots[r] < 0) {
        continue;
      }
      if ((live >>> r & 1) != 0) {
        element(registers, r).iaload().istore(registerSlots[r]);
      } else {
        code.iconst_0().istore(registerSlots[r]);
      }
    }
    flags.load();
  }

  private CodeBuilder element(int array, int register) {
    return code.aload(array).iload(lane).loadConstant(register * Warp.LANES).iadd();
  }

  /** Stores what the body may have written and somebody may read. */
  void store() {
    int end = segment.pc() + (segment.instructions().size() - 1) * Instruction.BYTES;
    long live = liveness.registersAfter(end);
    for (int r = 0; r < Instruction.RZ; r++) {
      if ((written & live & 1L << r) != 0) {
        element(registers, r).iload(registerSlots[r]).iastore();
      }
    }
    flags.store();
  }

  // ---- registers ----

  void pushRegister(int register) {
    if (register == Instruction.RZ) {
      code.iconst_0();
    } else {
      code.iload(registerSlots[register]);
    }
  }

  /** Pushes a pair as a long. */
  void pushPair(int register) {
    if (register == Instruction.RZ) {
      code.lconst_0();
      return;
    }
    pushRegister(register);
    code.i2l().loadConstant(0xffff_ffffL).land();
    pushRegister(register + 1);
    code.i2l().bipush(32).lshl().lor();
  }

  /** Stores the int on the stack. */
  void popRegister(int register) {
    if (register == Instruction.RZ) {
      code.pop();
    } else {
      code.istore(registerSlots[register]);
      floats.remove(register);
      doubles.remove(register);
      doubles.remove(register - 1);
    }
  }

  /**
   * Stores the float on the stack aside, for the register that is going to hold its bits. A sum of
   * many terms so stays a float; what NaN it is shows in the register only.
   */
  void keepFloat(int register) {
    code.fstore(floatSlots.computeIfAbsent(register, _ -> code.allocateLocal(TypeKind.FLOAT)));
  }

  /** The register now holds the bits of the float that was kept for it. */
  void hasFloat(int register) {
    floats.add(register);
  }

  /** Pushes a register as a float. */
  void pushFloat(int register) {
    Integer slot = floatSlots.get(register);
    if (slot != null && floats.contains(register)) {
      code.fload(slot);
    } else {
      pushRegister(register);
      code.invokestatic(FLOAT, "intBitsToFloat", TO_FLOAT);
    }
  }

  /** Stores the double on the stack aside, for the pair that is going to hold its bits. */
  void keepDouble(int register) {
    code.dstore(doubleSlots.computeIfAbsent(register, _ -> code.allocateLocal(TypeKind.DOUBLE)));
  }

  /** The pair now holds the bits of the double that was kept for it. */
  void hasDouble(int register) {
    doubles.add(register);
  }

  /** Pushes a pair as a double. */
  void pushDouble(int register) {
    Integer slot = doubleSlots.get(register);
    if (slot != null && doubles.contains(register)) {
      code.dload(slot);
    } else {
      pushPair(register);
      code.invokestatic(DOUBLE, "longBitsToDouble", TO_DOUBLE);
    }
  }

  /** Whether a lane goes through the segment several times in a row. */
  boolean isLoop() {
    return segment.kind() == Step.Kind.LOOP;
  }

  /** Whether a lane may go through the segment again, having changed nothing but registers. */
  boolean isRepeatable() {
    return segment.instructions().stream().noneMatch(i -> i.form() == Opcode.STL);
  }

  /** Stores the long on the stack. */
  void popPair(int register) {
    if (register == Instruction.RZ) {
      code.pop2();
      return;
    }
    code.dup2().l2i();
    popRegister(register);
    code.bipush(32).lushr().l2i();
    popRegister(register + 1);
  }

  /** Pushes a constant whose place is in the instruction. */
  void pushConstant(int bank, int offset) {
    Integer slot = constantSlots.get(pool.indexOf(bank, offset));
    if (slot == null) {
      throw new AssertionError("a constant was not prepared, bank=" + bank + ", offset=" + offset);
    }
    code.iload(slot);
  }
}

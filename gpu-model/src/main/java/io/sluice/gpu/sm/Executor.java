package io.sluice.gpu.sm;

import org.jspecify.annotations.Nullable;

/** Executes one instruction of one warp. */
final class Executor {
  private static final int WORD_BYTES = 8;

  private final Grid grid;
  private final SmMemory memory;
  private final Operands operands;
  private final IntegerUnit integers;
  private final FloatUnit floats;
  private final PredicateUnit predicates;
  private final ConversionUnit conversions;
  private final MemoryUnit memoryUnit;
  private final ControlUnit control;
  private final ProgramCache program = new ProgramCache();
  private long clock;

  Executor(Grid grid, SmMemory memory, BlockMemory blockMemory) {
    this.grid = grid;
    this.memory = memory;
    this.operands = new Operands(grid, memory);
    this.integers = new IntegerUnit(operands);
    this.floats = new FloatUnit(operands);
    this.predicates = new PredicateUnit(operands, integers, floats);
    this.conversions = new ConversionUnit(operands);
    this.memoryUnit = new MemoryUnit(grid, memory, blockMemory, operands);
    this.control = new ControlUnit(operands);
  }

  /** Fetches, executes and goes on to the next instruction. */
  void step(Block block, Warp w) {
    clock++;
    if ((w.pc & WORD_BYTES - 1) != 0) {
      throw new WarpFault(WarpError.INVALID_OPCODE, w.pc);
    }
    Instruction i = program.at(w.pc, memory, grid.program());
    Opcode opcode = i.opcode();
    if (opcode == null) {
      throw new WarpFault(WarpError.INVALID_OPCODE, w.pc);
    }
    int lanes = w.active & holding(i, w);
    w.pc += WORD_BYTES;
    if (i.word() << 61 >>> 61 == 7) {
      control.execute(opcode, i, w, lanes);
    } else {
      RegisterCheck.check(opcode, i, grid.registers());
      execute(opcode, i, block, w, lanes);
    }
    if (i.join()) {
      w.join(lanes);
    }
    w.resumeIfIdle();
  }

  /** The lanes whose predicate holds. */
  private static int holding(Instruction i, Warp w) {
    int p = i.predicate();
    boolean negated = i.predicateNegated();
    if (p == Instruction.PT) {
      return negated ? 0 : -1;
    }
    int mask = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      mask |= w.predicate(p, lane) != negated ? 1 << lane : 0;
    }
    return mask;
  }

  private void execute(Opcode opcode, Instruction i, Block block, Warp w, int lanes) {
    switch (opcode) {
      case NOP, MEMBAR, CCTL, CCTLL -> {}
      case BAR -> barrier(i, block, w, lanes);
      case VOTE -> vote(i, w, lanes);
      default -> {
        for (int rest = lanes; rest != 0; rest &= rest - 1) {
          executeLane(opcode, i, block, w, Integer.numberOfTrailingZeros(rest));
        }
      }
    }
  }

  private void executeLane(Opcode opcode, Instruction i, Block block, Warp w, int lane) {
    switch (opcode) {
      case IADD,
          IADD32I,
          IMUL,
          IMUL32I,
          IMAD,
          IMAD32I,
          ISCADD,
          ISCADD32I,
          SHL,
          SHR,
          LOP,
          LOP32I,
          IMNMX,
          ICMP,
          ISAD,
          BFE,
          BFI,
          FLO,
          POPC,
          PRMT ->
          integers.execute(opcode, i, w, lane);
      case FADD,
          FADD32I,
          FMUL,
          FMUL32I,
          FFMA,
          FFMA32I,
          FMNMX,
          FCMP,
          RRO,
          MUFU,
          DADD,
          DMUL,
          DFMA,
          DMNMX ->
          floats.execute(opcode, i, w, lane);
      case ISETP, FSETP, DSETP, PSETP, CSETP, ISET, FSET, DSET, PSET, CSET, SEL, P2R, R2P ->
          predicates.execute(opcode, i, w, lane);
      case F2F, F2I, I2F, I2I, MOV, MOV32I -> conversions.execute(opcode, i, w, lane);
      case S2R ->
          w.set(i.dst(), lane, SpecialRegister.read(i.bits(33, 26), grid, block, w, lane, clock));
      case LEPC -> w.set(i.dst(), lane, w.pc);
      default -> memoryUnit.execute(opcode, i, w, lane);
    }
  }

  /**
   * BAR: arrives; all forms but {@code arrive} also wait. What a reducing form gives is read when
   * the warp runs on, so the instruction is executed in two halves: the warp stays at it until the
   * barrier lets it go.
   */
  private void barrier(Instruction i, Block block, Warp w, int lanes) {
    if (lanes == 0) {
      return;
    }
    int operation = i.bits(7, 5);
    int lane = Integer.numberOfTrailingZeros(lanes);
    int id = i.bit(47) ? i.src1() & 0xf : w.get(i.src1(), lane);
    int threads = i.bit(46) ? i.bits(37, 26) : w.get(i.src2(), lane);
    if (id < 0 || id >= Grid.MAX_BARRIERS || threads < 0 || threads > Grid.MAX_THREADS) {
      throw new WarpFault(WarpError.INVALID_PARAM, id);
    }
    int yes = 0;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int n = Integer.numberOfTrailingZeros(rest);
      yes |= PredicateUnit.source3(i, w, n) ? 1 << n : 0;
    }
    block.resetVotes(id);
    block.arrive(id, threads, lanes, yes);
    if (operation == 4) {
      return;
    }
    w.waitAt(id, () -> reduced(i, block, w, lanes, id, operation));
  }

  private static void reduced(
      Instruction i, Block block, Warp w, int lanes, int id, int operation) {
    int value = block.reduction(id, operation);
    int predicate = i.bits(55, 53);
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      w.set(i.dst(), lane, operation == 0 ? value : value == 0 ? 0 : -1);
      w.setPredicate(predicate, lane, value != 0);
    }
  }

  /** VOTE: the ballot of the active lanes, and whether all, any or uniformly they hold. */
  private static void vote(Instruction i, Warp w, int lanes) {
    int ballot = 0;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      ballot |= w.predicate(i.bits(22, 20), lane) != i.bit(23) ? 1 << lane : 0;
    }
    boolean result =
        switch (i.bits(6, 5)) {
          case 0 -> ballot == lanes;
          case 1 -> ballot != 0;
          case 2 -> ballot == lanes || ballot == 0;
          default -> throw new WarpFault(WarpError.INVALID_OPCODE);
        };
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      w.set(i.dst(), lane, ballot);
      w.setPredicate(i.bits(56, 54), lane, result);
    }
  }

  /** Instructions already decoded, by their offset; a program does not change while it runs. */
  private static final class ProgramCache {
    private static final int MAX_INSTRUCTIONS = 1 << 16;

    private final java.util.Map<Integer, Instruction> decoded = new java.util.HashMap<>();

    Instruction at(int pc, SmMemory memory, long base) {
      @Nullable Instruction known = decoded.get(pc);
      if (known != null) {
        return known;
      }
      Instruction fresh = Instruction.decode(memory.load64(base + Integer.toUnsignedLong(pc)));
      if (decoded.size() < MAX_INSTRUCTIONS) {
        decoded.put(pc, fresh);
      }
      return fresh;
    }
  }
}

package io.sluice.gpu.sm;

/** Executes one instruction of one warp. */
final class Stepper {
  private final Program program;
  private final IntegerUnit integers;
  private final FloatUnit floats;
  private final PredicateUnit predicates;
  private final ConversionUnit conversions;
  private final MemoryUnit memoryUnit;
  private final ControlUnit control;
  private long clock;

  Stepper(Grid grid, LaneMemory memory) {
    Operands operands = new Operands(memory.constants());
    this.program = new Program(memory.global(), grid);
    this.integers = new IntegerUnit(operands);
    this.floats = new FloatUnit(operands);
    this.predicates = new PredicateUnit(operands, integers, floats);
    this.conversions = new ConversionUnit(operands);
    this.memoryUnit = new MemoryUnit(memory);
    this.control = new ControlUnit(memory.constants());
  }

  /** Fetches, executes and goes on to the next instruction. */
  void step(Block block, Warp w) {
    clock++;
    Instruction i = program.at(w.pc);
    Opcode opcode = i.form();
    int lanes = ControlUnit.holding(i, w);
    w.pc += Instruction.BYTES;
    if (ControlUnit.isFor(opcode, i)) {
      control.execute(opcode, i, block, w, lanes);
    } else {
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        executeLane(opcode, i, block, w, Integer.numberOfTrailingZeros(rest));
      }
    }
    if (i.join()) {
      w.join(lanes);
    }
    w.resumeIfIdle();
  }

  /** Executes an instruction for one lane whose predicate holds. */
  void executeLane(Opcode opcode, Instruction i, Block block, Warp w, int lane) {
    switch (opcode) {
      case NOP, MEMBAR, CCTL, CCTLL -> {}
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
      case S2R -> w.set(i.dst(), lane, SpecialRegister.read(i.bits(33, 26), block, w, lane, clock));
      case LEPC -> w.set(i.dst(), lane, w.pc);
      default -> memoryUnit.execute(opcode, i, w, lane);
    }
  }
}

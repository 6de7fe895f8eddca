package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.decode.Program;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.warp.Block;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.SpecialRegister;
import io.sluice.gpu.sm.warp.Warp;

/** The executor of one instruction of one warp. */
public final class Stepper {
  private final Program program;
  private final IntegerUnit integers;
  private final FloatUnit floats;
  private final PredicateUnit predicates;
  private final ConversionUnit conversions;
  private final MemoryUnit memoryUnit;
  private final ImageUnit images;
  private final ControlUnit control;
  private long clock;

  public Stepper(Grid grid, LaneMemory memory) {
    Operands operands = new Operands(memory.constants());
    this.program = new Program(memory.global(), grid);
    this.integers = new IntegerUnit(operands);
    this.floats = new FloatUnit(operands);
    this.predicates = new PredicateUnit(operands, integers, floats);
    this.conversions = new ConversionUnit(operands);
    this.memoryUnit = new MemoryUnit(memory);
    this.images = new ImageUnit(grid, memory.global());
    this.control = new ControlUnit(memory.constants());
  }

  /** The program as this worker reads it. */
  public Program program() {
    return program;
  }

  /** Fetches, executes and goes on to the next instruction. */
  public void step(Block block, Warp w) {
    clock++;
    Instruction i = program.at(w.pc);
    Opcode opcode = i.form();
    int lanes = ControlUnit.holding(i, w);
    w.pc += Instruction.BYTES;
    if (ControlUnit.isFor(opcode)) {
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
  public void executeLane(Opcode opcode, Instruction i, Block block, Warp w, int lane) {
    switch (opcode.family()) {
      case NOTHING -> {}
      case INTEGER -> integers.execute(opcode, i, w, lane);
      case FLOAT -> floats.execute(opcode, i, w, lane);
      case PREDICATE -> predicates.execute(opcode, i, w, lane);
      case MOVE -> move(opcode, i, block, w, lane);
      case MEMORY -> memoryUnit.execute(opcode, i, w, lane);
      case IMAGE -> images.execute(opcode, i, w, lane);
      case CONTROL -> throw new AssertionError(opcode);
    }
  }

  private void move(Opcode opcode, Instruction i, Block block, Warp w, int lane) {
    switch (opcode) {
      case S2R -> w.set(i.dst(), lane, SpecialRegister.read(i.bits(33, 26), block, w, lane, clock));
      case LEPC -> w.set(i.dst(), lane, w.pc);
      default -> conversions.execute(opcode, i, w, lane);
    }
  }
}

package io.sluice.gpu.sm.jit.plan;

import io.sluice.gpu.sm.interpret.ControlUnit;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The division of a program into steps.
 *
 * <p>Lanes of a warp execute together. A compiled segment executes them one after the other, which
 * comes to the same unless one lane can see in memory what another has stored. So a segment ends
 * before a store that follows a load or a store, and before a load that follows a store; atomics
 * and locks stand alone. Local memory belongs to a lane, and constants do not change.
 *
 * <p>What an SSY does is done for the warp after the segment it is in: no lane notices.
 *
 * <p>A block that branches to its own start and stores nothing becomes a loop of each lane.
 */
public final class Planner {
  private final ProgramImage image;
  private final int longest;
  private final List<Step> steps = new ArrayList<>();
  private final List<Segment> segments = new ArrayList<>();
  private final List<Instruction> open = new ArrayList<>();
  private int openPc;
  private boolean loads;
  private boolean stores;
  private final List<Integer> tokens = new ArrayList<>();

  /**
   * @param longest most instructions of a segment
   */
  public Planner(ProgramImage image, int longest) {
    this.image = image;
    this.longest = longest;
  }

  /** The steps, in the order of their offsets. */
  public List<Step> steps() {
    return steps;
  }

  /** The segments, by number. */
  public List<Segment> segments() {
    return segments;
  }

  public Planner plan() {
    int expected = -1;
    for (Map.Entry<Integer, Instruction> entry : image.instructions().entrySet()) {
      int pc = entry.getKey();
      if (pc != expected || image.leaders().contains(pc)) {
        close(Step.Kind.SEGMENT);
      }
      add(pc, entry.getValue());
      expected = pc + Instruction.BYTES;
    }
    close(Step.Kind.SEGMENT);
    return this;
  }

  private void add(int pc, Instruction i) {
    Opcode opcode = i.form();
    if (isToken(i)) {
      append(pc, i);
      tokens.add(ProgramImage.target(i, pc));
      if (open.size() == longest) {
        close(Step.Kind.SEGMENT);
      }
      return;
    }
    if (isPlainBranch(opcode, i) && !open.isEmpty()) {
      append(pc, i);
      boolean backToStart = ProgramImage.target(i, pc) == openPc;
      boolean loop = backToStart && !stores && !isAlone() && tokens.isEmpty();
      close(loop ? Step.Kind.LOOP : Step.Kind.BRANCH);
      return;
    }
    boolean joinsAlone = opcode == Opcode.NOP && i.join() && open.isEmpty();
    if (ControlUnit.isFor(opcode) || joinsAlone) {
      close(Step.Kind.SEGMENT);
      addControl(pc, i);
      return;
    }
    if (endsBefore(opcode)) {
      close(Step.Kind.SEGMENT);
    }
    append(pc, i);
    if (i.join()) {
      close(Step.Kind.JOIN);
    } else if (standsAlone(opcode) || open.size() == longest) {
      close(Step.Kind.SEGMENT);
    }
  }

  /** Whether an instruction pushes a token for lanes to meet, and does nothing else. */
  public static boolean isToken(Instruction i) {
    return i.form() == Opcode.SSY && !i.bit(14) && !i.join();
  }

  /** A relative branch that each lane takes for itself. */
  private static boolean isPlainBranch(Opcode opcode, Instruction i) {
    return opcode == Opcode.BRA && !i.bit(14) && !i.bit(15);
  }

  private boolean isAlone() {
    return open.stream().anyMatch(i -> standsAlone(i.form()));
  }

  private boolean endsBefore(Opcode opcode) {
    return switch (opcode) {
      case LD, LDU, LDS, LDS_LDU, LD_LDU, TEX, TLD, TLD4, SULD -> stores;
      case ST, STS, SUST, SUST_P -> loads || stores;
      default -> standsAlone(opcode);
    };
  }

  private static boolean standsAlone(Opcode opcode) {
    return switch (opcode) {
      case RED, RED_S32, RED_F32, ATOM, ATOM_S32, ATOM_F32, ATOM_EXCH, ATOM_CAS, LDSLK, STSUL ->
          true;
      default -> false;
    };
  }

  private void append(int pc, Instruction i) {
    if (open.isEmpty()) {
      openPc = pc;
      loads = false;
      stores = false;
    }
    open.add(i);
    switch (i.form()) {
      case LD, LDU, LDS, LDS_LDU, LD_LDU, TEX, TLD, TLD4, SULD -> loads = true;
      case ST, STS, SUST, SUST_P -> stores = true;
      default -> {}
    }
  }

  private void close(Step.Kind kind) {
    if (open.isEmpty()) {
      return;
    }
    int count = open.size();
    int end = openPc + count * Instruction.BYTES;
    if (count == 1 && ControlUnit.isFor(open.getFirst().form())) {
      addControl(openPc, open.getFirst());
    } else {
      Segment segment = new Segment(kind, openPc, open);
      steps.add(new Step(kind, openPc, end, segments.size(), segment.last(), count, tokens));
      segments.add(segment);
    }
    open.clear();
    tokens.clear();
  }

  private void addControl(int pc, Instruction i) {
    int end = pc + Instruction.BYTES;
    steps.add(new Step(Step.Kind.CONTROL, pc, end, -1, i, 1, List.of()));
  }
}

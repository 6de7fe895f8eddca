package io.sluice.gpu.sm.jit.plan;

import io.sluice.gpu.sm.decode.Effects;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The part of a lane's state that may still be read, before and after each instruction: what is not
 * need not be computed or stored. Everything is live where control goes somewhere unknown.
 *
 * <p>Lanes are followed one by one. One that leaves the others (.S, BRK, CONT, RET) may go on at
 * any address that a token of the program names.
 */
public final class Liveness {
  /** Zero and sign of the condition code, as a bit beside those of the predicates. */
  public static final int SIGNS = 1 << 7;

  /** Its carry. */
  public static final int CARRY = 1 << 8;

  /** Its overflow. */
  public static final int OVERFLOW = 1 << 9;

  private static final int CONDITION = SIGNS | CARRY | OVERFLOW;
  private static final long ALL_REGISTERS = (1L << Instruction.RZ) - 1;
  private static final int ALL_FLAGS = (1 << Instruction.PT) - 1 | CONDITION;
  private static final int ALL_LANES = 0xf;

  /** Programs that people write need a few. */
  private static final int MAX_PASSES = 64;

  private final Map<Integer, Integer> indices = new HashMap<>();
  private final List<Instruction> instructions;
  private final List<Integer> offsets;
  private final List<Effects> effects;
  private final List<Integer> tokens = new ArrayList<>();
  private final long[] registersIn;
  private final int[] flagsIn;
  private final long[] registersOut;
  private final int[] flagsOut;
  private boolean tokensUnknown;

  /** What is live at some token, as far as it has been found out. */
  private long tokenRegisters;

  private int tokenFlags;

  /** Computes it for a program. */
  public Liveness(ProgramImage image) {
    instructions = new ArrayList<>(image.instructions().values());
    offsets = new ArrayList<>(image.instructions().keySet());
    effects = instructions.stream().map(i -> Effects.of(i.form(), i)).toList();
    tokensUnknown = image.open();
    int count = instructions.size();
    registersIn = new long[count];
    flagsIn = new int[count];
    registersOut = new long[count];
    flagsOut = new int[count];
    for (int n = 0; n < count; n++) {
      indices.put(offsets.get(n), n);
      addTokens(instructions.get(n), offsets.get(n));
    }
    compute();
  }

  /** Goes backwards until nothing changes; a program made to take long is taken for all live. */
  private void compute() {
    boolean changed = true;
    for (int pass = 0; changed; pass++) {
      if (pass == MAX_PASSES) {
        Arrays.fill(registersIn, ALL_REGISTERS);
        Arrays.fill(registersOut, ALL_REGISTERS);
        Arrays.fill(flagsIn, ALL_FLAGS);
        Arrays.fill(flagsOut, ALL_FLAGS);
        return;
      }
      changed = gatherTokens();
      for (int n = instructions.size() - 1; n >= 0; n--) {
        changed |= flow(n);
      }
    }
  }

  /** Gathers what is live at tokens; says whether that has changed. */
  private boolean gatherTokens() {
    long registers = tokensUnknown ? ALL_REGISTERS : 0;
    int flags = tokensUnknown ? ALL_FLAGS : 0;
    for (int token : tokens) {
      Integer index = indices.get(token);
      registers |= index == null ? ALL_REGISTERS : registersIn[index];
      flags |= index == null ? ALL_FLAGS : flagsIn[index];
    }
    boolean changed = registers != tokenRegisters || flags != tokenFlags;
    tokenRegisters = registers;
    tokenFlags = flags;
    return changed;
  }

  /** Registers live before an instruction, by bit. */
  public long registersBefore(int pc) {
    return registersIn[index(pc)];
  }

  /** Predicates and parts of the condition code live before it. */
  public int flagsBefore(int pc) {
    return flagsIn[index(pc)];
  }

  /** Registers live after an instruction, by bit. */
  public long registersAfter(int pc) {
    return registersOut[index(pc)];
  }

  /** Predicates and parts of the condition code live after it. */
  public int flagsAfter(int pc) {
    return flagsOut[index(pc)];
  }

  private int index(int pc) {
    Integer index = indices.get(pc);
    if (index == null) {
      throw new AssertionError("no instruction, pc=0x" + Integer.toHexString(pc));
    }
    return index;
  }

  private void addTokens(Instruction i, int pc) {
    switch (i.form()) {
      case SSY, PBK, PCNT, PRET -> {
        if (!i.bit(14)) {
          tokens.add(ProgramImage.target(i, pc));
        }
      }
      case CAL, JCAL -> tokens.add(pc + Instruction.BYTES);
      default -> {}
    }
  }

  /** Computes one instruction anew; says whether something changed. */
  private boolean flow(int n) {
    Instruction i = instructions.get(n);
    follow(n, i, offsets.get(n));
    Effects effects = this.effects.get(n);
    long registers = registersOut[n];
    int flags = flagsOut[n];
    if (alwaysWrites(i)) {
      registers &= ~effects.writes();
      flags &= ~(effects.predicateWrites() | (effects.writesCc() ? CONDITION : 0));
    }
    registers |= effects.reads();
    flags |= effects.predicateReads() | conditionReads(i, effects);
    boolean changed = registers != registersIn[n] || flags != flagsIn[n];
    registersIn[n] = registers;
    flagsIn[n] = flags;
    return changed;
  }

  /** Whether every lane that executes it writes all its targets. */
  private static boolean alwaysWrites(Instruction i) {
    if (!i.isAlways()) {
      return false;
    }
    return switch (i.form()) {
      case MOV, MOV32I -> i.bits(8, 5) == ALL_LANES;
      case BAR, R2P -> false;
      default -> true;
    };
  }

  private static int conditionReads(Instruction i, Effects effects) {
    return switch (i.form()) {
      case IADD, IADD32I, IMAD -> effects.readsCc() ? CARRY : 0;
      case ISETP, ISET -> effects.readsCc() ? CARRY | SIGNS : 0;
      case R2P -> ALL_FLAGS;
      default -> effects.readsCc() ? CONDITION : 0;
    };
  }

  /** Gathers what is live where a lane may go on. */
  private void follow(int n, Instruction i, int pc) {
    registersOut[n] = 0;
    flagsOut[n] = 0;
    switch (i.form()) {
      case BRA, JMP, CAL, JCAL -> {
        if (i.bit(14)) {
          everything(n);
        } else {
          merge(n, ProgramImage.target(i, pc));
        }
      }
      case BRX, JMX -> everything(n);
      case RET, BRK, CONT -> mergeTokens(n);
      default -> {
        if (i.join()) {
          mergeTokens(n);
        }
      }
    }
    boolean call = i.form() == Opcode.CAL || i.form() == Opcode.JCAL;
    if (!call && ProgramImage.continues(i)) {
      merge(n, pc + Instruction.BYTES);
    }
  }

  private void mergeTokens(int n) {
    registersOut[n] |= tokenRegisters;
    flagsOut[n] |= tokenFlags;
  }

  private void merge(int n, int successor) {
    Integer index = indices.get(successor);
    if (index == null) {
      everything(n);
      return;
    }
    registersOut[n] |= registersIn[index];
    flagsOut[n] |= flagsIn[index];
  }

  private void everything(int n) {
    registersOut[n] = ALL_REGISTERS;
    flagsOut[n] = ALL_FLAGS;
  }
}

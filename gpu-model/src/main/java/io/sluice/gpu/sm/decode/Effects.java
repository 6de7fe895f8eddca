package io.sluice.gpu.sm.decode;

import io.sluice.gpu.sm.isa.AccessSize;
import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.isa.PairedLoad;
import io.sluice.gpu.sm.isa.SurfaceForm;
import io.sluice.gpu.sm.isa.TextureForm;
import io.sluice.gpu.sm.math.AtomicMath;
import io.sluice.gpu.sm.math.ConversionMath;
import io.sluice.gpu.sm.math.VideoMath;

/**
 * Registers, predicates and condition codes that an instruction reads and writes. RZ and PT are
 * left out. What an instruction writes under a predicate counts as written.
 *
 * @param reads registers read, by bit
 * @param writes registers written, by bit
 * @param predicateReads predicates read, by bit
 * @param predicateWrites predicates written, by bit
 * @param readsCc whether it reads the condition code
 * @param writesCc whether it writes the condition code
 * @param registers one more than the highest register concerned
 */
public record Effects(
    long reads,
    long writes,
    int predicateReads,
    int predicateWrites,
    boolean readsCc,
    boolean writesCc,
    int registers) {
  private static final long ALL_REGISTERS = (1L << Instruction.RZ) - 1;
  private static final int ALL_PREDICATES = (1 << Instruction.PT) - 1;

  /**
   * What an instruction does to registers.
   *
   * @param opcode its form
   */
  public static Effects of(Opcode opcode, Instruction i) {
    Collector c = new Collector(i);
    c.predicateRead(i.predicate());
    if (i.group() == Instruction.CONTROL_GROUP) {
      c.control(opcode);
    } else {
      c.plain(opcode);
    }
    return new Effects(
        c.reads & ALL_REGISTERS,
        c.writes & ALL_REGISTERS,
        c.predicateReads & ALL_PREDICATES,
        c.predicateWrites & ALL_PREDICATES,
        c.readsCc,
        c.writesCc,
        c.registers);
  }

  /** The gatherer, with a method for each way to use an operand field. */
  private static final class Collector {
    private final Instruction i;
    private long reads;
    private long writes;
    private int predicateReads;
    private int predicateWrites;
    private boolean readsCc;
    private boolean writesCc;
    private int registers;

    Collector(Instruction i) {
      this.i = i;
    }

    void control(Opcode opcode) {
      switch (opcode) {
        case BRA, JMP, EXIT, RET, BRK, CONT, KIL -> testsCc();
        case BRX, JMX -> {
          testsCc();
          read(i.src1(), 1);
        }
        default -> {}
      }
    }

    private void testsCc() {
      readsCc = i.bits(9, 5) != ConditionCode.TRUE;
    }

    void plain(Opcode opcode) {
      switch (opcode) {
        case FADD, FMUL, FMNMX, IMNMX, IADD, IMUL, ISCADD, SHL, SHR, LOP, BFE -> {
          binary();
          extended(opcode);
          minMax(opcode);
        }
        case FADD32I, FMUL32I, IADD32I, IMUL32I, LOP32I, ISCADD32I -> {
          read(i.src1(), 1);
          result(1);
          extended(opcode);
        }
        case IMAD32I, FFMA32I -> {
          read(i.src1(), 1);
          read(i.dst(), 1);
          result(1);
        }
        case FFMA, IMAD, BFI, ISAD -> {
          binary();
          third(1);
          extended(opcode);
        }
        case FCMP, ICMP, PRMT -> {
          read(i.src1(), 1);
          second(1);
          third(1);
          write(i.dst(), 1);
        }
        case FLO, RRO -> {
          second(1);
          result(1);
        }
        case MUFU -> {
          read(i.src1(), 1);
          write(i.dst(), 1);
        }
        case DADD, DMUL, DMNMX -> {
          read(i.src1(), 2);
          second(2);
          result(2);
          minMax(opcode);
        }
        case DFMA -> {
          read(i.src1(), 2);
          second(2);
          third(2);
          result(2);
        }
        case F2F, F2I, I2F, I2I -> {
          second(ConversionMath.readsPair(i) ? 2 : 1);
          result(ConversionMath.writesPair(i) ? 2 : 1);
        }
        default -> rest(opcode);
      }
    }

    private void rest(Opcode opcode) {
      switch (opcode) {
        case VADD, VMNMX, VABSDIFF, VSET, VSHR, VSHL, VMAD -> {
          video();
          write(i.dst(), 1);
        }
        case ISETP, FSETP, DSETP, PSETP, CSETP, VSETP -> {
          comparison(opcode);
          predicateWrite(i.bits(19, 17));
          predicateWrite(i.bits(16, 14));
        }
        case ISET, FSET, DSET, PSET, CSET -> {
          comparison(opcode);
          result(1);
        }
        case SEL -> {
          read(i.src1(), 1);
          second(1);
          predicateRead(i.bits(51, 49));
          write(i.dst(), 1);
        }
        case MOV -> {
          second(1);
          write(i.dst(), 1);
        }
        case MOV32I, S2R, LEPC -> write(i.dst(), 1);
        case POPC -> {
          read(i.src1(), 1);
          second(1);
          write(i.dst(), 1);
        }
        case P2R -> {
          read(i.src1(), 1);
          second(1);
          predicateReads = ALL_PREDICATES;
          readsCc = true;
          write(i.dst(), 1);
        }
        case R2P -> {
          read(i.src1(), 1);
          second(1);
          predicateWrites = ALL_PREDICATES;
          writesCc = true;
        }
        case VOTE -> {
          predicateRead(i.bits(22, 20));
          predicateWrite(i.bits(56, 54));
          write(i.dst(), 1);
        }
        case BAR -> {
          if (!i.bit(47)) {
            read(i.src1(), 1);
          }
          if (!i.bit(46)) {
            read(i.src2(), 1);
          }
          predicateRead(i.bits(51, 49));
          predicateWrite(i.bits(55, 53));
          write(i.dst(), 1);
        }
        case NOP, MEMBAR -> {}
        default -> memory(opcode);
      }
    }

    private void memory(Opcode opcode) {
      switch (opcode) {
        case LD, LDU -> {
          address();
          write(i.dst(), words());
        }
        case LDS_LDU, LD_LDU -> {
          PairedLoad pair = PairedLoad.of(i);
          load(pair.first());
          load(pair.second());
        }
        case ST -> {
          address();
          read(i.dst(), words());
        }
        case LDL, LDS, LDC -> {
          read(i.src1(), 1);
          write(i.dst(), words());
        }
        case LDSLK -> {
          read(i.src1(), 1);
          write(i.dst(), words());
          predicateWrite(i.bits(52, 50));
        }
        case STL, STS, STSUL -> {
          read(i.src1(), 1);
          read(i.dst(), words());
        }
        case RED, RED_S32, RED_F32 -> {
          address();
          read(i.dst(), atomicWidth(opcode));
        }
        case ATOM, ATOM_S32, ATOM_F32, ATOM_EXCH -> {
          address();
          read(i.dst(), atomicWidth(opcode));
          write(i.dstAtomic(), atomicWidth(opcode));
        }
        case ATOM_CAS -> {
          address();
          read(i.dst(), atomicWidth(opcode));
          read(i.src3(), atomicWidth(opcode));
          write(i.dstAtomic(), atomicWidth(opcode));
        }
        case TEX, TLD, TLD4, TXQ -> {
          read(i.src1(), TextureForm.coordinates(opcode, i));
          write(i.dst(), Integer.bitCount(TextureForm.mask(i.word())));
        }
        case SULD -> {
          read(i.src1(), SurfaceForm.dimensions(i.word()));
          write(i.dst(), words());
        }
        case SUST -> {
          read(i.src1(), SurfaceForm.dimensions(i.word()));
          read(i.dst(), words());
        }
        case SUST_P -> {
          read(i.src1(), SurfaceForm.dimensions(i.word()));
          read(i.dst(), SurfaceForm.components(i.word()));
        }
        case CCTL -> address();
        case CCTLL -> read(i.src1(), 1);
        default -> throw new AssertionError(opcode);
      }
    }

    /** One of the two loads in an instruction. */
    private void load(Instruction part) {
      Effects effects = Effects.of(part.form(), part);
      reads |= effects.reads;
      writes |= effects.writes;
      registers = Math.max(registers, effects.registers);
    }

    private int atomicWidth(Opcode opcode) {
      return AtomicMath.isWide(opcode, i) ? 2 : 1;
    }

    private void address() {
      read(i.src1(), i.bit(58) ? 2 : 1);
    }

    private int words() {
      return switch (i.accessSize()) {
        case AccessSize.B64 -> 2;
        case AccessSize.B128 -> 4;
        default -> 1;
      };
    }

    private void comparison(Opcode opcode) {
      predicateRead(i.bits(51, 49));
      switch (opcode) {
        case ISETP, ISET -> {
          read(i.src1(), 1);
          second(1);
          readsCc = i.bit(6);
        }
        case FSETP, FSET -> {
          read(i.src1(), 1);
          second(1);
        }
        case DSETP, DSET -> {
          read(i.src1(), 2);
          second(2);
        }
        case VSETP -> video();
        case PSETP, PSET -> {
          predicateRead(i.bits(22, 20));
          predicateRead(i.bits(28, 26));
        }
        default -> readsCc = true;
      }
    }

    private void video() {
      read(i.src1(), 1);
      if (VideoMath.hasSecondRegister(i)) {
        read(i.src2(), 1);
      }
      if (VideoMath.usesThird(i)) {
        read(i.src3(), 1);
      }
    }

    private void binary() {
      read(i.src1(), 1);
      second(1);
      result(1);
    }

    private void extended(Opcode opcode) {
      readsCc |=
          switch (opcode) {
            case IADD, IADD32I -> i.bit(6);
            case IMAD -> i.bit(55);
            default -> false;
          };
    }

    private void minMax(Opcode opcode) {
      switch (opcode) {
        case FMNMX, IMNMX, DMNMX -> predicateRead(i.bits(51, 49));
        default -> {}
      }
    }

    private void second(int width) {
      switch (i.mode()) {
        case Instruction.REGISTER -> read(i.src2(), width);
        case Instruction.CONST_THIRD -> read(i.src3(), width);
        default -> {}
      }
    }

    private void third(int width) {
      if (i.mode() != Instruction.CONST_THIRD) {
        read(i.src3(), width);
      }
    }

    private void result(int width) {
      write(i.dst(), width);
      writesCc = i.writesCc();
    }

    private void read(int register, int width) {
      reads |= mask(register, width);
    }

    private void write(int register, int width) {
      writes |= mask(register, width);
    }

    private long mask(int register, int width) {
      if (register == Instruction.RZ) {
        return 0;
      }
      registers = Math.max(registers, register + width);
      return ((1L << width) - 1) << register;
    }

    private void predicateRead(int predicate) {
      predicateReads |= 1 << predicate;
    }

    private void predicateWrite(int predicate) {
      predicateWrites |= 1 << predicate;
    }
  }
}

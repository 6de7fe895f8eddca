package io.sluice.gpu.sm.warp;

import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.isa.Instruction;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The state of 32 threads that run together: registers, predicates and condition codes by lane, the
 * lanes that are active now, and the stack that brings diverged lanes together again.
 *
 * <p>The stack holds tokens of a kind, an address, and the lanes that wait for it. SSY, PBK, PCNT,
 * CAL and PRET push one with the lanes active then; a branch that splits the lanes pushes the side
 * that waits. A lane that breaks, continues, returns or exits leaves every token above the one it
 * goes to. When no lane is active the top token runs; tokens nobody waits for are dropped.
 */
public final class Warp {
  public static final int LANES = 32;
  public static final int REGISTERS = 64;

  private static final int PREDICATES = 8;

  /** The kind of a token on the stack. */
  public enum Token {
    /** Lanes meet again here: SSY. */
    JOIN,
    /** The other side of a branch. */
    DIVERGED,
    /** Where BRK goes: PBK. */
    BREAK,
    /** Where CONT goes: PCNT. */
    CONTINUE,
    /** Where RET goes: CAL, PRET. */
    RETURN
  }

  /** Bytes one token takes of the call stack that the launch sized. */
  static final int TOKEN_BYTES = 8;

  /** Tokens a warp may push when the launch asks for less. */
  static final int LEAST_TOKENS = 64;

  /** Tokens a warp has memory for before it has pushed more. */
  private static final int INITIAL_TOKENS = 16;

  /** Bytes of the heap that a token takes. */
  private static final int TOKEN_HEAP_BYTES = 12;

  /** Bytes of the heap that a warp takes before it has pushed many tokens. */
  public static final int HEAP_BYTES = 9728;

  final int index;

  /** Where each lane's thread is in its block. */
  public final int[] threadX = new int[LANES];

  public final int[] threadY = new int[LANES];
  public final int[] threadZ = new int[LANES];

  /**
   * Registers: one of all lanes stands together, so that warps of a block touch as few cache lines
   * as they have registers, and not the same sets of the cache.
   */
  public final int[] registers = new int[REGISTERS * LANES];

  /** Predicates: lanes in which each holds, by bit. That of PT is all of them, for ever. */
  public final int[] predicates = new int[PREDICATES];

  /** Condition codes by lane: 1 zero, 2 sign, 4 carry, 8 overflow. */
  public final int[] cc = new int[LANES];

  public int pc;
  public int active;
  int alive;

  /** The barrier it waits at; -1 when it runs. */
  public int waitingAt = -1;

  /** What the warp does when the barrier lets it go. */
  private @Nullable BarrierWait wait;

  private final int mostTokens;
  private final HeapBudget.WorkerShare heap;
  private Token[] kinds = new Token[INITIAL_TOKENS];
  private int[] addresses = new int[INITIAL_TOKENS];
  private int[] masks = new int[INITIAL_TOKENS];
  private int depth;

  /**
   * @param index which warp of the block it is
   * @param grid the shape of its block, and how many tokens it may push
   * @param heap what the memory for them is taken from
   */
  Warp(int index, Grid grid, HeapBudget.WorkerShare heap) {
    this.index = index;
    this.heap = heap;
    this.mostTokens = Math.max(LEAST_TOKENS, grid.stackBytes() / TOKEN_BYTES);
    for (int lane = 0; lane < LANES; lane++) {
      int thread = thread(lane);
      threadX[lane] = thread % grid.blockX();
      threadY[lane] = thread / grid.blockX() % grid.blockY();
      threadZ[lane] = thread / (grid.blockX() * grid.blockY());
    }
  }

  /**
   * Starts anew, as in a block that has not run.
   *
   * @param readFirst registers that must be 0, by bit
   */
  void reset(int lanes, int start, long readFirst) {
    if (readFirst != 0) {
      Arrays.fill(registers, 0);
    }
    Arrays.fill(predicates, 0);
    predicates[Instruction.PT] = -1;
    Arrays.fill(cc, 0);
    alive = lanes == LANES ? -1 : (1 << lanes) - 1;
    active = alive;
    pc = start;
    depth = 0;
    waitingAt = -1;
    wait = null;
  }

  /** The number of a lane's thread in its block. */
  public int thread(int lane) {
    return index * LANES + lane;
  }

  public boolean finished() {
    return alive == 0;
  }

  public int get(int register, int lane) {
    return register == Instruction.RZ ? 0 : registers[register * LANES + lane];
  }

  public void set(int register, int lane, int value) {
    if (register != Instruction.RZ) {
      registers[register * LANES + lane] = value;
    }
  }

  /** Sets a register of some lanes. */
  public void setAll(int register, int lanes, int value) {
    if (register == Instruction.RZ) {
      return;
    }
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      registers[register * LANES + Integer.numberOfTrailingZeros(rest)] = value;
    }
  }

  public long getPair(int register, int lane) {
    if (register == Instruction.RZ) {
      return 0;
    }
    return Integer.toUnsignedLong(get(register, lane)) | (long) get(register + 1, lane) << 32;
  }

  public void setPair(int register, int lane, long value) {
    if (register != Instruction.RZ) {
      set(register, lane, (int) value);
      set(register + 1, lane, (int) (value >>> 32));
    }
  }

  public boolean predicate(int p, int lane) {
    return (predicates[p] >>> lane & 1) != 0;
  }

  public void setPredicate(int p, int lane, boolean value) {
    if (p != Instruction.PT) {
      predicates[p] = value ? predicates[p] | 1 << lane : predicates[p] & ~(1 << lane);
    }
  }

  /** Sets a predicate of some lanes. */
  public void setPredicates(int p, int lanes, boolean value) {
    if (p != Instruction.PT) {
      predicates[p] = value ? predicates[p] | lanes : predicates[p] & ~lanes;
    }
  }

  /** The lanes in which a predicate holds, or does not. */
  public int holding(int p, boolean negated) {
    return negated ? ~predicates[p] : predicates[p];
  }

  /** All predicates of a lane: bit p is Pp. */
  public int allPredicates(int lane) {
    int all = 0;
    for (int p = 0; p < Instruction.PT; p++) {
      all |= (predicates[p] >>> lane & 1) << p;
    }
    return all;
  }

  /** Sets all predicates of a lane. */
  public void setAllPredicates(int lane, int all) {
    for (int p = 0; p < Instruction.PT; p++) {
      setPredicate(p, lane, (all >>> p & 1) != 0);
    }
  }

  /** Whether there is room for so many tokens. */
  public boolean hasRoom(int tokens) {
    return depth + tokens <= mostTokens;
  }

  /** Pushes a token for the lanes given. */
  public void push(Token kind, int address, int lanes) {
    if (depth == kinds.length) {
      grow();
    }
    kinds[depth] = kind;
    addresses[depth] = address;
    masks[depth] = lanes;
    depth++;
  }

  private void grow() {
    if (depth == mostTokens) {
      throw new WarpFault(WarpError.STACK_ERROR);
    }
    int tokens = Math.min(mostTokens, depth * 2);
    heap.take((long) (tokens - depth) * TOKEN_HEAP_BYTES);
    kinds = Arrays.copyOf(kinds, tokens);
    addresses = Arrays.copyOf(addresses, tokens);
    masks = Arrays.copyOf(masks, tokens);
  }

  /** The lanes wait at their nearest token of a kind; those active otherwise go on. */
  public void unwind(Token kind, int lanes) {
    int looking = lanes;
    for (int i = depth - 1; i >= 0 && looking != 0; i--) {
      if (kinds[i] == kind) {
        looking &= ~masks[i];
      } else {
        masks[i] &= ~looking;
      }
    }
    if (looking != 0) {
      throw new WarpFault(WarpError.STACK_ERROR);
    }
    active &= ~lanes;
  }

  /** The lanes wait where their region was opened by SSY, or let the other side of a branch run. */
  public void join(int lanes) {
    active &= ~lanes;
  }

  /**
   * Stops at a barrier.
   *
   * @param waiting what the warp does when the barrier lets it go; null for nothing
   */
  public void waitAt(int barrier, @Nullable BarrierWait waiting) {
    waitingAt = barrier;
    wait = waiting;
  }

  /** The barrier lets the warp go, with what its reduction gave. */
  void release(int count, boolean all) {
    BarrierWait waiting = wait;
    waitingAt = -1;
    wait = null;
    if (waiting != null) {
      waiting.finish(this, count, all);
    }
  }

  /** The lanes end. */
  public void exit(int lanes) {
    alive &= ~lanes;
    active &= ~lanes;
  }

  /** When no lane is active: takes the top token that somebody waits for. */
  public void resumeIfIdle() {
    while (active == 0 && alive != 0) {
      if (depth == 0) {
        throw new WarpFault(WarpError.STACK_ERROR);
      }
      depth--;
      active = masks[depth] & alive;
      pc = addresses[depth];
    }
  }
}

package io.sluice.gpu.sm.jit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.gpu.sm.decode.Program;
import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.interpret.GridProgram;
import io.sluice.gpu.sm.interpret.WarpRunner;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.jit.plan.ProgramImage;
import io.sluice.gpu.sm.memory.GlobalMemory;
import io.sluice.gpu.sm.memory.Translator;
import io.sluice.gpu.sm.warp.Grid;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Programs of one guest that have been compiled, by what they are made of: a program is found again
 * wherever it is loaded, and one that was changed is not. The least recently used ones make room
 * for others, so that what a guest has compiled takes a limited number of classes and bytes; a
 * class that is no longer used is unloaded.
 */
public final class CompiledPrograms {
  /** Most programs that are kept. */
  public static final int MAX_PROGRAMS = 64;

  /**
   * Most bytes of their classes, steps and constants together, but for the program that was used
   * last.
   */
  public static final int MAX_BYTES = 8 << 20;

  private static final int HASHED_INSTRUCTIONS = 64;
  private static final long HASH_FACTOR = 0x9e3779b97f4a7c15L;

  @GuardedBy("this")
  private final Map<ProgramKey, CompiledProgram> programs = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * The key by which a program is looked up; its instructions are compared afterwards.
   *
   * @param start offset of the first instruction
   * @param registers registers of a thread
   * @param beginning its first instructions, hashed
   */
  private record ProgramKey(int start, int registers, long beginning) {}

  private final CompileBudget budget;

  /** No programs yet; as many as are asked for. */
  public CompiledPrograms() {
    this(CompileBudget.unlimited());
  }

  /**
   * No programs yet.
   *
   * @param budget of the guest
   */
  public CompiledPrograms(CompileBudget budget) {
    this.budget = budget;
  }

  /** What may still be compiled. */
  public CompileBudget budget() {
    return budget;
  }

  /** The program of a grid. */
  public GridProgram programOf(Grid grid) {
    return new Lookup(grid);
  }

  /** The look for a program, which is compiled if it is not known. */
  private final class Lookup implements GridProgram {
    private final Grid grid;
    private @Nullable ProgramKey key;
    private @Nullable CompiledProgram known;
    private @Nullable ProgramImage image;

    Lookup(Grid grid) {
      this.grid = grid;
    }

    @Override
    public void read(Translator translator) {
      Program program = new Program(new GlobalMemory(translator, grid, 0), grid);
      ProgramKey wanted =
          new ProgramKey(grid.start(), grid.registers(), beginning(program, grid.start()));
      CompiledProgram found = get(wanted);
      key = wanted;
      if (found != null && found.isMadeOf(program)) {
        known = found;
      } else {
        image = ProgramImage.of(program, grid.start());
      }
    }

    @Override
    public WarpRunner.Factory make() {
      CompiledProgram found = known;
      if (found != null) {
        return found;
      }
      ProgramImage seen = image;
      image = null; // The grid keeps its program, and needs this no more.
      if (key == null || seen == null) {
        throw new AssertionError("the program was not read");
      }
      if (!budget.tryTake()) {
        return GridProgram.INTERPRETED.make();
      }
      CompiledProgram compiled = ProgramCompiler.compile(seen, grid.start(), budget);
      put(key, compiled);
      return compiled;
    }
  }

  private static long beginning(Program program, int start) {
    long hash = 0;
    try {
      for (int n = 0; n < HASHED_INSTRUCTIONS; n++) {
        hash = hash * HASH_FACTOR + program.at(start + n * Instruction.BYTES).word();
      }
    } catch (WarpFault | MemoryFault _) {
      // What follows is no part of the program.
      return hash;
    }
    return hash;
  }

  private synchronized @Nullable CompiledProgram get(ProgramKey key) {
    CompiledProgram found = programs.get(key);
    makeRoom();
    return found;
  }

  private synchronized void put(ProgramKey key, CompiledProgram program) {
    programs.put(key, program);
    makeRoom();
  }

  /** Forgets those that were not used for the longest time; parts that were added since count. */
  @GuardedBy("this")
  private void makeRoom() {
    Iterator<CompiledProgram> oldest = programs.values().iterator();
    while (programs.size() > 1 && (programs.size() > MAX_PROGRAMS || bytes() > MAX_BYTES)) {
      oldest.next();
      oldest.remove();
    }
  }

  /** How many are kept. */
  public synchronized int size() {
    return programs.size();
  }

  /** The classes of those that are kept. */
  synchronized List<Class<?>> classes() {
    List<Class<?>> classes = new ArrayList<>();
    for (CompiledProgram program : programs.values()) {
      for (int n = 0; n < program.partCount(); n++) {
        classes.add(program.part(n).code().getClass());
      }
    }
    return classes;
  }

  /** Bytes of the classes, steps and constants of those that are kept. */
  public synchronized long bytes() {
    return programs.values().stream().mapToLong(CompiledProgram::bytes).sum();
  }
}

package io.sluice.gpu.sm;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Programs that have been compiled, by what they are made of: a program is found again wherever it
 * is loaded, and one that was changed is not. The least recently used one makes room for another.
 */
public final class CompiledPrograms {
  /** Most programs that are kept. */
  static final int MAX_PROGRAMS = 256;

  private static final int HASHED_INSTRUCTIONS = 64;
  private static final long HASH_FACTOR = 0x9e3779b97f4a7c15L;

  private final Map<Key, CompiledProgram> programs = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * By what a program is looked up; its instructions are compared afterwards.
   *
   * @param start offset of the first instruction
   * @param registers registers of a thread
   * @param beginning its first instructions, hashed
   */
  private record Key(int start, int registers, long beginning) {}

  /** No programs yet. */
  public CompiledPrograms() {}

  /** The program of a grid. */
  GridProgram programOf(Grid grid) {
    return new Lookup(grid);
  }

  /** Looks for a program, and compiles it if it is not known. */
  private final class Lookup implements GridProgram {
    private final Grid grid;
    private @Nullable Key key;
    private @Nullable CompiledProgram known;
    private @Nullable ProgramImage image;

    Lookup(Grid grid) {
      this.grid = grid;
    }

    @Override
    public void read(Translator translator) {
      Program program = new Program(new GlobalMemory(translator, grid, 0), grid);
      Key wanted = new Key(grid.start(), grid.registers(), beginning(program, grid.start()));
      CompiledProgram found = get(wanted);
      Set<Integer> roots = new TreeSet<>(Set.of(grid.start()));
      key = wanted;
      if (found != null && isMadeOf(found, program)) {
        if (found.unseen().isEmpty()) {
          known = found;
          return;
        }
        roots.addAll(found.unseen());
        roots.addAll(found.image().leaders());
      }
      image = ProgramImage.of(program, roots);
    }

    @Override
    public WarpRunner.Factory make() {
      CompiledProgram found = known;
      if (found != null) {
        return found;
      }
      if (key == null || image == null) {
        throw new AssertionError("the program was not read");
      }
      CompiledProgram compiled = ProgramCompiler.compile(image, grid.start());
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

  private synchronized @Nullable CompiledProgram get(Key key) {
    return programs.get(key);
  }

  private synchronized void put(Key key, CompiledProgram program) {
    programs.put(key, program);
    if (programs.size() > MAX_PROGRAMS) {
      programs.remove(programs.keySet().iterator().next());
    }
  }

  /** Whether memory still holds the instructions that a program was compiled from. */
  private static boolean isMadeOf(CompiledProgram compiled, Program program) {
    try {
      for (Map.Entry<Integer, Instruction> entry : compiled.image().instructions().entrySet()) {
        if (program.at(entry.getKey()).word() != entry.getValue().word()) {
          return false;
        }
      }
      return true;
    } catch (WarpFault | MemoryFault _) {
      return false;
    }
  }
}

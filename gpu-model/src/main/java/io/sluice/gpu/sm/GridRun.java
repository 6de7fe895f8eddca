package io.sluice.gpu.sm;

import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.interpret.GridProgram;
import io.sluice.gpu.sm.interpret.WarpRunner;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.memory.Translator;
import io.sluice.gpu.sm.warp.Block;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.HeapBudget;
import io.sluice.gpu.sm.warp.Warp;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A grid that runs: workers take its blocks one by one until there are no more.
 *
 * <p>Workers look at {@link GridControl} in loops, at barriers and every few thousand instructions,
 * so that they forget what they know of the address space when it changes, and can be killed.
 * Everything is done by the executor's threads, compiling the program included.
 */
public final class GridRun {
  /** Turns of warps after which a worker lets others have its thread, if there are any. */
  private static final int TURNS_OF_A_SLICE = 64;

  /** Polls, of a thousand instructions or a slice each, from one look at the time to the next. */
  private static final int POLLS_OF_A_LOOK = 32;

  /**
   * Bytes of the heap that a worker takes beside its warps and its shared memory: for the windows
   * and locks of its memory, decoded instructions, some pages of constants, textures, and what one
   * part of a program needs. Further pages and parts take more.
   */
  private static final int WORKER_BYTES = 144 << 10;

  private final Grid grid;
  private final Supplier<Translator> translators;
  private final GridProgram program;
  private final int workerCount;
  private final Resources resources;

  /** What the first worker needs: taken when it is launched, or else when it begins. */
  private final HeapBudget.WorkerShare firstShare;

  /** The time before there are workers: reading the program and compiling it. */
  private final WorkTime beginning;

  private final GridControl control = new GridControl();
  private final AtomicLong nextBlock = new AtomicLong();
  private volatile List<BlockWorker> workers = List.of();

  /** Whom to tell that it has ended; set before any worker begins. */
  private Runnable ended = () -> {};

  /**
   * The resources of the host that a grid has.
   *
   * @param heap what its workers take their memory from
   * @param clock GPU time
   * @param processor processor time of the thread that asks
   */
  public record Resources(HeapBudget heap, LongSupplier clock, LongSupplier processor) {
    /** Memory without a limit, and no clocks. */
    static Resources unlimited() {
      return new Resources(new HeapBudget(Long.MAX_VALUE), () -> 0, () -> 0);
    }
  }

  private GridRun(
      Grid grid,
      Supplier<Translator> translators,
      int workers,
      GridProgram program,
      Resources resources) {
    if (grid.problem().isPresent()) {
      throw new IllegalArgumentException("grid is not launchable, " + grid.problem().get());
    }
    this.grid = grid;
    this.translators = translators;
    this.program = program;
    this.workerCount = workersFor(grid, workers);
    this.resources = resources;
    this.firstShare = resources.heap().new WorkerShare();
    this.beginning = new WorkTime(resources.clock(), resources.processor());
  }

  /**
   * A grid to be interpreted.
   *
   * @param grid what is launched
   * @param translators give each worker its view of the address space
   * @param workers most workers
   * @throws IllegalArgumentException for a grid whose {@link Grid#problem} was not asked first
   */
  public static GridRun interpreted(Grid grid, Supplier<Translator> translators, int workers) {
    return new GridRun(grid, translators, workers, GridProgram.INTERPRETED, Resources.unlimited());
  }

  /**
   * A grid to be compiled and run.
   *
   * @param grid what is launched
   * @param programs what has been compiled before
   * @param translators give each worker its view of the address space
   * @param workers most workers
   * @throws IllegalArgumentException for a grid whose {@link Grid#problem} was not asked first
   */
  public static GridRun compiled(
      Grid grid, CompiledPrograms programs, Supplier<Translator> translators, int workers) {
    return compiled(grid, programs, translators, workers, Resources.unlimited());
  }

  /**
   * As {@link #compiled(Grid, CompiledPrograms, Supplier, int)}, within limits.
   *
   * @param resources what it has of the host
   */
  public static GridRun compiled(
      Grid grid,
      CompiledPrograms programs,
      Supplier<Translator> translators,
      int workers,
      Resources resources) {
    return new GridRun(grid, translators, workers, programs.programOf(grid), resources);
  }

  /** No more workers than blocks, nor than local memory has room for. */
  private static int workersFor(Grid grid, int wanted) {
    long most = Math.min(wanted, grid.blocks());
    Grid.Local local = grid.local();
    if (local.positiveBytes() + local.negativeBytes() > 0 && local.warpBytes() > 0) {
      most = Math.min(most, local.sizeBytes() / local.warpBytes() / Grid.WARPS_OF_SM);
    }
    return (int) Math.max(1, most);
  }

  /**
   * Starts it.
   *
   * @param executor runs the workers; one that runs them inline runs the grid to its end
   * @param crowded whether other grids wait for the executor's threads
   */
  public void start(Executor executor, BooleanSupplier crowded) {
    start(executor, crowded, () -> {});
  }

  /**
   * As {@link #start(Executor, BooleanSupplier)}, and tells when it {@link #isDone}.
   *
   * @param whenDone called by an executor's thread, at least once unless the grid is killed; must
   *     not block
   */
  public void start(Executor executor, BooleanSupplier crowded, Runnable whenDone) {
    ended = whenDone;
    executor.execute(() -> begin(executor, crowded));
  }

  /**
   * Takes what the first worker needs of the heap, before it is started; it runs on that alone if
   * there is no more.
   *
   * @return false when there is not enough: it must not be started
   */
  public boolean reserve() {
    return firstShare.tryTake(workerBytes());
  }

  private long workerBytes() {
    return WORKER_BYTES + grid.sharedBytes() + (long) grid.warps() * Warp.HEAP_BYTES;
  }

  private void begin(Executor executor, BooleanSupplier crowded) {
    boolean begun = false;
    beginning.begin();
    try {
      if (!control.enter()) {
        return;
      }
      try {
        program.read(translators.get());
      } finally {
        control.leave();
      }
      WarpRunner.Factory factory = program.make();
      List<BlockWorker> made = new ArrayList<>();
      for (int n = 0; n < workerCount; n++) {
        made.add(
            new BlockWorker(factory, n, n == 0 ? firstShare : resources.heap().new WorkerShare()));
      }
      workers = List.copyOf(made);
      begun = true;
      beginning.end();
      for (BlockWorker worker : made.subList(1, workerCount)) {
        worker.hand(executor, crowded);
      }
      made.get(0).run(executor, crowded);
    } catch (RuntimeException | Error failure) {
      control.stop(new GridOutcome.Failed(failure));
      tellIfDone();
    } finally {
      if (!begun) {
        beginning.end();
        firstShare.giveAll();
      }
    }
  }

  /** Of several workers that end at the same time more than one may tell. */
  private void tellIfDone() {
    if (isDone()) {
      ended.run();
    }
  }

  /** Whether it has ended, and no worker touches memory any more. */
  public boolean isDone() {
    return control.isIdle() && (control.isStopped() || areAllFinished());
  }

  private boolean areAllFinished() {
    List<BlockWorker> all = workers;
    return !all.isEmpty() && all.stream().allMatch(BlockWorker::isFinished);
  }

  /** How it ended; call it when it is done. */
  public GridOutcome outcome() {
    return control.outcome();
  }

  /** Ends it; no worker touches memory any more when this returns. */
  public void kill() {
    stop();
    control.quiesce();
  }

  /** Ends it soon: {@link #quiesce} waits for that. */
  public void stop() {
    control.stop(new GridOutcome.Killed());
  }

  /**
   * Returns when every worker has forgotten what it knew of the address space, or, when the grid
   * was stopped, touches no memory any more.
   */
  public void quiesce() {
    control.quiesce();
  }

  /**
   * How long it has worked until now: the time of the worker that has worked longest, and before.
   */
  public long workedNs() {
    long now = resources.clock().getAsLong();
    long most = 0;
    for (BlockWorker worker : workers) {
      most = Math.max(most, worker.time.workedNs(now));
    }
    return beginning.workedNs(now) + most;
  }

  /** Warp instructions executed; call it when it is done. */
  public long instructions() {
    return workers.stream().mapToLong(BlockWorker::instructions).sum();
  }

  /** Warp instructions that were interpreted; call it when it is done. */
  public long interpreted() {
    return workers.stream().mapToLong(BlockWorker::interpreted).sum();
  }

  /** Runs it on the calling thread; {@code killed} is asked between turns of warps. */
  public GridOutcome runInline(BooleanSupplier killed) {
    start(
        Runnable::run,
        () -> {
          if (killed.getAsBoolean()) {
            control.stop(new GridOutcome.Killed());
          }
          return false;
        });
    return outcome();
  }

  /** The reason why a worker stops running blocks. */
  private enum Slice {
    /** There are no more, or the grid has ended. */
    OVER,
    /** Other grids wait for its thread. */
    OTHERS_WAIT,
    /** A warp came to code that was not compiled; it is then. */
    CODE_MADE
  }

  /** One of those who run the grid's blocks. Its memory is made on the thread that uses it. */
  private final class BlockWorker {
    private final WarpRunner.Factory factory;
    private final int number;
    private final HeapBudget.WorkerShare heap;
    private final WorkTime time = new WorkTime(resources.clock(), resources.processor());
    private @Nullable Block block;
    private @Nullable LaneMemory memory;
    private @Nullable WarpRunner runner;
    private volatile long instructions;
    private volatile long interpreted;
    private WarpRunner.@Nullable Missing missing;
    private boolean inBlock;
    private int polls;
    private volatile boolean finished;

    BlockWorker(WarpRunner.Factory factory, int number, HeapBudget.WorkerShare heap) {
      this.factory = factory;
      this.number = number;
      this.heap = heap;
    }

    boolean isFinished() {
      return finished;
    }

    long instructions() {
      return instructions;
    }

    long interpreted() {
      return interpreted;
    }

    /** Has a thread of the executor run it; the grid has failed where there is none. */
    void hand(Executor executor, BooleanSupplier crowded) {
      try {
        executor.execute(() -> run(executor, crowded));
      } catch (RuntimeException | Error failure) {
        control.stop(new GridOutcome.Failed(failure));
        finish();
        tellIfDone();
      }
    }

    void run(Executor executor, BooleanSupplier crowded) {
      Slice end;
      time.begin();
      do {
        end = runOnce(crowded);
      } while (end == Slice.CODE_MADE && !crowded.getAsBoolean());
      time.end();
      if (end == Slice.OVER) {
        finish();
        tellIfDone();
      } else {
        hand(executor, crowded);
      }
    }

    /** It is over, and keeps nothing but what it has counted. */
    private void finish() {
      count();
      block = null;
      memory = null;
      runner = null;
      heap.giveAll();
      finished = true;
    }

    private void count() {
      WarpRunner warps = runner;
      if (warps != null) {
        instructions = warps.instructions();
        interpreted = warps.interpreted();
      }
    }

    /** Runs blocks; then makes the code that was missing, when it touches no memory any more. */
    private Slice runOnce(BooleanSupplier crowded) {
      if (!control.enter()) {
        return Slice.OVER;
      }
      Slice end = Slice.OVER;
      try {
        end = slice(crowded);
      } catch (WarpFault fault) {
        control.stop(new GridOutcome.Faulted(fault.error(), faultPc(), fault.address()));
      } catch (MemoryFault fault) {
        control.stop(
            new GridOutcome.PageFault(faultPc(), fault.address(), fault.write(), fault.reason()));
      } catch (GridControl.Stopped _) {
        end = Slice.OVER;
      } catch (HeapBudget.Exhausted _) {
        control.stop(new GridOutcome.OutOfHeap());
      } catch (RuntimeException | Error failure) {
        control.stop(new GridOutcome.Failed(failure));
      } finally {
        count();
        control.leave();
      }
      WarpRunner.Missing code = missing;
      if (code != null) {
        missing = null;
        try {
          code.make();
        } catch (RuntimeException | Error failure) {
          control.stop(new GridOutcome.Failed(failure));
        }
      }
      return end;
    }

    private int faultPc() {
      return runner == null ? grid.start() : runner.faultPc();
    }

    /** Runs blocks until there are no more, others should have the thread, or code is missing. */
    private Slice slice(BooleanSupplier crowded) {
      Block own = block;
      if (own == null) {
        if (heap.isEmpty() && !heap.tryTake(workerBytes())) {
          return withoutMemory();
        }
        own = new Block(grid, heap);
        block = own;
      }
      LaneMemory lanes = memory;
      if (lanes == null) {
        int slot = number * Grid.WARPS_OF_SM;
        lanes = new LaneMemory(grid, translators.get(), factory.sites(), slot, heap);
        memory = lanes;
      }
      lanes.global().forget();
      WarpRunner warps = runner;
      if (warps == null) {
        warps = factory.create(grid, lanes);
        runner = warps;
      }
      return run(own, lanes, warps, crowded);
    }

    /** The other workers do without it, but for the first one. */
    private Slice withoutMemory() {
      if (number == 0) {
        throw new HeapBudget.Exhausted();
      }
      return Slice.OVER;
    }

    private Slice run(Block block, LaneMemory lanes, WarpRunner warps, BooleanSupplier crowded) {
      Runnable poll = () -> poll(lanes);
      int turns = 0;
      while (inBlock || takeBlock(block, lanes)) {
        boolean progress = false;
        for (Warp warp : block.warps()) {
          if (!warp.finished() && warp.waitingAt < 0) {
            warps.run(block, warp, poll);
            missing = warps.missing();
            if (missing != null) {
              missing.read();
              return Slice.CODE_MADE;
            }
            progress = true;
            turns++;
          }
        }
        inBlock = !block.finished();
        if (!progress && inBlock) {
          // Every warp waits at a barrier that the others never reach.
          int pc = block.warps()[0].pc;
          control.stop(new GridOutcome.Faulted(WarpError.INVALID_PARAM, pc, 0));
          throw new GridControl.Stopped();
        }
        if (turns >= TURNS_OF_A_SLICE) {
          turns = 0;
          if (crowded.getAsBoolean()) {
            return Slice.OTHERS_WAIT;
          }
          poll.run();
        }
      }
      return Slice.OVER;
    }

    private void poll(LaneMemory lanes) {
      if (++polls % POLLS_OF_A_LOOK == 0) {
        time.look();
      }
      if (control.poll()) {
        lanes.global().forget();
      }
    }

    private boolean takeBlock(Block block, LaneMemory lanes) {
      long number = nextBlock.getAndIncrement();
      if (number >= grid.blocks()) {
        return false;
      }
      lanes.clear();
      block.reset(number, factory.readFirst());
      inBlock = true;
      return true;
    }
  }
}

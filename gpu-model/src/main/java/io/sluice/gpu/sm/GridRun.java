package io.sluice.gpu.sm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A grid that runs: workers take its blocks one by one until there are no more.
 *
 * <p>Workers look at {@link GridControl} in loops, at barriers and every few thousand instructions,
 * so that the grid can be paused, when its address space changes, and killed.
 */
public final class GridRun {
  /** Turns of warps after which a worker lets others have its thread, if there are any. */
  private static final int TURNS_OF_A_SLICE = 64;

  private final Grid grid;
  private final GridControl control = new GridControl();
  private final List<Worker> workers = new ArrayList<>();
  private final AtomicLong nextBlock = new AtomicLong();

  private GridRun(
      Grid grid, Supplier<Translator> translators, int workers, WarpRunner.Factory factory) {
    this.grid = grid;
    for (int i = 0; i < workersFor(grid, workers); i++) {
      LaneMemory memory =
          new LaneMemory(grid, translators.get(), factory.sites(), i * Grid.WARPS_OF_SM);
      this.workers.add(new Worker(memory, factory.create(grid, memory)));
    }
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
    requireLaunchable(grid);
    return new GridRun(grid, translators, workers, InterpretedWarps.FACTORY);
  }

  /**
   * A grid to be run compiled.
   *
   * @param grid what is launched
   * @param programs what has been compiled before
   * @param translators give each worker its view of the address space
   * @param workers most workers
   * @throws IllegalArgumentException for a grid whose {@link Grid#problem} was not asked first
   */
  public static GridRun compiled(
      Grid grid, CompiledPrograms programs, Supplier<Translator> translators, int workers) {
    requireLaunchable(grid);
    return new GridRun(grid, translators, workers, programs.of(grid, translators.get()));
  }

  private static void requireLaunchable(Grid grid) {
    if (grid.problem().isPresent()) {
      throw new IllegalArgumentException("grid is not launchable, " + grid.problem().get());
    }
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
   * Starts the workers.
   *
   * @param executor runs them; one that runs them inline runs the grid to its end
   * @param crowded whether other grids wait for the executor's threads
   */
  public void start(Executor executor, BooleanSupplier crowded) {
    for (Worker worker : workers) {
      executor.execute(() -> worker.run(executor, crowded));
    }
  }

  /** Whether it has ended, and no worker touches memory any more. */
  public boolean isDone() {
    return control.isIdle() && (control.isStopped() || allBlocksTaken());
  }

  /** How it ended; call it when it is done. */
  public GridOutcome outcome() {
    return control.outcome();
  }

  /** Ends it; no worker touches memory any more when this returns. */
  public void kill() {
    control.stop(new GridOutcome.Killed());
    control.awaitIdle();
  }

  /** Stops all workers where they are; they touch no memory until {@link #resume}. */
  public void pause() {
    control.pause();
  }

  /** Lets the workers go on; they have forgotten what they knew of the address space. */
  public void resume() {
    control.resume();
  }

  /** Warp instructions executed so far. */
  public long instructions() {
    return workers.stream().mapToLong(worker -> worker.runner.instructions()).sum();
  }

  /** Warp instructions that were interpreted. */
  public long interpreted() {
    return workers.stream().mapToLong(worker -> worker.runner.interpreted()).sum();
  }

  private boolean allBlocksTaken() {
    return nextBlock.get() >= grid.blocks() && workers.stream().allMatch(Worker::isFinished);
  }

  /** One of those who run the grid's blocks. */
  private final class Worker implements Runnable {
    private final LaneMemory memory;
    private final WarpRunner runner;
    private final Block block = new Block(grid);
    private boolean inBlock;
    private volatile boolean finished;

    Worker(LaneMemory memory, WarpRunner runner) {
      this.memory = memory;
      this.runner = runner;
    }

    boolean isFinished() {
      return finished;
    }

    /** What the runner polls. */
    @Override
    public void run() {
      if (control.poll()) {
        memory.global().forget();
      }
    }

    void run(Executor executor, BooleanSupplier crowded) {
      if (!control.enter()) {
        return;
      }
      memory.global().forget();
      boolean again = false;
      try {
        again = slice(crowded);
      } catch (WarpFault fault) {
        control.stop(new GridOutcome.Faulted(fault.error(), runner.faultPc(), fault.address()));
      } catch (MemoryFault fault) {
        control.stop(
            new GridOutcome.PageFault(
                runner.faultPc(), fault.address(), fault.write(), fault.reason()));
      } catch (GridControl.Stopped _) {
        finished = true;
      } catch (RuntimeException | Error failure) {
        control.stop(new GridOutcome.Failed(failure));
      } finally {
        control.leave();
      }
      if (again) {
        executor.execute(() -> run(executor, crowded));
      }
    }

    /** Runs blocks until there are no more, or others should have the thread: then true. */
    private boolean slice(BooleanSupplier crowded) {
      int turns = 0;
      while (inBlock || takeBlock()) {
        boolean progress = false;
        for (Warp warp : block.warps()) {
          if (!warp.finished() && warp.waitingAt < 0) {
            runner.run(block, warp, this);
            progress = true;
            turns++;
          }
        }
        inBlock = !block.finished();
        if (!progress && inBlock) {
          // Every warp waits at a barrier that the others never reach.
          control.stop(new GridOutcome.Faulted(WarpError.INVALID_PARAM, block.warps()[0].pc, 0));
          throw new GridControl.Stopped();
        }
        if (turns >= TURNS_OF_A_SLICE) {
          turns = 0;
          if (crowded.getAsBoolean()) {
            return true;
          }
          run();
        }
      }
      finished = true;
      return false;
    }

    private boolean takeBlock() {
      long number = nextBlock.getAndIncrement();
      if (number >= grid.blocks()) {
        return false;
      }
      memory.clear();
      block.reset(number);
      inBlock = true;
      return true;
    }
  }

  /** Runs it on the calling thread; {@code killed} is asked between turns of warps. */
  GridOutcome runInline(BooleanSupplier killed) {
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
}

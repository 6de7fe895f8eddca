package io.sluice.gpu.sm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.HeapBudget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Grids whose threads meet a host that has nothing left: the grid has failed, is done, and keeps
 * nothing; the thread goes on.
 */
final class GridThreadsTest {
  private static final long CODE = 0x1000_0000L;
  private static final long EXIT = 0x8000000000001de7L;
  private static final int BLOCKS = 64;
  private static final int WORKERS = 4;

  private final FlatMemory memory = new FlatMemory(CODE, 0x1000);
  private final HeapBudget heap = new HeapBudget(1L << 30);
  private final AtomicInteger told = new AtomicInteger();

  private GridRun run() {
    memory.store64(CODE, EXIT);
    List<Grid.Bank> banks = new ArrayList<>(Collections.nCopies(Grid.MAX_BANKS, Grid.Bank.UNBOUND));
    Grid grid =
        new Grid(
            BLOCKS,
            1,
            1,
            32,
            1,
            1,
            16,
            1,
            0,
            Grid.Local.NONE,
            0x400,
            CODE,
            0,
            0x01000000L,
            0x02000000L,
            1,
            0x1000,
            banks);
    GridRun run =
        GridRun.compiled(
            grid,
            new CompiledPrograms(),
            () -> memory,
            WORKERS,
            new GridRun.Resources(heap, () -> 0, () -> 0));
    assertThat(run.reserve()).isTrue();
    return run;
  }

  private void assertFailed(GridRun run) {
    assertThat(run.isDone()).isTrue();
    assertThat(run.outcome()).isInstanceOf(GridOutcome.Failed.class);
    assertThat(told).hasPositiveValue();
    assertThat(heap.usedBytes()).isZero();
  }

  /**
   * @param which task is the first that no thread can be had for: the first one begins the grid
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, WORKERS - 1})
  void noThreadForAWorker_theGridHasFailed(int which) {
    Queue<Runnable> tasks = new ArrayDeque<>();
    AtomicInteger handed = new AtomicInteger();
    Executor executor =
        task -> {
          if (handed.getAndIncrement() >= which) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          tasks.add(task);
        };
    GridRun run = run();
    run.start(executor, () -> false, told::incrementAndGet);
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }

    assertFailed(run);
  }

  @Test
  void noThreadToGoOnWith_theGridHasFailed() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    AtomicInteger handed = new AtomicInteger();
    Executor executor =
        task -> {
          // One to begin with, those of the workers, and none again.
          if (handed.getAndIncrement() > WORKERS - 1) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          tasks.add(task);
        };
    GridRun run = run();
    run.start(executor, () -> true, told::incrementAndGet);
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }

    assertFailed(run);
  }

  @Test
  void enoughThreads_theGridCompletes() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    GridRun run = run();
    run.start(tasks::add, () -> true, told::incrementAndGet);
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }

    assertThat(run.isDone()).isTrue();
    assertThat(run.outcome()).isInstanceOf(GridOutcome.Completed.class);
    assertThat(told).hasPositiveValue();
    assertThat(heap.usedBytes()).isZero();
  }
}

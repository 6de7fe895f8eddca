package io.sluice.gpu.launch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.gpu.engine.Compute;
import io.sluice.gpu.engine.ComputeState;
import io.sluice.gpu.engine.DataError;
import io.sluice.gpu.engine.EngineHost;
import io.sluice.gpu.engine.GridLauncher;
import io.sluice.gpu.engine.Outcome;
import io.sluice.gpu.engine.ThreadMeter;
import io.sluice.gpu.engine.TimeShare;
import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuAddressSpace;
import io.sluice.gpu.mmu.GpuUnit;
import io.sluice.gpu.sm.GridOutcome;
import io.sluice.gpu.sm.GridRun;
import io.sluice.gpu.sm.jit.CompileBudget;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.gpu.sm.warp.Grid;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The multiprocessors of a GPU: they run grids on threads of their own, beside the engine's.
 *
 * <p>A launch hands its grid to the executor and answers RUNNING; the engine goes on with other
 * channels and asks again. So grids of several channels run at the same time, where the hardware
 * runs them one after the other: an endless one stops nobody else. Threads go to the opens of the
 * GPU by their weight. Any thread may call; of one channel's grid one at a time does.
 *
 * <p>With an executor that runs tasks inline a launch is over when it returns, in a simulation.
 */
public final class Multiprocessors implements GridLauncher {
  private static final Logger LOG = LoggerFactory.getLogger(Multiprocessors.class);

  /** One instruction in so many may be interpreted: the others make up 99 %. */
  private static final long MOST_INTERPRETED = 100;

  private final FairExecutor executor;
  private final int workers;
  private final LongSupplier clock;
  private final ThreadMeter meter;
  private final Runnable ended;
  private final GridHeap heap;

  private final ReentrantLock lock = new ReentrantLock();

  /** What each open of the GPU has compiled: no guest's programs make room for another's. */
  @GuardedBy("lock")
  private final Map<TimeShare, Compiled> programs = new WeakHashMap<>();

  @GuardedBy("lock")
  private final KeptPrograms kept;

  @GuardedBy("lock")
  private final Map<EngineHost, Running> running = new IdentityHashMap<>();

  /** Cancelled grids whose workers may not have seen it yet. */
  @GuardedBy("lock")
  private final List<Running> ending = new ArrayList<>();

  /** Grids under way, for workers that ask whether they should share their thread. */
  private volatile int grids;

  private record Running(GridRun run, GpuAddressSpace space) {}

  /** The programs of an open, and what its grids may take. */
  private record Compiled(KeptPrograms.Kept kept, GridRun.Resources resources) {}

  /**
   * @param executor runs the workers of grids; tasks give way to others when there are several
   * @param workers most workers of a grid
   * @param heapBytes most of the heap that the grids of one open take
   * @param clock GPU time in nanoseconds
   * @param meter of the thread that asks
   * @param ended called by a worker when a grid has ended, so that the engine need not look; never
   *     blocks
   */
  public Multiprocessors(
      Executor executor,
      int workers,
      long heapBytes,
      LongSupplier clock,
      ThreadMeter meter,
      Runnable ended) {
    this.executor = new FairExecutor(executor, clock, meter);
    this.workers = workers;
    this.heap = GridHeap.ofThisProcess(heapBytes);
    this.clock = clock;
    this.meter = meter;
    this.ended = ended;
    this.kept = new KeptPrograms(clock);
  }

  @Override
  public Outcome launch(ComputeState state, EngineHost host) {
    Grid grid = LaunchState.grid(state);
    if (grid.problem().isPresent()) {
      LOG.atDebug().addKeyValue("grid", grid.problem().get()).log("a grid that cannot be launched");
      return host.engineError(DataError.INVALID_VALUE, Compute.LAUNCH);
    }
    if (!LaunchState.isThreadCountRight(state, grid)) {
      return host.engineError(DataError.BLOCK_SIZE_MISMATCH, Compute.LAUNCH);
    }
    GpuAddressSpace space = host.space();
    Compiled guest = compiled(host);
    GridRun run =
        GridRun.compiled(
            grid,
            guest.kept.programs(),
            () -> new SpaceTranslator(space),
            workers,
            guest.resources);
    if (!run.reserve()) {
      return host.engineError(DataError.NOT_ENOUGH_WARPS, Compute.LAUNCH);
    }
    begin(host, new Running(run, space));
    run.start(executor.of(host.timeShare()), () -> grids > 1, ended);
    return resume(state, host);
  }

  private void begin(EngineHost host, Running grid) {
    lock.lock();
    try {
      running.put(host, grid);
      grids = running.size();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Running find(EngineHost host) {
    lock.lock();
    try {
      return running.get(host);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Outcome resume(ComputeState state, EngineHost host) {
    Running grid = find(host);
    if (grid == null) {
      // A restored channel that says it was in the middle of a launch: that cannot be saved.
      return host.deviceError();
    }
    if (!grid.run.isDone()) {
      return Outcome.RUNNING;
    }
    account(host, grid);
    return switch (grid.run.outcome()) {
      case GridOutcome.Completed _ -> Outcome.DONE;
      case GridOutcome.Killed _ -> host.deviceError();
      case GridOutcome.Faulted fault -> host.warpError(fault.error().code(), fault.pc());
      case GridOutcome.PageFault fault ->
          host.pageFault(reason(fault), fault.write(), GpuUnit.PGRAPH, fault.address());
      case GridOutcome.OutOfHeap _ -> host.engineError(DataError.NOT_ENOUGH_STACK, Compute.LAUNCH);
      case GridOutcome.Failed failed -> {
        Compiled guest = compiled(host);
        LOG.atLevel(severity(guest.kept.failures().tryTake(), 0))
            .setCause(failed.cause())
            .log("a grid failed; its channel ends; said once a minute for each guest");
        yield host.deviceError();
      }
    };
  }

  private static FaultReason reason(GridOutcome.PageFault fault) {
    for (FaultReason reason : FaultReason.values()) {
      if (reason.code() == fault.reason()) {
        return reason;
      }
    }
    throw new AssertionError("the MMU's code, reason=" + fault.reason());
  }

  @Override
  public boolean isRunning(EngineHost host) {
    Running grid = find(host);
    return grid != null && !grid.run.isDone();
  }

  @Override
  public long workedNs(EngineHost host) {
    Running grid = find(host);
    return grid == null ? 0 : grid.run.workedNs();
  }

  @Override
  public void cancel(EngineHost host) {
    Running grid = find(host);
    if (grid != null) {
      grid.run.stop();
      lock.lock();
      try {
        ending.add(grid);
      } finally {
        lock.unlock();
      }
      account(host, grid);
    }
  }

  /** Forgets a grid that has ended, and counts what it has used. */
  private void account(EngineHost host, Running grid) {
    lock.lock();
    try {
      running.remove(host);
      grids = running.size();
    } finally {
      lock.unlock();
    }
    host.used(grid.run.workedNs());
    long instructions = grid.run.instructions();
    long interpreted = grid.run.interpreted();
    host.executed(instructions, interpreted);
    if (isTooMuch(instructions, interpreted)) {
      tell(compiled(host), instructions, interpreted);
    }
  }

  @Override
  public ProgramCounts programs(TimeShare share) {
    Compiled open = known(share);
    if (open == null) {
      return new ProgramCounts(0, CompiledPrograms.MAX_PROGRAMS, 0, CompiledPrograms.MAX_BYTES, 0);
    }
    CompiledPrograms kept = open.kept.programs();
    return new ProgramCounts(
        kept.size(),
        CompiledPrograms.MAX_PROGRAMS,
        kept.bytes(),
        CompiledPrograms.MAX_BYTES,
        kept.budget().refused());
  }

  @Override
  public long heapBytes(TimeShare share) {
    Compiled open = known(share);
    return open == null ? 0 : open.resources.heap().usedBytes();
  }

  private @Nullable Compiled known(TimeShare share) {
    lock.lock();
    try {
      return programs.get(share);
    } finally {
      lock.unlock();
    }
  }

  private Compiled compiled(EngineHost host) {
    TimeShare share = host.timeShare();
    lock.lock();
    try {
      Compiled open = programs.get(share);
      if (open == null) {
        open =
            new Compiled(
                kept.of(share), new GridRun.Resources(heap.open(), clock, meter.processor()));
        programs.put(share, open);
      }
      return open;
    } finally {
      lock.unlock();
    }
  }

  private static void tell(Compiled guest, long instructions, long interpreted) {
    CompileBudget budget = guest.kept.programs().budget();
    LOG.atLevel(severity(guest.kept.interpreted().tryTake(), budget.refused()))
        .addKeyValue("code", ModelCode.INTERPRETED.code())
        .addKeyValue("instructions", instructions)
        .addKeyValue("interpreted", interpreted)
        .addKeyValue("beyondRate", budget.refused())
        .log(
            "more than 1 % of a grid was interpreted, at a tenth of the rate: it has more code, or"
                + " more places whose address it computes, than are compiled, or its guest sends"
                + " new programs without end; said once a minute for each guest, every channel"
                + " counts on");
  }

  /**
   * It is an error, since what can be run is compiled, unless a guest sent more programs than are.
   *
   * @param due whether it may be said again
   * @param beyondRate how many were not compiled because they were too many
   */
  static Level severity(boolean due, long beyondRate) {
    if (!due) {
      return Level.DEBUG;
    }
    return beyondRate > 0 ? Level.WARN : Level.ERROR;
  }

  /** Whether too much of a grid was interpreted. */
  static boolean isTooMuch(long instructions, long interpreted) {
    return interpreted * MOST_INTERPRETED > instructions;
  }

  @Override
  public Runnable quiesce(GpuAddressSpace space) {
    List<GridRun> there = new ArrayList<>();
    lock.lock();
    try {
      ending.removeIf(grid -> grid.run.isDone());
      running.values().stream().filter(g -> g.space == space).forEach(g -> there.add(g.run));
      ending.stream().filter(g -> g.space == space).forEach(g -> there.add(g.run));
    } finally {
      lock.unlock();
    }
    return () -> there.forEach(GridRun::quiesce);
  }

  /** Threads that are held up by one open's grids while another's wait; any thread may ask. */
  public int heldUp(long nowNs) {
    return grids > 1 ? executor.heldUp(nowNs) : 0;
  }

  /** Whether grids are under way; any thread may ask. */
  public boolean isComputing() {
    return grids > 0;
  }

  @Override
  public void inBackground(TimeShare share, Runnable task) {
    executor.of(share).execute(task);
  }
}

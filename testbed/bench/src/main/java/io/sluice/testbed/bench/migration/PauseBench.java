package io.sluice.testbed.bench.migration;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.guest.MemoryGrant;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.migrate.checkpoint.CheckpointWriter;
import io.sluice.migrate.checkpoint.FilePlace;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSettings.DetachTime;
import io.sluice.migrate.engine.MigrationSource;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.memory.DirtyDetection;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.report.MigrationReport;
import io.sluice.migrate.report.MoveContext;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.results.Figure;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * P9: pages that are sent while the machine stands still, when its program has written 5 % of its
 * video memory since the one pass before, with each way to find out which; into a file. Every run
 * reports gMig's switches beside each other.
 */
public final class PauseBench implements Measurement {
  private static final long BYTES = 48L << 20;
  private static final int PAGE = 4096;
  private static final int WRITTEN_OF = 20;
  private static final double GOAL = 95;

  @Override
  public String id() {
    return "P9";
  }

  @Override
  public String title() {
    return "pages sent in the pause, by how changed pages are found";
  }

  /** The result of a run. */
  private record Result(long pages, double pauseMs) {}

  @Override
  public List<Figure> run(BenchContext context) {
    Result basic = run(context, DirtyDetection.NONE);
    Result hashing = run(context, new DirtyDetection(false, false, true, false, false));
    Result sampling = run(context, new DirtyDetection(false, false, true, true, false));
    Result all = run(context, DirtyDetection.DEFAULT);
    List<Figure> figures = new ArrayList<>();
    figures.add(Figure.info("P9", "pause, every page sent (basic)", basic.pauseMs(), "ms"));
    figures.add(Figure.info("P9", "pause, hashing", hashing.pauseMs(), "ms"));
    figures.add(Figure.info("P9", "pause, and sampling", sampling.pauseMs(), "ms"));
    figures.add(Figure.info("P9", "pause, and overlapped, and exact", all.pauseMs(), "ms"));
    figures.add(Figure.info("P9", "pages sent, basic", basic.pages(), ""));
    figures.add(Figure.info("P9", "pages sent, all on", all.pages(), ""));
    figures.add(
        Figure.atLeast(
            "P9",
            "fewer pages in the pause",
            100.0 * (basic.pages() - all.pages()) / basic.pages(),
            "%",
            GOAL));
    return figures;
  }

  private static Result run(BenchContext context, DirtyDetection detection) {
    Kernel kernel = context.kernel();
    try (SoftwareGpu model =
            new SoftwareGpu(
                kernel,
                new GpuConfig(64L << 20, 64L << 20, 0),
                System::nanoTime,
                IdleStrategy.none());
        PscnvGpu gpu = new PscnvGpu("bench", kernel, model::open);
        Guest guest = new Guest("bench", gpu, kernel, GuestListener.none());
        MappedGuest mapped = MappedGuest.of(guest, kernel)) {
      MemoryGrant data = guest.buffers().allocate(2, 0, 0, BYTES);
      try (Mapping vram =
          kernel.mmap(
              guest.vramAperture().orElseThrow().fd(),
              data.apertureOffset().orElseThrow(),
              BYTES,
              Kernel.PROT_READ | Kernel.PROT_WRITE)) {
        fill(vram.segment());
        return migrate(context, mapped, vram.segment(), detection);
      }
    }
  }

  private static void fill(MemorySegment memory) {
    SplittableRandom random = new SplittableRandom(7);
    for (long at = 0; at < BYTES; at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
  }

  private static Result migrate(
      BenchContext context, MappedGuest mapped, MemorySegment vram, DirtyDetection detection) {
    long now = System.nanoTime();
    MigrationReport report = new MigrationReport(now, MoveContext.at(Instant.EPOCH));
    try (CheckpointWriter file =
        CheckpointWriter.create(
            FilePlace.open(context.kernel(), context.directory().resolve("pause.checkpoint")))) {
      MigrationSource source =
          new MigrationSource(
              new MigrationSource.MigrationParts(
                  mapped, new StandingMachine(new Writes(vram)), file, Lanes.one()),
              MigrationSettings.DEFAULT
                  .keepingSource()
                  .withDetach(DetachTime.LAST)
                  .withDetection(detection),
              new UUID(1, 2),
              new SplittableRandom(3),
              now,
              (_, _) -> {});
      while (!source.phase().isOver()) {
        int _ = source.doWork(System.nanoTime());
      }
      MigrationStatus status = source.status();
      report.observe(status);
      file.close();
      if (!file.isComplete()) {
        throw new IllegalStateException("not written: " + status.reason());
      }
      return new Result(status.lastPassPages(), report.gpuPausedNs() / 1e6);
    }
  }

  /** The program's last writes, just before its machine stands still: every twentieth page. */
  private record Writes(MemorySegment vram) implements StandingMachine.Pause {
    @Override
    public void stop() {
      long pages = BYTES / PAGE / WRITTEN_OF;
      for (long i = 0; i < pages; i++) {
        vram.set(ValueLayout.JAVA_LONG, i * WRITTEN_OF * PAGE + 1024, i);
      }
    }

    @Override
    public void resume() {}
  }
}

package io.sluice.testbed.bench.migration;

import io.sluice.migrate.memory.Fingerprint;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * P8: what a core compares of video memory in a migration: the fingerprint and the sample of a
 * page, beside a plain read of the same bytes. Time is the thread's, so that neighbours do not
 * count.
 *
 * <p>Not on JMH, which counts wall time in processes of its own: the figure is a ratio to a C
 * program's rate, both of processor time and taken one after the other on the same machine, so that
 * clocks and neighbours cancel out.
 */
public final class FingerprintBench implements Measurement {
  private static final int BYTES = 1 << 20;
  private static final int ROUNDS = 200;
  private static final int WARM_UP = 3;
  private static final int SAMPLES = 5;
  private static final double GOAL = 0.9;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Fingerprint fingerprint = new Fingerprint(new SplittableRandom(1));
  private final long[] print = new long[2];
  private long sink;

  /** Goes over all pages once. */
  private interface Pass {
    long over(MemorySegment pages);
  }

  @Override
  public String id() {
    return "P8";
  }

  @Override
  public String title() {
    return "fingerprints of pages against a plain read, and XXH3 in C";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pages = arena.allocate(BYTES, Fingerprint.PAGE_BYTES);
      SplittableRandom random = new SplittableRandom(2);
      for (long at = 0; at < BYTES; at += Long.BYTES) {
        pages.set(ValueLayout.JAVA_LONG, at, random.nextLong());
      }
      int samples = context.samples(SAMPLES);
      double full = rate(pages, this::prints, samples);
      double sampled = rate(pages, this::sampled, samples);
      double read = rate(pages, FingerprintBench::read, samples);
      context.log().println("sum " + sink);
      List<Figure> figures = new ArrayList<>();
      figures.add(Figure.info("P8", "plain read, a core", read, "GB/s"));
      figures.add(Figure.info("P8", "fingerprints, a core", full, "GB/s"));
      figures.add(Figure.info("P8", "fingerprint of a page", Fingerprint.PAGE_BYTES / full, "ns"));
      figures.add(Figure.info("P8", "sample of a page", Fingerprint.PAGE_BYTES / sampled, "ns"));
      figures.add(Figure.info("P8", "fingerprints / plain read", full / read, ""));
      Optional<XxhPeer> peer = XxhPeer.run(context.directory(), samples);
      if (peer.isEmpty()) {
        context.log().println("no libxxhash or no gcc here: nothing to compare with");
      } else {
        double narrow = peer.get().narrow();
        figures.add(Figure.info("P8", "C XXH3, 64 bits a page", narrow, "GB/s"));
        figures.add(Figure.info("P8", "C XXH3, 128 bits a page", peer.get().wide(), "GB/s"));
        figures.add(
            Figure.atLeast("P8", "fingerprints / C XXH3", full / narrow, "", GOAL).ofMany(samples));
      }
      return figures;
    }
  }

  private double rate(MemorySegment pages, Pass pass, int samples) {
    Samples taken = new Samples();
    for (int i = -WARM_UP; i < samples; i++) {
      long start = threads.getCurrentThreadCpuTime();
      for (int round = 0; round < ROUNDS; round++) {
        sink += pass.over(pages);
      }
      if (i >= 0) {
        taken.add(threads.getCurrentThreadCpuTime() - start);
      }
    }
    return (double) BYTES * ROUNDS / taken.p50();
  }

  private long prints(MemorySegment pages) {
    long sum = 0;
    for (long at = 0; at < BYTES; at += Fingerprint.PAGE_BYTES) {
      fingerprint.of(pages, at, print, 0);
      sum += print[0] ^ print[1];
    }
    return sum;
  }

  private long sampled(MemorySegment pages) {
    long sum = 0;
    for (long at = 0; at < BYTES; at += Fingerprint.PAGE_BYTES) {
      sum += fingerprint.sampleOf(pages, at);
    }
    return sum;
  }

  private static long read(MemorySegment pages) {
    long a = 0;
    long b = 0;
    for (long page = 0; page < BYTES; page += Fingerprint.PAGE_BYTES) {
      for (int at = 0; at < Fingerprint.PAGE_BYTES; at += 2 * Long.BYTES) {
        a += pages.get(ValueLayout.JAVA_LONG_UNALIGNED, page + at);
        b += pages.get(ValueLayout.JAVA_LONG_UNALIGNED, page + at + Long.BYTES);
      }
    }
    return a + b;
  }
}

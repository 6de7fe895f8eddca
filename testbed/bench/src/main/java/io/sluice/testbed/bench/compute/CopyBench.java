package io.sluice.testbed.bench.compute;

import io.sluice.abi.GpuVa;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.Pushbuffer;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.bench.submission.Stamps;
import io.sluice.testbed.machine.DaemonProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * P15, copies: what M2MF and PCOPY move between guest memory and video memory, against a memory
 * copy of the same size by this process.
 *
 * <p>Not on JMH, which counts the wall time of one benchmark after the other: the engines work in a
 * daemon and stamp when they begin and end, and the figure is a ratio of medians of copies in
 * turns, in all orders, because each finds the caches as the one before left them.
 */
public final class CopyBench implements Measurement {
  private static final String GUEST = "bench";
  private static final long BYTES = 64L << 20;
  private static final int SAMPLES = 7;
  private static final double GOAL = 0.8;

  @Override
  public String id() {
    return "P15";
  }

  @Override
  public String title() {
    return "copy engines against a plain memory copy";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    int samples = context.samples(SAMPLES);
    List<Figure> figures = new ArrayList<>();
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(GUEST));
        AttachedDevice device = AttachedDevice.attach(context.kernel(), daemon.socket(GUEST));
        Stamps stamps = new Stamps(device);
        Buffer system = device.allocateProcess(BYTES);
        Buffer video = device.allocateVideo(BYTES)) {
      system.bytes().fill((byte) 0x5a);
      video.bytes().fill((byte) 1);
      GpuVa from = stamps.space.map(system);
      GpuVa to = stamps.space.map(video);
      stamps.channel.submit(new Pushbuffer().bindEngines());
      Samples plain = new Samples();
      Samples m2mf = new Samples();
      Samples pcopy = new Samples();
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment target = arena.allocate(BYTES, 4096);
        target.fill((byte) 1);
        // In all six orders in turn: who comes after the GPU's thread finds its core's cache warm.
        for (int i = -6; i < 6 * samples; i++) {
          int direction = Math.floorMod(i, 2) == 0 ? 1 : -1;
          for (int place = 0; place < 3; place++) {
            int which = Math.floorMod(i + direction * place, 3);
            long ns =
                switch (which) {
                  case 0 -> plainCopy(system.bytes(), target);
                  case 1 -> gpuCopy(stamps, new Pushbuffer().copyM2mf(from, to, BYTES));
                  default -> gpuCopy(stamps, new Pushbuffer().copyPcopy(from, to, BYTES));
                };
            if (i >= 0) {
              (which == 0 ? plain : which == 1 ? m2mf : pcopy).add(ns);
            }
          }
        }
      }
      figures.add(Figure.info("P15", "plain memory copy", rate(plain), "GB/s"));
      figures.add(Figure.info("P15", "M2MF", rate(m2mf), "GB/s"));
      figures.add(Figure.info("P15", "PCOPY", rate(pcopy), "GB/s"));
      figures.add(
          Figure.atLeast("P15", "M2MF / memory copy", rate(m2mf) / rate(plain), "", GOAL)
              .ofMany(m2mf.count()));
      figures.add(
          Figure.atLeast("P15", "PCOPY / memory copy", rate(pcopy) / rate(plain), "", GOAL)
              .ofMany(pcopy.count()));
      stamps.space.unmap(from);
      stamps.space.unmap(to);
    }
    return figures;
  }

  private static double rate(Samples samples) {
    return (double) BYTES / samples.p50();
  }

  private static long plainCopy(MemorySegment from, MemorySegment to) {
    long start = System.nanoTime();
    to.copyFrom(from);
    return System.nanoTime() - start;
  }

  /** GPU time between two stamps around the copy. */
  private static long gpuCopy(Stamps stamps, Pushbuffer copy) {
    int mark = (int) System.nanoTime() | 1;
    stamps.channel.submit(new Pushbuffer().releaseWithTime(stamps.address, mark));
    long start = stamps.await(mark);
    stamps.channel.submit(copy.releaseWithTime(stamps.address, mark + 2));
    return stamps.await(mark + 2) - start;
  }
}

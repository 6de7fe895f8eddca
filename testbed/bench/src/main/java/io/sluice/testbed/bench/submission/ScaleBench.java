package io.sluice.testbed.bench.submission;

import io.sluice.guest.AttachedDevice;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Space;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.ProcessUse;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.DaemonProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * P14: 32 guests with 120 running channels that have nothing to do; what that costs in processor
 * time and memory, and how long the daemon takes to be there. On one of these channels P16 is
 * measured in the same run: the two goals pull in opposite directions.
 */
public final class ScaleBench implements Measurement {
  private static final int GUESTS = 32;
  private static final int CHANNELS = 120;

  /** Until the daemon's compilers have ended what setting up made them begin. */
  private static final int SETTLE_MS = 120_000;

  private static final int IDLE_MS = 10_000;
  private static final long MIB = 1 << 20;

  @Override
  public String id() {
    return "P14";
  }

  @Override
  public String title() {
    return "120 idle channels of 32 guests, and P16 on one of them (takes seven minutes)";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < GUESTS; i++) {
      names.add("guest-" + i);
    }
    List<Figure> figures = new ArrayList<>(ready(context, names));
    Path directory = Files.createDirectory(context.directory().resolve("scale"));
    try (DaemonProcess daemon = DaemonProcess.start(directory, names);
        Crowd crowd = new Crowd()) {
      ProcessUse use = new ProcessUse(daemon.pid());
      long alone = use.residentBytes();
      for (String name : names) {
        crowd.devices.add(AttachedDevice.attach(context.kernel(), daemon.socket(name)));
      }
      Stamps stamps = crowd.stamps();
      crowd.fill(CHANNELS - 1);
      figures.addAll(idle(use, context));
      double each = (double) (use.residentBytes() - alone) / GUESTS / MIB;
      figures.add(Figure.atMost("P14", "memory per idle guest", each, "MiB", 8).ofMany(GUESTS));
      context.log().println("bench: P16 with " + (CHANNELS - 1) + " idle channels beside");
      figures.addAll(PickUpBench.figures(stamps, context, 15));
    }
    return figures;
  }

  private static List<Figure> idle(ProcessUse use, BenchContext context)
      throws IOException, InterruptedException {
    Thread.sleep(SETTLE_MS);
    Samples percents = new Samples();
    for (int i = 0; i < context.samples(3); i++) {
      Map<String, Long> before = use.runNs();
      long start = System.nanoTime();
      Thread.sleep(IDLE_MS);
      long ran = ProcessUse.between(before, use.runNs());
      percents.add(ran * 1_000_000 / (System.nanoTime() - start)); // ppm of a core
    }
    return List.of(
        Figure.atMost(
                "P14", "processor, 120 idle channels: p50", percents.p50() / 1e4, "% of a core", 1)
            .ofMany(percents.count()),
        Figure.info(
            "P14",
            "processor, 120 idle channels: most",
            percents.percentile(1) / 1e4,
            "% of a core"));
  }

  /** How long the daemon takes to answer, with a cache of prepared classes and without. */
  private static List<Figure> ready(BenchContext context, List<String> names)
      throws IOException, InterruptedException {
    Path cache = context.directory().resolve("sluiced.aot");
    start(context, "train", names, List.of("-XX:AOTCacheOutput=" + cache));
    List<Figure> figures = new ArrayList<>();
    if (Files.exists(cache)) {
      Samples with = new Samples();
      for (int i = 0; i < context.samples(3); i++) {
        with.add(start(context, "cached-" + i, names, List.of("-XX:AOTCache=" + cache)));
      }
      figures.add(
          Figure.atMost("P14", "ready, with an AOT cache: p50", with.p50() / 1e9, "s", 1)
              .ofMany(with.count()));
    }
    Samples without = new Samples();
    for (int i = 0; i < context.samples(3); i++) {
      without.add(start(context, "plain-" + i, names, List.of()));
    }
    figures.add(Figure.info("P14", "ready, without: p50", without.p50() / 1e9, "s"));
    return figures;
  }

  /** From starting the process until sluicectl's connection is there, in nanoseconds. */
  private static long start(
      BenchContext context, String name, List<String> names, List<String> options)
      throws IOException, InterruptedException {
    Path directory = Files.createDirectory(context.directory().resolve(name));
    long start = System.nanoTime();
    try (DaemonProcess daemon = DaemonProcess.start(directory, names, options)) {
      long ready = System.nanoTime() - start;
      context.log().println("bench: daemon " + daemon.pid() + " ready, " + name);
      return ready;
    }
  }

  /** All that is attached and idle. */
  private static final class Crowd implements AutoCloseable {
    private final List<AttachedDevice> devices = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    Stamps stamps() {
      Stamps stamps = new Stamps(devices.getFirst());
      opened.add(stamps);
      return stamps;
    }

    /** Channels with a ring, spread over the guests. */
    void fill(int channels) {
      List<Space> spaces = new ArrayList<>();
      for (AttachedDevice device : devices) {
        Space space = device.newSpace();
        spaces.add(space);
        opened.add(space);
      }
      for (int i = 0; i < channels; i++) {
        ClientChannel channel = spaces.get(i % spaces.size()).newChannel();
        opened.add(channel);
      }
    }

    @Override
    public void close() throws Exception {
      for (AutoCloseable each : opened.reversed()) {
        each.close();
      }
      devices.forEach(AttachedDevice::close);
    }
  }
}

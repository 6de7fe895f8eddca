package io.sluice.testbed.bench.submission;

import io.sluice.abi.GpuVa;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.Pushbuffer;
import io.sluice.management.GuestCounters;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.PatientWait;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.workloads.device.ComputePort;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * P1: messages, calls and client-side allocations while work is submitted, counted; and the wall
 * time of copies by a process guest against the same copies on the GPU's backend alone, in turns.
 */
public final class SubmissionBench implements Measurement {
  private static final String GUEST = "bench";
  private static final int WARM_UP = 20_000;
  private static final int SUBMISSIONS = 100_000;
  private static final int SITTINGS = 15;
  private static final int WARM_UP_ROUNDS = 3;
  private static final int ROUNDS = 11;
  private static final int COPIES = 16;
  private static final long COPY_BYTES = 16L << 20;
  private static final long MILLION = 1_000_000;
  private static final double GOAL = 1.005;

  @Override
  public String id() {
    return "P1";
  }

  @Override
  public String title() {
    return "messages, calls and allocations of submissions; copies against the bare backend";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    int submissions = context.samples(SUBMISSIONS);
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(GUEST));
        AttachedDevice device = AttachedDevice.attach(context.kernel(), daemon.socket(GUEST));
        Stamps stamps = new Stamps(device)) {
      submit(stamps, WARM_UP);
      GuestCounters before = daemon.counters(GUEST);
      long allocated = submit(stamps, submissions);
      GuestCounters after = daemon.counters(GUEST);
      List<Figure> figures = new ArrayList<>();
      figures.addAll(
          List.of(
              Figure.info("P1", "submissions", submissions, ""),
              Figure.atMost("P1", "messages", after.messages() - before.messages(), "", 0)
                  .ofMany(submissions),
              Figure.atMost("P1", "calls", after.hypercalls() - before.hypercalls(), "", 0)
                  .ofMany(submissions),
              Figure.atMost(
                      "P1",
                      "bytes allocated per submission by the submitting thread",
                      Math.floor((double) allocated / submissions),
                      "",
                      0)
                  .ofMany(submissions)));
      figures.addAll(copies(context, device, stamps));
      return figures;
    }
  }

  /**
   * The same copies through the virtual device and on the backend alone. Where the pages of a
   * buffer lie makes a copy a few per cent faster or slower, so there are several sittings with
   * buffers of their own, and the ratio is the median of theirs.
   */
  private static List<Figure> copies(BenchContext context, AttachedDevice device, Stamps stamps)
      throws Exception {
    int sittings = context.samples(SITTINGS);
    Samples guest = new Samples();
    Samples bare = new Samples();
    Samples ratios = new Samples();
    try (DirectGpu gpu = new DirectGpu(context.kernel())) {
      stamps.channel.submit(new Pushbuffer().bindEngines());
      for (int i = -1; i < sittings; i++) {
        Samples guests = new Samples();
        Samples bares = new Samples();
        sitting(gpu, device, stamps, guests, bares);
        if (i >= 0) { // the first one warms up
          guest.add(guests.p50());
          bare.add(bares.p50());
          ratios.add(guests.p50() * MILLION / bares.p50());
        }
      }
    }
    return List.of(
        Figure.info("P1", "16 copies of 16 MiB by a process guest", guest.p50() / 1e6, "ms"),
        Figure.info("P1", "the same on the backend alone", bare.p50() / 1e6, "ms"),
        Figure.info("P1", "wall time, guest / backend, least", ratios.percentile(0) / 1e6, ""),
        Figure.info("P1", "wall time, guest / backend, most", ratios.percentile(1) / 1e6, ""),
        Figure.atMost("P1", "wall time, guest / backend: p50", ratios.p50() / 1e6, "", GOAL)
            .ofMany(ratios.count()));
  }

  private static void sitting(
      DirectGpu gpu, AttachedDevice device, Stamps stamps, Samples guest, Samples bare) {
    try (DirectChannel card = gpu.open();
        Buffer source = device.allocateProcess(COPY_BYTES);
        Buffer video = device.allocateVideo(COPY_BYTES)) {
      GpuVa from = stamps.space.map(source);
      GpuVa to = stamps.space.map(video);
      ComputePort.Memory bareSource = card.system(COPY_BYTES);
      ComputePort.Memory bareVideo = card.video(COPY_BYTES);
      source.bytes().fill((byte) 0x5a);
      bareSource.bytes().fill((byte) 0x5a);
      card.run(new Pushbuffer().bindEngines());
      for (int i = -WARM_UP_ROUNDS; i < ROUNDS; i++) {
        long guestNs = 0;
        long bareNs = 0;
        for (int turn = 0; turn < 2; turn++) {
          boolean guestsTurn = (i + turn & 1) == 0; // neither always follows the other
          long start = System.nanoTime();
          if (guestsTurn) {
            int mark = (int) start | 1;
            stamps.channel.submit(manyCopies(from, to).release(stamps.address, mark));
            PatientWait.until(() -> stamps.has(mark));
            guestNs = System.nanoTime() - start;
          } else {
            card.run(manyCopies(bareSource.address(), bareVideo.address()));
            bareNs = System.nanoTime() - start;
          }
        }
        if (i >= 0) {
          guest.add(guestNs);
          bare.add(bareNs);
        }
      }
      stamps.space.unmap(from);
      stamps.space.unmap(to);
    }
  }

  private static Pushbuffer manyCopies(GpuVa from, GpuVa to) {
    Pushbuffer words = new Pushbuffer();
    for (int i = 0; i < COPIES; i++) {
      words.copyM2mf(from, to, COPY_BYTES);
    }
    return words;
  }

  /** Bytes this thread allocated meanwhile. */
  private static long submit(Stamps stamps, int submissions) {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    Pushbuffer words = new Pushbuffer();
    int base = (int) System.nanoTime() | 1;
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < submissions; i++) {
      words.clear();
      words.release(stamps.address, base + i);
      stamps.channel.submit(words);
    }
    stamps.await(base + submissions - 1);
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}

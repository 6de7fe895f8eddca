package io.sluice.testbed.bench.sharing;

import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.QuotaStatus;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.bench.submission.Stamps;
import io.sluice.testbed.machine.BoundedWait;
import io.sluice.testbed.machine.DaemonProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.management.OperationsException;

/**
 * P12: from the change of a guest's limit to the moment it holds no more, against copying as many
 * bytes; and the submission latency of another guest meanwhile, against its own without changes.
 * The software GPU moves no bytes: what is measured is the rest.
 */
public final class QuotaBench implements Measurement {
  private static final String GUEST = "changed";
  private static final String OTHER = "other";
  private static final int BUFFERS = 64;
  private static final long BUFFER_BYTES = 16L << 20;
  private static final long LOW = 512L << 20;
  private static final int CHANGES = 15;
  private static final int CHANGES_A_SECOND = 16;
  private static final double COPY_GOAL = 1.2;
  private static final double LATENCY_GOAL = 1.1;

  /** Looks as often as what is measured wants. */
  private static final BoundedWait SOON =
      new BoundedWait(Duration.ofSeconds(60), Duration.ofNanos(200_000));

  @Override
  public String id() {
    return "P12";
  }

  @Override
  public String title() {
    return "quota change: until the new limit holds, and what another guest notices";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(GUEST, OTHER));
        AttachedDevice guest = AttachedDevice.attach(context.kernel(), daemon.socket(GUEST));
        AttachedDevice other = AttachedDevice.attach(context.kernel(), daemon.socket(OTHER));
        Stamps stamps = new Stamps(other)) {
      DaemonMXBean bean = daemon.connection().daemon();
      long card = Objects.requireNonNull(bean.getGpus().get("embedded")).vramBytes();
      bean.setQuota(OTHER, null, null, 64L << 20, null, null);
      List<Buffer> buffers = new ArrayList<>();
      for (int i = 0; i < BUFFERS; i++) {
        buffers.add(guest.allocateVideo(BUFFER_BYTES));
      }
      Samples until = new Samples();
      for (int i = 0; i < context.samples(CHANGES); i++) {
        long start = System.nanoTime();
        bean.setQuota(GUEST, null, null, LOW, null, null);
        awaitHeld(bean, LOW);
        until.add(System.nanoTime() - start);
        bean.setQuota(GUEST, null, null, card, null, null);
        awaitEvicted(bean, 0);
      }
      long moved = BUFFERS * BUFFER_BYTES - LOW;
      double copyNs = copyNs(moved);
      OtherGuest neighbour = new OtherGuest(stamps, context.longRun());
      neighbour.busy(); // warm
      Samples quietBusy = neighbour.busy();
      Samples quietPaced = neighbour.paced();
      Samples busy = during(bean, card, neighbour::busy);
      Samples paced = during(bean, card, neighbour::paced);
      buffers.forEach(Buffer::close);
      return List.of(
          Figure.info("P12", "until the limit holds: p50", until.p50() / 1e6, "ms"),
          Figure.info("P12", "copying the bytes would take", copyNs / 1e6, "ms"),
          Figure.atMost("P12", "until the limit holds / copy", until.p50() / copyNs, "", COPY_GOAL)
              .ofMany(until.count(), until.p99() / copyNs),
          Figure.info(
              "P12", "another guest that never pauses, p99: quiet", quietBusy.p99() / 1e3, "us"),
          Figure.info("P12", "the same, during changes", busy.p99() / 1e3, "us"),
          Figure.info("P12", "the same, longest: quiet", quietBusy.percentile(1) / 1e6, "ms"),
          Figure.info("P12", "the same, longest: during changes", busy.percentile(1) / 1e6, "ms"),
          Figure.atMost(
                  "P12",
                  "never pauses: p99, during changes / quiet",
                  ratio(busy, quietBusy),
                  "",
                  LATENCY_GOAL)
              .ofMany(busy.count()),
          Figure.info(
              "P12", "one that submits every 500 us, p99: quiet", quietPaced.p99() / 1e3, "us"),
          Figure.info("P12", "the same, during changes", paced.p99() / 1e3, "us"),
          Figure.info("P12", "the same, p50: quiet", quietPaced.p50() / 1e3, "us"),
          Figure.info("P12", "the same, p50: during changes", paced.p50() / 1e3, "us"),
          Figure.atMost(
                  "P12",
                  "every 500 us: p99, during changes / quiet",
                  ratio(paced, quietPaced),
                  "",
                  LATENCY_GOAL)
              .ofMany(paced.count()));
    }
  }

  private static double ratio(Samples during, Samples quiet) {
    return (double) during.p99() / quiet.p99();
  }

  /** What is sampled while a limit goes down and up, {@value #CHANGES_A_SECOND} times a second. */
  private static Samples during(DaemonMXBean bean, long card, Supplier<Samples> sampled)
      throws InterruptedException {
    boolean[] stop = new boolean[1];
    Thread changes =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                for (boolean low = true; !stopped(stop); low = !low) {
                  bean.setQuota(GUEST, null, null, low ? LOW : card, null, null);
                  Thread.sleep(1000 / CHANGES_A_SECOND); // the load's pace
                }
              } catch (InterruptedException | OperationsException e) {
                throw new IllegalStateException(e);
              }
            });
    Samples samples = sampled.get();
    synchronized (stop) {
      stop[0] = true;
    }
    changes.join();
    return samples;
  }

  private static boolean stopped(boolean[] stop) {
    synchronized (stop) {
      return stop[0];
    }
  }

  private static QuotaStatus quota(DaemonMXBean bean) {
    return Objects.requireNonNull(bean.getQuotas().get(GUEST));
  }

  private static void awaitHeld(DaemonMXBean bean, long bytes)
      throws IOException, InterruptedException {
    SOON.until("the limit holds", () -> quota(bean).heldBytes() <= bytes);
  }

  private static void awaitEvicted(DaemonMXBean bean, long bytes)
      throws IOException, InterruptedException {
    SOON.until("all is back", () -> quota(bean).evictedBytes() <= bytes);
  }

  private static double copyNs(long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(BUFFER_BYTES);
      MemorySegment to = arena.allocate(BUFFER_BYTES);
      from.fill((byte) 1);
      to.copyFrom(from);
      long start = System.nanoTime();
      for (long done = 0; done < bytes; done += BUFFER_BYTES) {
        to.copyFrom(from);
      }
      return System.nanoTime() - start;
    }
  }
}

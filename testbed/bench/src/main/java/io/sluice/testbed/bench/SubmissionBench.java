package io.sluice.testbed.bench;

import io.sluice.guest.GuestDevice;
import io.sluice.guest.Pushbuffer;
import io.sluice.management.GuestCounters;
import io.sluice.testbed.machine.DaemonProcess;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * P1, what is counted: messages, calls and client-side allocations while work is submitted. Whether
 * the work was done is seen by its last fence.
 */
final class SubmissionBench implements Measurement {
  private static final String GUEST = "bench";
  private static final int WARM_UP = 20_000;
  private static final int SUBMISSIONS = 100_000;

  @Override
  public String id() {
    return "P1";
  }

  @Override
  public String title() {
    return "messages, calls and allocations of submissions (counted)";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    int submissions = context.samples(SUBMISSIONS);
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(GUEST));
        GuestDevice device = GuestDevice.attach(context.kernel(), daemon.socket(GUEST));
        Stamps stamps = new Stamps(device)) {
      submit(stamps, WARM_UP);
      GuestCounters before = daemon.counters(GUEST);
      long allocated = submit(stamps, submissions);
      GuestCounters after = daemon.counters(GUEST);
      return List.of(
          Figure.info("P1", "submissions", submissions, ""),
          Figure.atMost("P1", "messages", after.messages() - before.messages(), "", 0),
          Figure.atMost("P1", "calls", after.hypercalls() - before.hypercalls(), "", 0),
          Figure.atMost(
              "P1",
              "bytes allocated per submission by the submitting thread",
              Math.floor((double) allocated / submissions),
              "",
              0));
    }
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

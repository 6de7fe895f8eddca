package io.sluice.testbed.conformance.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.QuotaStatus;
import io.sluice.management.local.LocalConnection;
import io.sluice.testbed.checks.LeakCheck;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Limits that go down and up, in a real sluiced with an NVIDIA GPU; how long that takes, P12, is
 * printed.
 */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class NvidiaQuotaTest {
  private static final int BYTES = CopyingGuest.BYTES;
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final long ALL = 40 * GIB;

  /** Moved at most, by any of these; made beforehand. */
  private static final long STAGING = 16 * GIB;

  /** What the daemon says of a change. */
  private static final Pattern HELD = Pattern.compile("held-us=(\\d+)");

  private static final int ROUNDS = 6;
  private static final int MORE_ROUNDS = 24;

  /** Of a client that watches the daemon, before it changes anything. */
  private static final int QUESTIONS = 2000;

  private static final int COPIES = 64;

  /** A daemon is at rest when somebody changes a quota: longer than it looks after its work. */
  private static final long REST_MS = 3000;

  /** Of a limit that goes down and up again and again. */
  private static final long BETWEEN_CHANGES_MS = 60;

  @TempDir private Path directory;

  @RegisterExtension
  final NvidiaDaemon daemon =
      new NvidiaDaemon(
          () -> directory,
          "staging = \"16GiB\"\n",
          "[[guest]]\nname = \"a\"\n\n[[guest]]\nname = \"b\"\n");

  /** A guest whose buffers have something of their own in their first bytes. */
  private final class Holder implements AutoCloseable {
    final CopyingGuest guest;
    private final List<Long> buffers = new ArrayList<>();

    Holder(int count, long bytes) {
      guest = daemon.guest("a");
      for (int i = 0; i < count; i++) {
        buffers.add(guest.space.map(guest.device.allocateVideo(bytes)).value());
        guest.half(0).fill((byte) (0x10 + i));
        assertThat(guest.copy(guest.at + HopperRing.SIZE_BYTES, buffers.getLast())).isTrue();
      }
    }

    /** Works, so that the clocks are those of a GPU in use; bytes per ms from video memory. */
    double work() {
      HopperCommands commands = new HopperCommands().bindCopy();
      long last = 0;
      for (int i = 0; i < 4 * COPIES; i++) {
        commands.copy(new GpuVa(guest.video), new GpuVa(guest.video + BYTES / 2), BYTES / 2);
        last = guest.ring.submitWithRelease(commands);
        commands.clear();
        if (i % COPIES == COPIES - 1) {
          assertThat(guest.done(last)).isTrue(); // the ring is not as long as this is
        }
      }
      long start = System.nanoTime();
      for (int i = 0; i < COPIES; i++) {
        long to = guest.at + HopperRing.SIZE_BYTES;
        last =
            guest.ring.submitWithRelease(
                commands.clear().copy(new GpuVa(guest.video), new GpuVa(to), BYTES));
      }
      assertThat(guest.done(last)).isTrue();
      return COPIES * (double) BYTES / (System.nanoTime() - start) * 1e6;
    }

    void verify() {
      for (int i = 0; i < buffers.size(); i++) {
        guest.half(0).fill((byte) (0x10 + i));
        guest.half(1).fill((byte) 0);
        assertThat(guest.copy(buffers.get(i), guest.at + HopperRing.SIZE_BYTES + BYTES)).isTrue();
        assertThat(guest.half(1).mismatch(guest.half(0))).as("buffer %d", i).isEqualTo(-1);
      }
    }

    @Override
    public void close() {
      guest.close();
    }
  }

  private static void limit(DaemonMXBean bean, long bytes) throws Exception {
    bean.setQuota("a", null, null, bytes, null, null);
  }

  /** How long the daemon says that each change took until guests were kept to it. */
  private List<Double> heldMs(int count) throws Exception {
    List<Double> all = new ArrayList<>();
    NvidiaDaemon.SOON.until(
        "changes that are held, " + count,
        () -> {
          all.clear();
          Matcher matcher = HELD.matcher(daemon.log());
          while (matcher.find()) {
            all.add(Long.parseLong(matcher.group(1)) / 1e3);
          }
          return all.size() >= count;
        });
    return all;
  }

  /** Moves so much out and back, again and again. */
  private void change(DaemonMXBean bean, Holder holder, long low, int rounds) throws Exception {
    for (int round = 0; round < rounds; round++) {
      double bytesPerMs = holder.work();
      int before = heldMs(0).size();
      long start = System.nanoTime();
      limit(bean, low);
      double outMs = (System.nanoTime() - start) / 1e6;
      QuotaStatus lowered = quota(bean);
      assertThat(lowered.heldBytes()).isLessThanOrEqualTo(low);
      start = System.nanoTime();
      limit(bean, ALL);
      double backMs = (System.nanoTime() - start) / 1e6;
      assertThat(quota(bean).evictedBytes()).isZero();
      List<Double> held = heldMs(before + 2);
      double copyMs = lowered.evictedBytes() / bytesPerMs;
      System.out.printf(
          Locale.ROOT,
          "P12 %d MiB, round %d: held after %.2f ms over JMX, %.2f in the daemon; copy %.2f ms at"
              + " %.1f GB/s, ratios %.3f, %.3f; back after %.2f and %.2f ms%n",
          lowered.evictedBytes() / MIB,
          round,
          outMs,
          held.get(before),
          copyMs,
          bytesPerMs / 1e6,
          outMs / copyMs,
          held.get(before) / copyMs,
          backMs,
          held.get(before + 1));
    }
  }

  /** P12; memory of the host was made before, as much as may leave. */
  @Test
  void quota_loweredAndRaised_holdsAboutAsSoonAsTheBytesAreCopied() throws Exception {
    daemon.awaitPrepared(1);
    long prepared;
    try (LocalConnection connection = daemon.connect();
        Holder small = new Holder(16, 64 * MIB)) {
      DaemonMXBean bean = connection.daemon();
      change(bean, small, 512 * MIB, ROUNDS); // as code that runs for the first times
      for (int i = 0; i < QUESTIONS; i++) {
        assertThat(bean.getState()).isEqualTo("running");
      }
      change(bean, small, 512 * MIB, MORE_ROUNDS);
      small.verify();
      prepared = daemon.timesPrepared();
    }
    daemon.awaitPrepared(prepared + 1); // what the guest had is cleared
    try (LocalConnection connection = daemon.connect();
        Holder large = new Holder(17, GIB)) {
      for (long leave : new long[] {2 * GIB, 8 * GIB, STAGING}) {
        // What the guest has beside them is the 8 MiB of its own.
        change(connection.daemon(), large, 17 * GIB + BYTES - leave, ROUNDS);
      }
      large.verify();
    }
  }

  private static long[] latencies(CopyingGuest guest, int count) {
    return latencies(guest, count, _ -> {});
  }

  /**
   * How long submissions take, ascending.
   *
   * @param work what each one does
   */
  private static long[] latencies(CopyingGuest guest, int count, Consumer<HopperCommands> work) {
    long[] each = new long[count];
    HopperCommands commands = new HopperCommands();
    for (int i = 0; i < count; i++) {
      long start = System.nanoTime();
      work.accept(commands.clear());
      long done = guest.ring.submitWithRelease(commands);
      assertThat(guest.done(done)).isTrue();
      each[i] = System.nanoTime() - start;
    }
    Arrays.sort(each);
    return each;
  }

  /** What another guest notices. */
  @Test
  void quota_changedAgainAndAgain_leavesAnotherGuestAlone() throws Exception {
    try (LocalConnection connection = daemon.connect();
        Holder a = new Holder(16, 64 * MIB);
        var b = daemon.guest("b")) {
      DaemonMXBean bean = connection.daemon();
      Thread.sleep(REST_MS);
      latencies(b, 20_000);
      long quiet = latencies(b, 20_000)[19_800];
      // Of what it does the bus carries the submission alone.
      GpuVa from = new GpuVa(b.space.map(b.device.allocateVideo(BYTES)).value());
      Consumer<HopperCommands> inside = c -> c.bindCopy().copy(from, new GpuVa(b.video), BYTES);
      latencies(b, 5_000, inside); // the clocks go up meanwhile
      long quietInside = latencies(b, 5_000, inside)[4_950];
      Thread changes = Thread.ofPlatform().start(() -> changeAgainAndAgain(bean, 512 * MIB));
      printOther("p99", quiet, latencies(b, 200_000)[198_000]);
      changes.join();
      changes = Thread.ofPlatform().start(() -> changeAgainAndAgain(bean, 512 * MIB));
      printOther(
          "p99 of 8 MiB inside video memory", quietInside, latencies(b, 9_000, inside)[8_910]);
      changes.join();
      a.verify();
    }
  }

  private static void printOther(String what, long quiet, long disturbed) {
    System.out.printf(
        Locale.ROOT,
        "P12 another guest's %s: quiet %.2f us, meanwhile %.2f us, ratio %.3f%n",
        what,
        quiet / 1e3,
        disturbed / 1e3,
        (double) disturbed / quiet);
  }

  private static QuotaStatus quota(DaemonMXBean bean) {
    return Objects.requireNonNull(bean.getQuotas().get("a"));
  }

  private static void changeAgainAndAgain(DaemonMXBean bean, long low) {
    try {
      for (int i = 0; i < 16; i++) {
        bean.setQuota("a", null, null, i % 2 == 0 ? low : ALL, null, null);
        Thread.sleep(BETWEEN_CHANGES_MS);
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}

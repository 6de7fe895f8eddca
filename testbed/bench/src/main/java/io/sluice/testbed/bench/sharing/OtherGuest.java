package io.sluice.testbed.bench.sharing;

import io.sluice.guest.Pushbuffer;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.submission.Stamps;
import java.util.concurrent.locks.LockSupport;

/**
 * A guest whose submissions are timed for some seconds, whatever their number: of a fixed number,
 * which a guest that never pauses makes in milliseconds, most fall into what disturbs it, or none.
 */
final class OtherGuest {
  private static final long LASTS_NS = 3_000_000_000L;
  private static final long PACE_NS = 500_000;
  private static final int MOST_A_SECOND = 5_000_000;

  private final Stamps stamps;
  private final long lastsNs;
  private final Pushbuffer words = new Pushbuffer();
  private int payload = (int) System.nanoTime() | 1;

  OtherGuest(Stamps stamps, boolean longRun) {
    this.stamps = stamps;
    lastsNs = longRun ? 4 * LASTS_NS : LASTS_NS;
  }

  /** Submits, waits for it, submits again: from the submission to the GPU's stamp. */
  Samples busy() {
    int most = Math.toIntExact(lastsNs / 1_000_000_000 * MOST_A_SECOND);
    Samples result = new Samples();
    long end = System.nanoTime() + lastsNs;
    for (int i = 0; i < most; i++) {
      long start = System.nanoTime();
      if (start > end) {
        break;
      }
      submit();
      result.add(Math.max(0, stamps.await(payload) - start));
    }
    return result;
  }

  /**
   * Submits at fixed times and sleeps in between, also while it waits: from the submission to the
   * GPU's stamp, and from the time that it was due where the one before it took that long.
   */
  Samples paced() {
    int count = Math.toIntExact(lastsNs / PACE_NS);
    Samples result = new Samples();
    long first = System.nanoTime();
    for (int i = 0; i < count; i++) {
      long due = first + i * PACE_NS;
      long start = System.nanoTime();
      boolean late = start > due;
      for (; start < due; start = System.nanoTime()) {
        LockSupport.parkNanos(due - start);
      }
      submit();
      result.add(Math.max(0, stamps.awaitAsleep(payload) - (late ? due : start)));
    }
    return result;
  }

  private void submit() {
    words.clear();
    words.releaseWithTime(stamps.address, ++payload);
    stamps.channel.submit(words);
  }
}

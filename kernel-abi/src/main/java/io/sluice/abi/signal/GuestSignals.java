package io.sluice.abi.signal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Kernel;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.LongSupplier;

/**
 * The signals to the peers of guests. A guest whose signals were not prompt is denied them at its
 * next peers, too, and nobody else is: each has an allowance of its own. That of a guest that had
 * no new peer for longest is forgotten when there are {@link #MOST_GUESTS}.
 *
 * <p>Any thread may call.
 */
public final class GuestSignals {
  /** More guests than a host has, some times over. */
  static final int MOST_GUESTS = 1024;

  private final Kernel kernel;
  private final LongSupplier clock;

  @GuardedBy("this")
  private final SequencedMap<String, PromptSignals> guests = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * @param clock monotonic time in nanoseconds
   */
  public GuestSignals(Kernel kernel, LongSupplier clock) {
    this.kernel = kernel;
    this.clock = clock;
  }

  /**
   * Those to one more peer of a guest.
   *
   * @param guest the operator's name of it
   */
  public synchronized PromptSignals peerOf(String guest) {
    PromptSignals all = guests.computeIfAbsent(guest, _ -> new PromptSignals(kernel, clock));
    if (guests.size() > MOST_GUESTS) {
      guests.pollFirstEntry();
    }
    return all.child();
  }
}

package io.sluice.channel.policy;

import io.sluice.channel.guest.MemoryUse;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The counts of what was done to each guest, which also tell of it. Guarded by the lock of the
 * quotas.
 */
final class MoveCounts {
  private static final Logger log = LoggerFactory.getLogger(MoveCounts.class);

  private final Map<String, QuotaCounters> counters = new TreeMap<>();
  private final QuotaListener listener;

  MoveCounts(QuotaListener listener) {
    this.listener = listener;
  }

  void admit(String guest) {
    counters.putIfAbsent(guest, QuotaCounters.NONE);
  }

  void remove(String guest) {
    counters.remove(guest);
  }

  QuotaCounters of(String guest) {
    return counters.getOrDefault(guest, QuotaCounters.NONE);
  }

  /** Buffers of a guest, or pieces of its programs' memory, have moved. */
  void moved(String guest, int pieces, boolean toSystem) {
    if (pieces > 0) {
      counters.computeIfPresent(
          guest, (_, before) -> toSystem ? before.plus(pieces, 0, 0) : before.plus(0, pieces, 0));
      listener.onMoved(guest, pieces, toSystem);
      log.atInfo()
          .addKeyValue("guest", guest)
          .addKeyValue("buffers", pieces)
          .log(toSystem ? "buffers evicted" : "buffers returned");
    }
  }

  /** An allocation was refused. */
  void refused(String guest, long bytes, MemoryUse use) {
    counters.computeIfPresent(guest, (_, before) -> before.plus(0, 0, 1));
    listener.onRefused(guest, bytes, use);
  }
}

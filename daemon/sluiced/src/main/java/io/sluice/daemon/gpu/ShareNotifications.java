package io.sluice.daemon.gpu;

import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.channel.guest.MemoryUse;
import io.sluice.channel.policy.QuotaListener;
import io.sluice.channel.policy.Watchdog;
import io.sluice.daemon.runtime.DaemonEvent;
import io.sluice.management.NotificationTypes;
import io.sluice.management.Quantities;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue of notifications about guests' shares: filled by any thread under any lock, emptied by
 * one thread under none. When too many wait the rest is dropped and counted.
 */
final class ShareNotifications implements QuotaListener {
  private static final Logger LOG = LoggerFactory.getLogger(ShareNotifications.class);

  /** Events that wait. */
  static final int MAX_WAITING = 1024;

  /** Least time between two notifications of one guest's refused allocations. */
  static final Duration REFUSAL_INTERVAL = Duration.ofSeconds(1);

  private final BlockingQueue<DaemonEvent> waiting = new LinkedBlockingQueue<>(MAX_WAITING);
  private final AtomicLong dropped = new AtomicLong();

  @GuardedBy("this")
  private final Map<String, Long> refusedNs = new HashMap<>();

  private final LongSupplier clock;
  private final Runnable kick;

  /**
   * @param clock monotonic nanoseconds
   * @param kick called when something waits
   */
  ShareNotifications(LongSupplier clock, Runnable kick) {
    this.clock = clock;
    this.kick = kick;
  }

  @Override
  public void onMoved(String guest, int buffers, boolean toSystem) {
    note(
        NotificationTypes.QUOTA_MOVED,
        String.format(
            Locale.ROOT,
            "%s: %d buffers to %s memory",
            guest,
            buffers,
            toSystem ? "system" : "video"),
        ImmutableMap.of("guest", guest, "buffers", buffers, "toSystemMemory", toSystem));
  }

  @Override
  public void onRefused(String guest, long bytes, MemoryUse use) {
    if (!noteRefusal(guest)) {
      return;
    }
    note(
        NotificationTypes.QUOTA_EXCEEDED,
        String.format(
            Locale.ROOT,
            "%s: %s refused, holds %s of %s",
            guest,
            Quantities.formatSize(bytes),
            Quantities.formatSize(use.videoBytes()),
            Quantities.formatSize(use.limitBytes())),
        ImmutableMap.of(
            "guest",
            guest,
            "requestedBytes",
            bytes,
            "heldBytes",
            use.videoBytes(),
            "limitBytes",
            use.limitBytes()));
  }

  /** False when the last one that was noted is not long ago: that stands for this one, too. */
  private synchronized boolean noteRefusal(String guest) {
    long now = clock.getAsLong();
    Long before = refusedNs.get(guest);
    if (before != null && now - before < REFUSAL_INTERVAL.toNanos()) {
      return false;
    }
    refusedNs.put(guest, now);
    return true;
  }

  void onKill(Watchdog.Kill kill) {
    note(
        NotificationTypes.CHANNEL_KILLED,
        String.format(
            Locale.ROOT,
            "%s: channel %d, its command lasted %d ms of %d",
            kill.guest(),
            kill.channelId(),
            kill.lastedMs(),
            kill.limitMs()),
        ImmutableMap.of(
            "guest",
            kill.guest(),
            "channel",
            kill.channelId(),
            "lastedMs",
            kill.lastedMs(),
            "limitMs",
            kill.limitMs()));
  }

  private void note(String type, String message, ImmutableMap<String, Object> fields) {
    if (waiting.offer(new DaemonEvent(type, message, fields))) {
      kick.run();
    } else {
      dropped.incrementAndGet();
    }
  }

  /** Hands on what waits. */
  void tell(Consumer<DaemonEvent> listener) {
    for (DaemonEvent event = waiting.poll(); event != null; event = waiting.poll()) {
      listener.accept(event);
    }
    long lost = dropped.getAndSet(0);
    if (lost > 0) {
      LOG.atWarn().addKeyValue("events", lost).log("too much happened to shares to tell it all");
    }
  }
}

package io.sluice.daemon;

import io.sluice.abi.RefusedException;
import io.sluice.channel.Capability;
import io.sluice.channel.Gpu;
import io.sluice.channel.Guest;
import io.sluice.channel.GuestGpu.TimeUsage;
import io.sluice.channel.MemoryQuotas;
import io.sluice.channel.Watchdog;
import io.sluice.daemon.config.QuotaSettings;
import io.sluice.daemon.config.QuotaSettings.BeyondShare;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.Quantities;
import io.sluice.management.QuotaStatus;
import io.sluice.quota.Admission;
import io.sluice.quota.GuestQuota;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import javax.management.OperationsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the guests of one GPU share: their quotas and their watchdog, and the thread that sees to
 * both.
 */
final class GuestShares implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GuestShares.class);

  /** How long an operator's change is waited for. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Gpu gpu;
  private final MemoryQuotas quotas;
  private final Watchdog watchdog;
  private final SharingLoop loop;
  private final ChangeTimer timer;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<String, QuotaSettings> settings = new HashMap<>();
  private final Map<String, Past> past = new HashMap<>();
  private final Map<String, Guest> attached = new HashMap<>();

  /** What was counted while former clients of a guest were attached. */
  private record Past(Watchdog.Counters kills, TimeUsage time) {
    static final Past NONE = new Past(Watchdog.Counters.NONE, TimeUsage.NONE);

    Past plus(Watchdog.Counters moreKills, TimeUsage moreTime) {
      return new Past(kills.plus(moreKills), time.plus(moreTime));
    }
  }

  /** What the thread does. */
  private record Duties(Gpu gpu, MemoryQuotas quotas, Watchdog watchdog, ChangeTimer timer)
      implements Sharing.Work {
    @Override
    public void rebalance(Runnable held) {
      timer.begin();
      MemoryQuotas.Moves _ =
          quotas.rebalance(() -> {
            held.run();
            timer.held();
          });
      timer
          .heldUs()
          .ifPresent(us ->
              LOG.atInfo()
                  .addKeyValue("gpu", gpu.info().name())
                  .addKeyValue("held-us", us)
                  .log("guests are kept to changed quotas"));
    }

    @Override
    public void watch(long nowNs) {
      int _ = watchdog.doWork(nowNs);
    }

    @Override
    public long watchDueInNs() {
      return watchdog.dueInNs();
    }

    @Override
    public long tend() {
      return Math.min(gpu.tend(), gpu.countTime());
    }
  }

  private GuestShares(
      Gpu gpu,
      MemoryQuotas quotas,
      Watchdog watchdog,
      SharingLoop loop,
      ChangeTimer timer,
      Thread thread) {
    this.gpu = gpu;
    this.quotas = quotas;
    this.watchdog = watchdog;
    this.loop = loop;
    this.timer = timer;
    this.thread = thread;
  }

  /**
   * Starts the thread.
   *
   * @param clock monotonic nanoseconds
   * @param notifications told, on that thread, of what happens: the type of a notification and its
   *     message
   */
  static GuestShares start(
      Gpu gpu, Threads threads, LongSupplier clock, BiConsumer<String, String> notifications) {
    SharingLoop loop = new SharingLoop(clock);
    ShareEvents events = new ShareEvents(clock, loop::wake, loop::nudge);
    MemoryQuotas quotas = new MemoryQuotas(gpu.info().vramBytes(), events);
    Watchdog watchdog = new Watchdog(events::onKill);
    ChangeTimer timer = new ChangeTimer(clock);
    loop.setSharing(
        new Sharing(new Duties(gpu, quotas, watchdog, timer)), () -> events.tell(notifications));
    gpu.onTend(loop::nudge);
    Thread thread = threads.start("sluice-" + gpu.info().name() + "-share", loop);
    return new GuestShares(gpu, quotas, watchdog, loop, timer, thread);
  }

  /**
   * Gives a guest its quota, or another one.
   *
   * @param failed what does not happen when this is refused, for the message
   * @throws OperationsException a {@link Problem} with the numbers; nothing has changed then
   */
  void set(String failed, String guest, QuotaSettings wanted) throws OperationsException {
    long since = timer.now();
    lock.lock();
    try {
      if (wanted.beyondShare() == BeyondShare.SYSTEM_MEMORY
          && !gpu.capabilities().contains(Capability.EVICTION)) {
        throw Problem.of(
                ErrorCode.QUOTA_POLICY,
                failed,
                "GPU \"" + gpu.info().name() + "\" cannot move buffers to system memory",
                "set beyond-share to out-of-memory")
            .exception();
      }
      MemoryQuotas.Settings memory = memory(wanted);
      if (quotas.check(guest, memory) instanceof Admission.Refused refused) {
        throw problem(failed, wanted, refused).exception();
      }
      quotas.set(guest, memory);
      settings.put(guest, wanted);
      watchdog.setLimitIfThere(guest, wanted.killTimeout());
      Guest there = attached.get(guest);
      if (there != null) {
        weigh(there, wanted.weight());
      }
    } finally {
      lock.unlock();
    }
    timer.asked(since);
    loop.wakeUrgently();
  }

  /**
   * Waits until guests are kept to what {@link #set} has said so far, but not for long: memory of
   * the host that has to be made first takes its time.
   */
  void awaitHeld() {
    try {
      boolean _ = loop.awaitUrgentChanges(PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Forgets a guest that is not attached. */
  void remove(String guest) {
    lock.lock();
    try {
      quotas.remove(guest);
      settings.remove(guest);
      past.remove(guest);
    } finally {
      lock.unlock();
    }
  }

  /** From now on a guest that has a quota is kept to it. */
  void attach(Guest guest) {
    lock.lock();
    try {
      quotas.attach(guest);
      attached.put(guest.name(), guest);
      QuotaSettings set = settings.getOrDefault(guest.name(), QuotaSettings.DEFAULT);
      weigh(guest, set.weight());
      if (guest.capabilities().contains(Capability.KILL)) {
        watchdog.add(guest);
        watchdog.setLimitIfThere(guest.name(), set.killTimeout());
      }
    } finally {
      lock.unlock();
    }
    loop.wake();
  }

  /** Before a guest is closed. */
  void detach(Guest guest) {
    lock.lock();
    try {
      if (attached.remove(guest.name(), guest)) {
        past.put(
            guest.name(),
            past.getOrDefault(guest.name(), Past.NONE)
                .plus(watchdog.remove(guest.name()), time(guest)));
      }
      quotas.detach(guest);
    } finally {
      lock.unlock();
    }
  }

  /**
   * How a guest stands.
   *
   * @param made the quota it was made with
   */
  QuotaStatus status(String guest, QuotaSettings made) {
    lock.lock();
    try {
      QuotaSettings set = settings.getOrDefault(guest, QuotaSettings.DEFAULT);
      MemoryQuotas.Standing standing = quotas.standing(guest);
      MemoryQuotas.Counters moves = quotas.counters(guest);
      Guest there = attached.get(guest);
      Past all =
          past.getOrDefault(guest, Past.NONE)
              .plus(watchdog.countersIfThere(guest), there == null ? TimeUsage.NONE : time(there));
      return new QuotaStatus(
          guest,
          gpu.info().name(),
          set.minimumBytes(),
          set.weight(),
          limitBytes(set),
          set.beyondShare().text(),
          set.killTimeout().toMillis(),
          !set.equals(made),
          standing.usesGpu(),
          standing.shareBytes(),
          standing.heldBytes(),
          standing.evictedBytes(),
          moves.evictions(),
          moves.returns(),
          moves.refusals(),
          all.kills().kills(),
          all.kills().putOff(),
          all.time().gpuNs(),
          all.time().waitNs());
    } finally {
      lock.unlock();
    }
  }

  /** Where the GPU does not share its time, nothing happens. */
  private static void weigh(Guest guest, int weight) {
    if (guest.capabilities().contains(Capability.TIME_SHARES)) {
      try {
        guest.setTimeWeight(weight);
      } catch (RefusedException gone) {
        LOG.atDebug().setCause(gone).log("gone before it was given its weight");
      }
    }
  }

  private static TimeUsage time(Guest guest) {
    try {
      return guest.timeUsage().orElse(TimeUsage.NONE);
    } catch (RefusedException _) {
      return TimeUsage.NONE; // gone
    }
  }

  private long limitBytes(QuotaSettings set) {
    long card = gpu.info().vramBytes();
    return set.limitBytes() == 0 ? card : Math.min(card, set.limitBytes());
  }

  private static MemoryQuotas.Settings memory(QuotaSettings wanted) {
    return new MemoryQuotas.Settings(
        wanted.minimumBytes(),
        wanted.weight(),
        wanted.limitBytes() == 0 ? GuestQuota.NO_LIMIT : wanted.limitBytes(),
        wanted.beyondShare() == BeyondShare.SYSTEM_MEMORY);
  }

  /** The refusal of the policy in an operator's units. */
  private Problem problem(String failed, QuotaSettings wanted, Admission.Refused refused) {
    if (!refused.code().equals(Admission.DOES_NOT_FIT)) {
      return new Problem(refused.code(), failed, refused.cause(), refused.fix());
    }
    return new Problem(
        refused.code(),
        failed,
        String.format(
            Locale.ROOT,
            "the minimums of the other guests leave %s of %s on %s, %s requested",
            Quantities.formatSize(refused.leftBytes()),
            Quantities.formatSize(gpu.info().vramBytes()),
            gpu.info().name(),
            Quantities.formatSize(wanted.minimumBytes())),
        "ask for a minimum of "
            + Quantities.formatSize(refused.leftBytes())
            + " or less, or lower another guest's: sluicectl quota show");
  }

  /** Ends the thread; the guests are gone. */
  @Override
  public void close() {
    loop.stop();
    Threads.joinUninterruptibly(thread);
  }
}

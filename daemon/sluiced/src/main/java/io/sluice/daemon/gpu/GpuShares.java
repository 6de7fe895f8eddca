package io.sluice.daemon.gpu;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.RefusedException;
import io.sluice.channel.Capability;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu.TimeUsage;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.MemoryUse;
import io.sluice.channel.nvidia.relay.ProgramRelay;
import io.sluice.channel.policy.MemoryQuotas;
import io.sluice.channel.policy.Moves;
import io.sluice.channel.policy.QuotaCounters;
import io.sluice.channel.policy.Watchdog;
import io.sluice.daemon.runtime.DaemonEvent;
import io.sluice.daemon.runtime.Threads;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.Quantities;
import io.sluice.management.QuotaStatus;
import io.sluice.quota.Admission;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shares of the guests of one GPU: their quotas, their watchdog, and the threads that see to
 * them. Under its lock no guest is asked anything that its own work may delay.
 */
public final class GpuShares implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GpuShares.class);

  /** Longest wait for an operator's change. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Gpu gpu;
  private final LongSupplier clock;
  private final Consumer<DaemonEvent> listener;
  private final ShareLoop sharing;
  private final WatchLoop watching;
  private final ShareNotifications notifications;
  private final MemoryQuotas quotas;
  private final Watchdog watchdog;
  private final ProgramMoves moves;
  private final Threads threads;
  private final Thread sharer;
  private final Thread watcher;

  /** Moves programs' memory; there is none before the first guest takes programs. */
  @GuardedBy("lock")
  private @Nullable Thread moving;

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<String, Past> past = new HashMap<>();

  @GuardedBy("lock")
  private final Map<String, Guest> attached = new HashMap<>();

  /** Of guests that take CUDA programs; of one that is closed nothing more is heard. */
  @GuardedBy("lock")
  private final Map<String, ProgramRelay> relays = new HashMap<>();

  /** Counts of the time in which former clients of a guest were attached. */
  private record Past(Watchdog.WatchdogCounters kills, TimeUsage time) {
    static final Past NONE = new Past(Watchdog.WatchdogCounters.NONE, TimeUsage.NONE);

    Past plus(Watchdog.WatchdogCounters moreKills, TimeUsage moreTime) {
      return new Past(kills.plus(moreKills), time.plus(moreTime));
    }
  }

  /** The work of the thread that moves memory. */
  private final class Sharing implements ShareLoop.ShareDuties {
    @Override
    public void rebalance(Runnable held) {
      Moves _ = quotas.rebalance(held);
      moves.kick();
    }

    @Override
    public void onHeld(long afterUs) {
      LOG.atInfo()
          .addKeyValue("gpu", gpu.info().name())
          .addKeyValue("held-us", afterUs)
          .log("guests are kept to changed quotas");
    }
  }

  /** The work of the thread that watches. */
  private final class Watching implements WatchLoop.WatchDuties {
    @Override
    public void watch(long nowNs) {
      int _ = watchdog.doWork(nowNs);
    }

    @Override
    public long watchDueInNs() {
      return watchdog.dueInNs();
    }

    @Override
    public long poll() {
      return Math.min(gpu.poll(gpu.timeNs()), gpu.countTime());
    }

    @Override
    public void afterwards() {
      notifications.tell(listener);
    }
  }

  /**
   * Starts the threads.
   *
   * @param clock monotonic nanoseconds
   * @param listener told, on one of them, of what happens: the type of a notification and its
   *     message
   */
  GpuShares(Gpu gpu, Threads threads, LongSupplier clock, Consumer<DaemonEvent> listener) {
    this.gpu = gpu;
    this.clock = clock;
    this.listener = listener;
    sharing = new ShareLoop(new Sharing(), clock);
    watching = new WatchLoop(new Watching(), clock);
    notifications = new ShareNotifications(clock, watching::kick);
    quotas = new MemoryQuotas(gpu.info().vramBytes(), clock, sharing::noteChange, notifications);
    watchdog = new Watchdog(notifications::onKill);
    moves = new ProgramMoves(quotas, clock);
    this.threads = threads;
    gpu.setWakeup(watching::kick);
    sharer = threads.start("sluice-" + gpu.info().name() + "-share", sharing.thread());
    watcher = threads.start("sluice-" + gpu.info().name() + "-watch", watching.thread());
  }

  /**
   * Gives a guest its quota, or another one.
   *
   * @param failed what does not happen when this is refused, for the message
   * @throws OperationsException a {@link Problem} with the numbers; nothing has changed then
   */
  public void set(String failed, String guest, Quota wanted) throws OperationsException {
    long since = clock.getAsLong();
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
      if (quotas.set(guest, wanted) instanceof Admission.Refused refused) {
        throw problem(failed, wanted, refused).exception();
      }
      watchdog.setLimitIfThere(guest, wanted.killTimeout());
      ProgramRelay relay = relays.get(guest);
      if (relay != null) {
        relay.setWeight(wanted.weight());
      }
    } finally {
      lock.unlock();
    }
    attached(guest).ifPresent(this::weigh);
    watching.kick(); // a shorter limit has it look sooner
    sharing.noteUrgentChange(since);
  }

  /**
   * Waits until guests are kept to what {@link #set} has said so far, but not for long: memory of
   * the host that has to be made first takes its time.
   */
  public void awaitHeld() {
    try {
      boolean _ = sharing.awaitUrgentChanges(PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Forgets a guest that is not attached. */
  public void remove(String guest) {
    lock.lock();
    try {
      quotas.remove(guest);
      past.remove(guest);
      relays.remove(guest);
    } finally {
      lock.unlock();
    }
  }

  /** From now on a guest's CUDA programs have its weight, with its own channels. */
  public void serve(String guest, ProgramRelay relay) {
    lock.lock();
    try {
      relays.put(guest, relay);
      quotas.setMover(guest, relay);
      if (moving == null) {
        moving = threads.start("sluice-" + gpu.info().name() + "-move", moves.thread());
      }
      relay.setWeight(quotas.quota(guest).weight());
    } finally {
      lock.unlock();
    }
  }

  /** What a guest may have; the default of one that was given nothing. */
  public Quota quota(String guest) {
    return quotas.quota(guest);
  }

  /** The part of a guest's share that its CUDA programs take. */
  public MemoryBudget programMemory(String guest) {
    return quotas.programs(guest);
  }

  /** Video memory that a guest's CUDA programs have. */
  public long programBytes(String guest) {
    return quotas.programBytes(guest);
  }

  private Optional<Guest> attached(String guest) {
    lock.lock();
    try {
      return Optional.ofNullable(attached.get(guest));
    } finally {
      lock.unlock();
    }
  }

  /** From now on a guest that has a quota is kept to it. */
  public void attach(Guest guest) {
    lock.lock();
    try {
      Quota quota = quotas.quota(guest.name()); // now: a rebalance may begin as soon as it attaches
      quotas.attach(guest);
      attached.put(guest.name(), guest);
      if (guest.capabilities().contains(Capability.KILL)) {
        watchdog.add(guest);
        watchdog.setLimitIfThere(guest.name(), quota.killTimeout());
      }
    } finally {
      lock.unlock();
    }
    weigh(guest);
    watching.kick();
    sharing.noteChange();
  }

  /** Before a guest is closed. */
  public void detach(Guest guest) {
    TimeUsage time = time(guest);
    lock.lock();
    try {
      if (attached.remove(guest.name(), guest)) {
        past.put(
            guest.name(),
            past.getOrDefault(guest.name(), Past.NONE).plus(watchdog.remove(guest.name()), time));
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
  public QuotaStatus status(String guest, Quota made) {
    Optional<Guest> there = attached(guest);
    TimeUsage itsTime = there.map(GpuShares::time).orElse(TimeUsage.NONE);
    lock.lock();
    try {
      boolean stays = there.equals(Optional.ofNullable(attached.get(guest)));
      Quota quota = quotas.quota(guest);
      MemoryUse use = quotas.use(guest);
      QuotaCounters moves = quotas.counters(guest);
      ProgramRelay relay = relays.get(guest);
      Past all =
          past.getOrDefault(guest, Past.NONE)
              .plus(watchdog.countersIfThere(guest), stays ? itsTime : TimeUsage.NONE)
              .plus(
                  Watchdog.WatchdogCounters.NONE,
                  relay == null ? TimeUsage.NONE : relay.timeUsage());
      return new QuotaStatus(
          guest,
          gpu.info().name(),
          quota.minimumBytes(),
          quota.weight(),
          quota.limitOn(gpu.info().vramBytes()),
          quota.beyondShare().text(),
          quota.killTimeout().toMillis(),
          !quota.equals(made),
          use.usesGpu(),
          use.limitBytes(),
          use.videoBytes(),
          use.evictedBytes(),
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

  /**
   * Gives a guest the weight that its quota says, which another thread may change meanwhile.
   * Without the lock: it may take the guest long to answer. Where the GPU does not share its time,
   * nothing happens.
   */
  private void weigh(Guest guest) {
    if (!guest.capabilities().contains(Capability.TIME_SHARES)) {
      return;
    }
    int given;
    do {
      given = quotas.quota(guest.name()).weight();
      try {
        guest.setTimeWeight(given);
      } catch (RefusedException gone) {
        LOG.atDebug().setCause(gone).log("gone before it was given its weight");
      }
    } while (given != quotas.quota(guest.name()).weight());
  }

  private static TimeUsage time(Guest guest) {
    try {
      return guest.timeUsage().orElse(TimeUsage.NONE);
    } catch (RefusedException _) {
      return TimeUsage.NONE; // gone
    }
  }

  /** The refusal of the policy in an operator's units. */
  private Problem problem(String failed, Quota wanted, Admission.Refused refused) {
    return switch (refused.rule()) {
      case TOO_MANY -> Problem.of(ErrorCode.QUOTA_GUESTS, failed, refused.cause(), refused.fix());
      case DOES_NOT_FIT -> doesNotFit(failed, wanted, refused);
    };
  }

  private Problem doesNotFit(String failed, Quota wanted, Admission.Refused refused) {
    return Problem.of(
        ErrorCode.QUOTA_MINIMUM,
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

  /** Ends the threads; the guests are gone. */
  @Override
  public void close() {
    sharing.stop();
    watching.stop();
    Threads.joinUninterruptibly(sharer);
    Threads.joinUninterruptibly(watcher);
    moves.stop();
    lock.lock();
    try {
      if (moving != null) {
        Threads.joinUninterruptibly(moving);
      }
    } finally {
      lock.unlock();
    }
  }
}

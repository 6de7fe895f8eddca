package io.sluice.channel.policy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.channel.Capability;
import io.sluice.channel.Channel;
import io.sluice.channel.Refusal;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.state.ChannelState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of channels whose command keeps others from the GPU: a duty cycle that observes, so that
 * submitting work costs nothing. It observes as rarely as the limits allow: not at all while no two
 * guests are attached, often only while a command is near its limit or over it.
 *
 * <p>A channel is over its limit when one command, or one semaphore acquire that is not satisfied,
 * has been seen to last longer than its guest's limit. It is ended only while another guest waits:
 * when a running channel of that guest had unfinished work, and was not itself blocked on an
 * acquire, at this observation and at the one before. A guest that is alone is never touched, and a
 * guest's own channels are not protected from each other.
 *
 * <p>A channel that drains, because its guest is to move, is ended for a command in the same way:
 * it keeps others from the GPU as well, and its guest from moving. Its acquires do not count: what
 * they wait for may be behind the detach, and they move as they are.
 *
 * <p>No guest is charged with time in which the watchdog itself stood still, with the process or
 * the host: between two calls at most what was due, and {@link #LATE} more, counts as time an
 * acquire has waited. What its GPU says it has worked, or looked at an acquire, is what a channel
 * is charged with; an acquire of which it does not say so is timed here.
 *
 * <p>A guest is asked, and ended a channel of, without the lock under which the others are added,
 * removed and told their limits. One that does not answer within {@link #PATIENCE} is passed over:
 * the others are watched meanwhile, and its own thread looks, and ends the channel, at the end of
 * what keeps it. Until then it is neither charged nor protected.
 *
 * <p>One channel is ended per observation, the one that has lasted longest; then the others may get
 * on. Kills of one guest are at least {@link #KILL_INTERVAL} apart; those put off are counted.
 *
 * <p>Where channels tell for nothing whether they have got on, it glances at that more often than
 * it observes, and observes at once a guest of whom one has not: an acquire is timed from the first
 * observation that saw it.
 */
public final class Watchdog {
  /** Limit of a guest that has none of its own. */
  public static final Duration DEFAULT_LIMIT = Duration.ofSeconds(2);

  /** Least time between two kills of one guest. */
  public static final Duration KILL_INTERVAL = Duration.ofMillis(100);

  /** Longest time between two observations while a channel has something to do. */
  public static final Duration LONGEST_TICK = Duration.ofMillis(100);

  /** The same while none has: whatever begins then is seen before it is near a usual limit. */
  public static final Duration IDLE_TICK = Duration.ofMillis(500);

  /** Time between two observations while a command is at its limit: two are needed to end it. */
  public static final Duration SHORTEST_TICK = Duration.ofMillis(2);

  /** Time between two glances at channels that tell of their progress, while one does something. */
  public static final Duration GLANCE = Duration.ofMillis(2);

  /** How long a guest that does something is waited for, until it answers at the end of that. */
  public static final Duration PATIENCE = Duration.ofMillis(1);

  /** What a call may come late and still count in full. */
  public static final Duration LATE = Duration.ofMillis(5);

  /** A limit is at least as many observations long. */
  private static final int TICKS_PER_LIMIT = 4;

  private static final Logger log = LoggerFactory.getLogger(Watchdog.class);
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** A guest as the watchdog needs it. */
  interface Watched {
    String name();

    /** Where its channels stand, by id; nothing if it does not answer soon. */
    Optional<Map<Integer, Channel.Status>> channels();

    /** {@link io.sluice.channel.Channel#progress} of those that tell, by id; as the other. */
    default Optional<Map<Integer, Long>> progress() {
      return Optional.of(Map.of());
    }

    /**
     * Ends a channel if it is as found; later, if the guest does not answer soon. Just before, and
     * by whichever thread does it, it is counted.
     */
    void kill(int channelId, int info, Predicate<Channel.Status> asFound, Runnable counted);
  }

  /**
   * Counts of what the watchdog did to a guest.
   *
   * @param kills channels ended
   * @param putOff observations that found a channel to end, too soon after the last
   */
  public record WatchdogCounters(long kills, long putOff) {
    /** Nothing was done. */
    public static final WatchdogCounters NONE = new WatchdogCounters(0, 0);

    /** What both tell. */
    public WatchdogCounters plus(WatchdogCounters other) {
      return new WatchdogCounters(kills + other.kills, putOff + other.putOff);
    }
  }

  /**
   * A channel that was ended.
   *
   * @param guest whose
   * @param channelId the guest's id of it
   * @param lastedMs how long its command, or its acquire, had lasted
   * @param limitMs how long it might have
   */
  public record Kill(String guest, int channelId, long lastedMs, long limitMs) {}

  private record Acquire(long entries, long sinceNs) {}

  private record Offender(State state, int channelId, Channel.Status found, long lastedNs) {
    /** Whether it is the same command, or acquire, that lasts. */
    boolean lasts(Channel.Status now) {
      if (!isWatched(now)) {
        return false;
      }
      return found.progress().waiting()
          ? now.progress().waiting() && now.usage().entries() == found.usage().entries()
          : now.usage().runningNs() >= found.usage().runningNs();
    }
  }

  private record Ended(State state, Kill kill) {}

  /** The memory of a guest; of whoever observes, but for what says otherwise. */
  private static final class State {
    final Watched guest;
    final Map<Integer, Acquire> acquires = new HashMap<>();

    // Of whoever has the lock.
    volatile long limitNs = DEFAULT_LIMIT.toNanos();
    volatile WatchdogCounters counters = WatchdogCounters.NONE;

    /** The longest that a command was seen to last, and has not ended. */
    long lastingNs;

    /** When it was observed last. */
    long observedNs;

    /** Progress at the last glance, and where a channel had not got on and was observed since. */
    Map<Integer, Long> glanced = Map.of();

    Map<Integer, Long> known = Map.of();

    boolean busy;
    boolean wanted;
    volatile boolean waits;
    boolean killed;
    long lastKillNs;

    /** The end that is wanted since the last observation. */
    volatile @Nullable Kill ending;

    State(Watched guest) {
      this.guest = guest;
    }
  }

  private final Consumer<Kill> onKill;

  /** Not told of yet; from any thread. */
  private final Queue<Ended> ended = new ConcurrentLinkedQueue<>();

  /** Held during an observation, in which guests are asked; before {@link #lock}. */
  private final ReentrantLock observing = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<String, State> states = new LinkedHashMap<>();

  /** Whether some channel tells of its progress, and when all were observed, and something done. */
  @GuardedBy("observing")
  private boolean glancing;

  @GuardedBy("observing")
  private long observedNs;

  @GuardedBy("observing")
  private long workedNs;

  /** When {@link #doWork} was called last, by the caller's clock; so are kills. */
  @GuardedBy("observing")
  private long calledNs;

  @GuardedBy("observing")
  private long dueNs;

  @GuardedBy("observing")
  private boolean called;

  /** A watchdog that tells nobody but the log. */
  public Watchdog() {
    this(_ -> {});
  }

  /**
   * @param onKill told of each channel that was ended, by the thread that observes: it must not
   *     block nor call this object
   */
  public Watchdog(Consumer<Kill> onKill) {
    this.onKill = onKill;
  }

  /** Watches a guest whose GPU has {@link Capability#KILL}; EOPNOTSUPP. */
  public void add(Guest guest) {
    if (!guest.capabilities().contains(Capability.KILL)) {
      throw Refusal.missing(Capability.KILL, "watching for commands that do not end");
    }
    add(new WatchedGuest(guest));
  }

  void add(Watched guest) {
    lock.lock();
    try {
      if (states.putIfAbsent(guest.name(), new State(guest)) != null) {
        throw Refusal.busy("a guest of this name is watched, guest=" + guest.name(), "");
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Forgets a guest; before it is closed, or after. It may be asked once more meanwhile.
   *
   * @return what was done to it
   */
  public WatchdogCounters remove(String guest) {
    lock.lock();
    try {
      State state = states.remove(guest);
      if (state == null) {
        return WatchdogCounters.NONE;
      }
      state.waits = false;
      state.ending = null;
      return state.counters;
    } finally {
      lock.unlock();
    }
  }

  /** How long a command of the guest may last while another guest waits; more than 0. */
  public void setLimit(String guest, Duration limit) {
    if (limit.isNegative() || limit.isZero() || limit.compareTo(Duration.ofDays(1)) > 0) {
      throw Refusal.invalid("no such limit, range=1ns..1d limit=" + limit);
    }
    lock.lock();
    try {
      state(guest).limitNs = limit.toNanos();
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #setLimit}, but nothing happens when the guest is not watched. */
  public void setLimitIfThere(String guest, Duration limit) {
    lock.lock();
    try {
      if (states.containsKey(guest)) {
        setLimit(guest, limit);
      }
    } finally {
      lock.unlock();
    }
  }

  /** What was done to a guest so far; nothing when it is not watched. */
  public WatchdogCounters countersIfThere(String guest) {
    lock.lock();
    try {
      return states.containsKey(guest) ? counters(guest) : WatchdogCounters.NONE;
    } finally {
      lock.unlock();
    }
  }

  /** What was done to a guest so far. */
  public WatchdogCounters counters(String guest) {
    lock.lock();
    try {
      return state(guest).counters;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private State state(String guest) {
    State state = states.get(guest);
    if (state == null) {
      throw Refusal.invalid("no such guest is watched, guest=" + guest);
    }
    return state;
  }

  /**
   * One observation, or a glance if none is due.
   *
   * @param nowNs any monotonic time
   * @return channels ended since the last call; by this one 0 or 1
   */
  public int doWork(long nowNs) {
    observing.lock();
    try {
      long now = advance(nowNs);
      int ended = reportEnded();
      ended += work(now, watched());
      dueNs = Math.min(dueInNs(), IDLE_TICK.toNanos());
      return ended;
    } finally {
      observing.unlock();
    }
  }

  private List<State> watched() {
    lock.lock();
    try {
      return List.copyOf(states.values());
    } finally {
      lock.unlock();
    }
  }

  /** The watchdog's own time: what passed, but for what it stood still. */
  @GuardedBy("observing")
  private long advance(long nowNs) {
    long step = called ? Math.clamp(nowNs - calledNs, 0, dueNs + LATE.toNanos()) : 0;
    called = true;
    calledNs = nowNs;
    return workedNs + step;
  }

  @GuardedBy("observing")
  private int work(long nowNs, List<State> watched) {
    boolean all = !glancing || nowNs - observedNs >= observationDueInNs(watched);
    observedNs = all ? nowNs : observedNs;
    workedNs = nowNs;
    glancing = false;
    List<Offender> offenders = new ArrayList<>();
    for (State state : watched) {
      boolean suspicious = glance(state);
      glancing |= !state.glanced.isEmpty();
      if (all || suspicious) {
        observe(state, nowNs, offenders);
      }
    }
    offenders.sort((a, b) -> Long.compare(b.lastedNs(), a.lastedNs()));
    for (Offender offender : offenders) {
      if (anotherWaits(offender.state(), watched) && end(offender, watched)) {
        return 1;
      }
    }
    return 0;
  }

  /** Whether a channel has not got on since the last glance, and was not observed since then. */
  private static boolean glance(State state) {
    Optional<Map<Integer, Long>> answer = state.guest.progress();
    if (answer.isEmpty()) {
      return false;
    }
    Map<Integer, Long> now = answer.get();
    Map<Integer, Long> still = new HashMap<>(now);
    still.entrySet().retainAll(state.glanced.entrySet());
    boolean suspicious = !state.known.entrySet().containsAll(still.entrySet());
    state.known = still;
    state.glanced = now;
    return suspicious;
  }

  /**
   * How long after a call of {@link #doWork} the next is due, in nanoseconds; {@link
   * Long#MAX_VALUE} when only {@link #add} can change that.
   */
  public long dueInNs() {
    observing.lock();
    try {
      List<State> watched = watched();
      if (watched.size() < 2) {
        return Long.MAX_VALUE;
      }
      long due = observationDueInNs(watched) - (workedNs - observedNs);
      return Math.max(glancing ? Math.min(due, GLANCE.toNanos()) : due, SHORTEST_TICK.toNanos());
    } finally {
      observing.unlock();
    }
  }

  /** How long after the last observation of all the next one is due. */
  @GuardedBy("observing")
  private long observationDueInNs(List<State> watched) {
    boolean busy = watched.stream().anyMatch(state -> state.busy);
    long due = (busy ? LONGEST_TICK : IDLE_TICK).toNanos();
    for (State state : watched) {
      due = Math.min(due, state.limitNs / TICKS_PER_LIMIT);
      if (state.lastingNs > 0) {
        long reached = state.observedNs + state.limitNs - state.lastingNs + 1;
        due = Math.min(due, reached - observedNs);
      }
    }
    return due;
  }

  private static boolean anotherWaits(State than, List<State> watched) {
    return watched.stream().anyMatch(state -> state != than && state.waits);
  }

  private static void observe(State state, long nowNs, List<Offender> offenders) {
    Optional<Map<Integer, Channel.Status>> channels = state.guest.channels();
    if (channels.isEmpty()) {
      state.waits = false;
      state.wanted = false;
      return;
    }
    boolean wants = false;
    state.ending = null;
    state.observedNs = nowNs;
    state.busy = false;
    state.lastingNs = 0;
    @Nullable Offender longest = null;
    Map<Integer, Acquire> acquires = new HashMap<>();
    for (var entry : channels.get().entrySet()) {
      int id = entry.getKey();
      Channel.Status channel = entry.getValue();
      if (!isWatched(channel)) {
        continue;
      }
      long lasted = channel.usage().runningNs();
      state.busy |= !channel.progress().drained();
      if (channel.progress().waiting()) {
        Acquire before = state.acquires.get(id);
        Acquire now =
            before != null && before.entries() == channel.usage().entries()
                ? before
                : new Acquire(channel.usage().entries(), nowNs);
        acquires.put(id, now);
        lasted = lasted > 0 ? lasted : nowNs - now.sinceNs();
      } else if (channel.state() == ChannelState.RUNNING) {
        wants |= !channel.progress().drained();
      }
      state.lastingNs = Math.max(state.lastingNs, lasted);
      if (lasted > state.limitNs && (longest == null || lasted > longest.lastedNs())) {
        longest = new Offender(state, id, channel, lasted);
      }
    }
    if (longest != null) {
      offenders.add(longest);
    }
    state.acquires.clear();
    state.acquires.putAll(acquires);
    state.waits = wants && state.wanted;
    state.wanted = wants;
  }

  private void count(State state, WatchdogCounters more) {
    lock.lock();
    try {
      state.counters = state.counters.plus(more);
    } finally {
      lock.unlock();
    }
  }

  private static boolean isWatched(Channel.Status channel) {
    return channel.state() == ChannelState.RUNNING
        || channel.state() == ChannelState.DRAINING && !channel.progress().waiting();
  }

  @GuardedBy("observing")
  private boolean end(Offender offender, List<State> watched) {
    State state = offender.state();
    if (state.killed && calledNs - state.lastKillNs < KILL_INTERVAL.toNanos()) {
      count(state, new WatchdogCounters(0, 1));
      return false;
    }
    long lastedMs = Math.min(offender.lastedNs() / NANOS_PER_MILLI, Integer.MAX_VALUE);
    long limitMs = state.limitNs / NANOS_PER_MILLI;
    Kill kill = new Kill(state.guest.name(), offender.channelId(), lastedMs, limitMs);
    state.ending = kill;
    state.guest.kill(
        offender.channelId(),
        (int) lastedMs,
        now -> state.ending == kill && offender.lasts(now) && anotherWaits(state, watched),
        () -> {
          count(state, new WatchdogCounters(1, 0));
          ended.add(new Ended(state, kill));
        });
    return reportEnded() > 0;
  }

  /** Tells of those that were ended, by this thread or by a guest's own. */
  @GuardedBy("observing")
  private int reportEnded() {
    int reported = 0;
    for (Ended each = ended.poll(); each != null; each = ended.poll()) {
      each.state().killed = true;
      each.state().lastKillNs = calledNs;
      report(each.kill());
      reported++;
    }
    return reported;
  }

  private void report(Kill kill) {
    log.atWarn()
        .addKeyValue("guest", kill.guest())
        .addKeyValue("cid", kill.channelId())
        .addKeyValue("lastedMs", kill.lastedMs())
        .addKeyValue("limitMs", kill.limitMs())
        .log("command did not end while another guest waited: channel killed");
    onKill.accept(kill);
  }
}

package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.PageWaits;
import io.sluice.gpu.engine.ShareAccount;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The channels of the card, and whose turn it is.
 *
 * <p>A round looks at the channels that are due and finds those that can go on. It goes through
 * those alone that were active lately ({@link Attended}); through all when one of the others is
 * due, a grid has ended, or somebody else changed something. While several opens have channels, it
 * looks at no more than some of each that had nothing to do the last time: however many an open
 * has, nobody waits for more than that. Of those that can go on, the one that executes is of the
 * open that has had the least of the engine, by its weight ({@link ShareAccount}); among the
 * channels of one open it is the one that has not executed for longest. A turn has a budget in
 * proportion to the channel's weight; a channel that blocks or yields gives the rest of it away.
 * The engine is never idle while a channel can go on.
 *
 * <p>When all channels have been idle for long, and until somebody else changes anything, a round
 * looks at their GP_PUTs alone ({@link IdleWatch}).
 *
 * <p>Guarded by the GPU's lock, which is given up while the engine is inside an open's {@link
 * EngineGate}: for a turn, and for a look at memory of the guest. A thread that is held up there is
 * left there, and another one goes on with the other opens ({@link EngineStint}).
 */
public final class Runlist {
  /** Most channels of the card: pscnv's ids 1 to 126. */
  public static final int MAX_CHANNELS = 126;

  /** Most a channel executes between two looks at whether somebody wants the lock. */
  private static final long SLICE_UNITS = 4 << 20;

  /**
   * Longest it does so, but for a look at the clock and a piece of a copy: about what that many
   * bytes take, and short enough for {@link SliceTime} to believe it.
   */
  private static final long SLICE_NS = 400_000;

  /**
   * How often a channel with a grid is looked at. A worker that ends a grid wakes the engine, so
   * this is for engines that nobody can wake.
   */
  private static final long GRID_LOOK_NS = 1_000_000;

  /** After this time a round looks at the channels anew, so that what has come is seen. */
  private static final long ROUND_NS = 50_000;

  /** A channel that is due later is no longer looked at in each round. */
  private static final long NEAR_NS = 1 << 16;

  private static final long NEVER_NS = 1L << 60;

  /** What it costs the others that one is served apart: another thread wakes up for them. */
  private static final long HANDED_OVER_NS = 100_000;

  /** Answer of {@link #round} to a thread in whose place another one runs the engine. */
  public static final int SUPERSEDED = -1;

  private final @Nullable GpuChannel[] channels = new @Nullable GpuChannel[MAX_CHANNELS];
  private final Attended attended = new Attended(MAX_CHANNELS);
  private final ReadyList ready = new ReadyList(MAX_CHANNELS);

  /** Those that this round looks at inside their gates. */
  private final ReadyList toLookInside = new ReadyList(MAX_CHANNELS);

  private final IdleWatch watch = new IdleWatch(MAX_CHANNELS);
  private final LongSupplier clock;
  private final long spinNs;
  private final SharedWork sharedWork;
  private int count;
  private volatile int opens;
  private long turnsGiven;
  private long virtualNow;
  private long nextLookInNs;
  private boolean watching;
  private long rounds;
  private long looks;

  /** The next round goes through all channels. */
  private boolean lookAtAll = true;

  /** When the first of the channels that are not attended is due. */
  private long allDueNs;

  /** Whether one of those is not at rest. */
  private boolean restless;

  /** A grid has ended; set by any thread. */
  private volatile boolean gridEnded;

  /** The stint of the thread that runs the engine. */
  private @Nullable EngineStint runner;

  private long watchDueNs;

  /**
   * @param clock GPU time
   * @param spinNs how long after its last activity a channel is looked at all the time
   * @param sharedWork told when several opens have channels and the engine has gone into a gate, or
   *     a channel is added; by any thread
   */
  public Runlist(LongSupplier clock, long spinNs, SharedWork sharedWork) {
    this.clock = clock;
    this.sharedWork = sharedWork;
    this.spinNs = spinNs;
  }

  /** A listener that has the engine's place taken when its thread is held up. */
  @FunctionalInterface
  public interface SharedWork {
    /**
     * The engine works for one of several opens.
     *
     * @param apart nobody else is to wait for it for long: its place is to be taken soon
     */
    void begins(boolean apart);
  }

  /** Puts a channel on the list; the caller keeps to {@link #MAX_CHANNELS}. */
  public void add(GpuChannel channel) {
    disturb();
    OpenLooks ofOpen = null;
    for (int i = 0; i < count && ofOpen == null; i++) {
      ofOpen = at(i).timeShare() == channel.timeShare() ? at(i).looks() : null;
    }
    if (ofOpen == null) {
      ofOpen = new OpenLooks();
      opens = opens + 1; // under the lock
    }
    ofOpen.channels++;
    channel.setLooks(ofOpen);
    channels[count++] = channel;
    if (opens > 1) {
      sharedWork.begins(false); // the engine may be held up by whoever was alone
    }
  }

  /** Something of a channel is about to change from outside: the next round looks at them all. */
  public void disturb() {
    lookAtAll = true;
    if (watching) {
      watching = false;
      watch.clear();
    }
  }

  /** A grid has ended, of whatever channel: the next round finds out. Any thread may say so. */
  public void gridEnded() {
    gridEnded = true;
  }

  /** How often a channel was looked at. */
  public long looks() {
    return looks;
  }

  /** Takes a channel off the list. */
  public void remove(GpuChannel channel) {
    disturb();
    int index = Arrays.asList(channels).indexOf(channel);
    if (index < 0) {
      return;
    }
    System.arraycopy(channels, index + 1, channels, index, count - index - 1);
    channels[--count] = null;
    attended.clear();
    ready.remove(channel);
    toLookInside.remove(channel);
    if (--channel.looks().channels == 0) {
      opens = opens - 1;
    }
  }

  /** Whether several opens have channels: what one does may cost another. Any thread may ask. */
  public boolean isShared() {
    return opens > 1;
  }

  /**
   * Looks at the channels that are due, and gives as many turns as can go on.
   *
   * @param stint the calling thread's; what a former one has found is forgotten
   * @param nowNs GPU time now
   * @param interrupted asked between turns; true ends the round, the rest comes first next time
   * @return number of turns that made progress; {@link #SUPERSEDED} when the stint is over
   */
  public int round(EngineStint stint, long nowNs, BooleanSupplier interrupted) {
    if (runner != stint) {
      runner = stint;
      lookAnew();
    }
    stint.current = null;
    if (watching) {
      if (staysQuiet(nowNs)) {
        return 0;
      }
      disturb();
    }
    rounds++;
    long soonest = Math.min(look(stint, nowNs), lookInside(stint, nowNs));
    return runner == stint ? giveTurns(stint, nowNs, soonest, interrupted) : SUPERSEDED;
  }

  private int giveTurns(
      EngineStint stint, long nowNs, long soonestNs, BooleanSupplier interrupted) {
    int worked = 0;
    boolean freed = false;
    long soonest = soonestNs;
    long now = nowNs;
    for (int turns = ready.size(); turns > 0 && ready.size() > 0; turns--) {
      GpuChannel channel = ready.takeLeast();
      if (!channel.life.isRunnable()) {
        continue; // since it was found
      }
      stint.current = channel;
      ShareAccount account = account(channel);
      virtualNow = Math.max(virtualNow, account.virtualTime());
      account.begin(now);
      channel.lastTurn = ++turnsGiven;
      boolean progress = turn(stint, channel, now);
      if (progress) {
        worked++;
        now = stint.endedNs;
        freed |= channel.looks().noteWork(rounds);
      }
      if (runner != stint) {
        break;
      }
      if (!progress) {
        channel.pace.foundIdle(now, spinNs);
        soonest = Math.min(soonest, channel.pace.dueInNs(now));
      } else if (channel.life.isRunnable() && channel.canGoOn()) {
        ready.add(channel);
      }
      stint.current = null;
      if (ready.has(account)) {
        account.want(now, virtualNow);
      }
      if (interrupted.getAsBoolean() || channel.gate().isWanted() || now - nowNs > ROUND_NS) {
        break;
      }
    }
    stint.current = null;
    if (freed) {
      lookAtParked(now);
    }
    if (runner != stint) {
      disturb(); // whoever took over has left out the open that this one was inside of
      return SUPERSEDED;
    }
    ready.pause(now);
    nextLookInNs = worked > 0 || ready.size() > 0 ? 0 : Math.max(0, soonest);
    if (worked == 0 && attended.isEmpty() && !restless && !lookAtAll) {
      beginWatch(now);
    }
    return worked;
  }

  /** All that can happen by itself is a new GP_PUT. */
  private void beginWatch(long nowNs) {
    for (int i = 0; i < count; i++) {
      at(i).watch(watch);
    }
    watching = !watch.isEmpty();
    watchDueNs = Pace.nextLookAtRest(nowNs);
  }

  private boolean staysQuiet(long nowNs) {
    if (nowNs - watchDueNs >= 0) {
      if (!watch.isQuiet()) {
        return false;
      }
      watchDueNs = Pace.nextLookAtRest(nowNs);
    }
    nextLookInNs = watchDueNs - nowNs;
    return true;
  }

  /**
   * Finds the channels that can go on.
   *
   * @return nanoseconds until the next look at one that cannot is due
   */
  private long look(EngineStint stint, long now) {
    ready.clear();
    toLookInside.clear();
    if (gridEnded) {
      gridEnded = false; // before the look: one that ends meanwhile sets it again
      lookAtAll = true;
    }
    if (lookAtAll || now - allDueNs >= 0) {
      lookAtAll = false;
      restless = false;
      allDueNs = now + NEVER_NS;
      for (int i = 0; i < count; i++) {
        if (!at(i).attended) {
          attended.keep(at(i));
        }
      }
    }
    int size = attended.begin();
    long soonest = Long.MAX_VALUE;
    for (int i = 0; i < size; i++) {
      stint.current = attended.at(i);
      soonest = Math.min(soonest, visit(attended.at(i), now));
    }
    stint.current = null;
    for (int i = 0; i < size; i++) {
      if (!attended.at(i).looks().wantsInside(rounds)) {
        account(attended.at(i)).restUnlessWantedAt(now);
      }
    }
    attended.end();
    return Math.min(soonest, allDueNs - now);
  }

  /**
   * Looks at one channel, and decides whether it is attended from now on.
   *
   * @return nanoseconds until the next look, if it is
   */
  private long visit(GpuChannel channel, long now) {
    if (channel.gate().isInside()) { // with a thread that is held up
      leave(GRID_LOOK_NS, false, now);
      return Long.MAX_VALUE;
    }
    if (!channel.life.isRunnable()) {
      looks++;
      if (channel.wantsLookInside()) {
        wantLookInside(channel);
      } else if (channel.hasGrid()) {
        leave(GRID_LOOK_NS, false, now);
      }
      return Long.MAX_VALUE;
    }
    if (channel.hasGrid()) {
      looks++;
      if (channel.canGoOn()) {
        makeReady(channel, now);
        attended.keep(channel);
      } else {
        leave(GRID_LOOK_NS, false, now);
      }
      return Long.MAX_VALUE;
    }
    if (channel.pace.dueInNs(now) <= 0) {
      if (opens > 1 && channel.pace.isIdle() && !channel.looks().takePoll(rounds)) {
        attended.keepFirst(channel);
        return 0;
      }
      looks++;
      if (channel.wantsLookInside()) {
        channel.looks().foundParked();
        channel.semaphore.looked(now);
        wantLookInside(channel);
        attended.keep(channel);
        return Long.MAX_VALUE;
      }
      if (channel.canGoOn()) {
        makeReady(channel, now);
        attended.keep(channel);
        return Long.MAX_VALUE;
      }
      channel.pace.foundIdle(now, spinNs);
    }
    long dueInNs = channel.pace.dueInNs(now);
    if (dueInNs > NEAR_NS) {
      leave(dueInNs, channel.pace.isAtRest() && channel.isQuiet(), now);
      return Long.MAX_VALUE;
    }
    attended.keep(channel);
    return dueInNs;
  }

  private void wantLookInside(GpuChannel channel) {
    toLookInside.add(channel);
    channel.looks().wantInside(rounds);
  }

  /**
   * Looks at those whose look touches memory of their guests.
   *
   * @return nanoseconds until the next look at one that cannot go on is due
   */
  private long lookInside(EngineStint stint, long now) {
    long soonest = Long.MAX_VALUE;
    while (toLookInside.size() > 0 && runner == stint) {
      GpuChannel channel = toLookInside.takeFirst();
      if (!channel.wantsLookInside()) {
        continue; // since it was found
      }
      stint.current = channel;
      boolean goesOn = lookInside(stint, channel, now);
      if (runner != stint) {
        disturb();
        break;
      }
      if (goesOn) {
        makeReady(channel, now);
      } else if (channel.life.isRunnable()) {
        channel.pace.foundIdle(now, spinNs);
        soonest = Math.min(soonest, channel.pace.dueInNs(now));
      }
      account(channel).restUnlessWantedAt(now);
    }
    stint.current = null;
    return soonest;
  }

  private boolean lookInside(EngineStint stint, GpuChannel channel, long now) {
    PageWaits waits = channel.timeShare().pageWaits();
    SliceTime time = stint.sliceTime;
    time.begins(waits.isWatched(now));
    goInside(stint, channel, now);
    try {
      boolean goesOn = channel.lookInside();
      if (opens > 1) {
        long ended = clock.getAsLong();
        time.ended(now, ended);
        time.tell(waits, ended);
      }
      return goesOn;
    } finally {
      stint.leave(channel.gate());
    }
  }

  /** A channel is not attended any more. */
  private void leave(long dueInNs, boolean atRest, long now) {
    allDueNs = Math.min(allDueNs, now + dueInNs);
    restless |= !atRest;
  }

  private void makeReady(GpuChannel channel, long now) {
    ready.add(channel);
    account(channel).want(now, virtualNow);
  }

  private static ShareAccount account(GpuChannel channel) {
    return channel.timeShare().engine();
  }

  /** Nanoseconds until the next look that is due, as of the end of the last round. */
  public long nextLookInNs() {
    return nextLookInNs;
  }

  private void goInside(EngineStint stint, GpuChannel channel, long nowNs) {
    boolean shared = opens > 1;
    boolean apart = shared && channel.timeShare().pageWaits().isApart(nowNs);
    stint.enter(channel.gate(), nowNs, apart);
    if (shared) {
      sharedWork.begins(apart);
    }
  }

  /** Gives a channel its turn, in slices; true when it made progress. */
  private boolean turn(EngineStint stint, GpuChannel channel, long startNs) {
    EngineGate gate = channel.gate();
    PageWaits waits = channel.timeShare().pageWaits();
    SliceTime time = stint.sliceTime;
    long chargedNs = 0;
    long left = channel.pace.turnUnits();
    long began = startNs;
    boolean progress = false;
    boolean over = false;
    goInside(stint, channel, startNs);
    try {
      while (!over) {
        long units = Math.min(left, SLICE_UNITS);
        boolean inCommand = channel.isInCommand();
        long sliceNs = inCommand ? clock.getAsLong() : began;
        stint.at(sliceNs);
        time.begins(waits.isWatched(sliceNs));
        SliceEnd end = channel.run(stint.window, units, sliceNs + SLICE_NS);
        long used = units - channel.budgetLeft();
        if (used > 0 || end == SliceEnd.READY || end == SliceEnd.DEAD) {
          long ended = clock.getAsLong();
          time.ended(sliceNs, ended);
          time.tell(waits, ended);
          chargedNs += time.chargedNs();
          channel.busyNs += time.chargedNs();
          if (inCommand) {
            channel.commandWorked(time.commandNs());
          }
          channel.pace.touched(ended);
          began = ended;
          stint.endedNs = ended;
          progress = true;
        }
        left -= used;
        over = end != SliceEnd.READY || used <= 0 || left <= 0 || gate.isWanted();
      }
    } finally {
      stint.leave(gate);
      boolean handedOver = runner != stint && waits.isApart(began);
      account(channel).use(handedOver ? chargedNs + HANDED_OVER_NS : chargedNs);
    }
    return progress;
  }

  /**
   * Goes on after something was thrown: the channel that the thread was at ends, with whatever it
   * had begun, and the others are looked at anew. A file that became shorter under its mapping
   * shows as an InternalError, which may come late, when the engine is at another place.
   *
   * @return whether it is known which channel that was
   */
  public boolean recover(EngineStint stint) {
    GpuChannel channel = stint.current;
    stint.current = null;
    if (runner == stint) {
      lookAnew();
    } else {
      disturb();
    }
    if (channel == null) {
      return false;
    }
    channel.end(EndReason.DEVICE.code(), 0, 0);
    return true;
  }

  /** Forgets what the rounds so far have found. */
  private void lookAnew() {
    ready.clear();
    toLookInside.clear();
    attended.clear();
    for (int i = 0; i < count; i++) {
      at(i).attended = false; // also those that a round had not put anywhere yet
    }
    disturb();
  }

  /** What was done may be what the others of the same opens wait for. */
  private void lookAtParked(long nowNs) {
    for (int i = 0; i < count; i++) {
      OpenLooks ofOpen = at(i).looks();
      if (at(i).semaphore.isParked() && ofOpen.hasWorked(rounds)) {
        at(i).pace.lookAgain(nowNs);
        lookAtAll = true;
      }
    }
  }

  private GpuChannel at(int index) {
    GpuChannel channel = channels[index];
    if (channel == null) {
      throw new AssertionError("the runlist has no gaps, index=" + index);
    }
    return channel;
  }
}

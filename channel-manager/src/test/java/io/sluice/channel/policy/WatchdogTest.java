package io.sluice.channel.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.Channel;
import io.sluice.channel.guest.GpuRig;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.guest.Worker;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

final class WatchdogTest {
  private static final long MS = 1_000_000;

  private final Watchdog watchdog = new Watchdog();
  private final Watched a = new Watched("a");
  private final Watched b = new Watched("b");

  WatchdogTest() {
    watchdog.add(a);
    watchdog.add(b);
  }

  /** A guest whose channels are what the test says. */
  private static final class Watched implements Watchdog.Watched {
    final String name;
    final Map<Integer, Channel.Status> channels = new LinkedHashMap<>();
    final List<String> killed = new ArrayList<>();
    final Map<Integer, Long> progress = new HashMap<>();
    int observed;
    boolean answers = true;
    boolean killable = true;

    /** The end of a channel that is still to come. */
    Runnable atTheEnd = () -> {};

    Watched(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Optional<Map<Integer, Channel.Status>> channels() {
      observed++;
      return answers ? Optional.of(new LinkedHashMap<>(channels)) : Optional.empty();
    }

    @Override
    public Optional<Map<Integer, Long>> progress() {
      return answers ? Optional.of(Map.copyOf(progress)) : Optional.empty();
    }

    @Override
    public void kill(int channelId, int info, Predicate<Channel.Status> asFound, Runnable counted) {
      atTheEnd =
          () -> {
            Channel.Status status = channels.get(channelId);
            if (status != null && asFound.test(status)) {
              counted.run();
              channels.remove(channelId);
              killed.add(channelId + " after " + info + " ms");
            }
          };
      if (killable) {
        atTheEnd.run();
      }
    }

    void add(int id, ChannelState state, long runningMs, boolean drained, boolean waiting) {
      channels.put(
          id,
          new Channel.Status(
              state,
              Channel.Status.Cause.NONE,
              new Channel.Status.Progress(0, 0, drained, waiting, 0),
              new Channel.Status.Usage(5, 0, 0, runningMs * MS, 0, 0)));
    }

    void runs(int id, long runningMs) {
      add(id, ChannelState.RUNNING, runningMs, false, false);
    }
  }

  private int observeTwice() {
    return watchdog.doWork(0) + watchdog.doWork(MS);
  }

  @Test
  void doWork_guestAlone_neverKills() {
    a.runs(1, 100_000);
    a.runs(2, 100_000);
    b.add(1, ChannelState.RUNNING, 0, true, false);
    b.add(2, ChannelState.SUSPENDED, 0, false, false);
    assertThat(observeTwice()).isZero();
    assertThat(a.killed).isEmpty();
  }

  @Test
  void doWork_otherBlockedOnAcquire_doesNotCountAsWaiting() {
    a.runs(1, 100_000);
    b.add(1, ChannelState.RUNNING, 0, false, true);
    assertThat(observeTwice()).isZero();
  }

  @Test
  void doWork_otherWaitsForOneObservationOnly_doesNotKill() {
    a.runs(1, 100_000);
    b.runs(1, 0);
    assertThat(watchdog.doWork(0)).isZero();
    b.channels.clear();
    assertThat(watchdog.doWork(MS)).isZero();
    b.runs(1, 0);
    assertThat(watchdog.doWork(2 * MS)).isZero();
  }

  @Test
  void doWork_atTheLimit_doesNotKill() {
    a.runs(1, 2000);
    b.runs(1, 0);
    assertThat(observeTwice()).isZero();
  }

  @Test
  void doWork_pastTheLimitWhileAnotherWaits_killsThatChannelOnly() {
    a.runs(1, 2001);
    a.runs(2, 1999);
    b.runs(1, 0);
    assertThat(observeTwice()).isEqualTo(1);
    assertThat(a.killed).containsExactly("1 after 2001 ms");
    assertThat(b.killed).isEmpty();
    assertThat(watchdog.counters("a")).isEqualTo(new Watchdog.WatchdogCounters(1, 0));
  }

  @Test
  void doWork_twoOffenders_killsTheLongerThenSparesTheOther() {
    a.runs(1, 3000);
    b.runs(1, 4000);
    assertThat(observeTwice()).isEqualTo(1);
    assertThat(watchdog.doWork(1000 * MS)).isZero();
    assertThat(b.killed).containsExactly("1 after 4000 ms");
    assertThat(a.killed).isEmpty();
  }

  @Test
  void doWork_offenderSoonAfterAKill_isPutOffAndCounted() {
    a.runs(1, 3000);
    a.runs(2, 2500);
    b.runs(1, 0);
    assertThat(observeTwice()).isEqualTo(1);
    long soon = Watchdog.KILL_INTERVAL.dividedBy(2).toNanos();
    assertThat(watchdog.doWork(MS + soon)).isZero();
    assertThat(watchdog.counters("a")).isEqualTo(new Watchdog.WatchdogCounters(1, 1));
    assertThat(a.killed).containsExactly("1 after 3000 ms");
  }

  @Test
  void doWork_limitOfTheGuest_counts() {
    watchdog.setLimit("a", Duration.ofMillis(10));
    a.runs(1, 11);
    b.runs(1, 11);
    assertThat(observeTwice()).isEqualTo(1);
    assertThat(a.killed).hasSize(1);
  }

  @Test
  void doWork_drainingChannel_isKilledForACommandButNotForAnAcquire() {
    a.add(1, ChannelState.DRAINING, 2001, false, true);
    a.add(2, ChannelState.DETACHED, 2001, true, false);
    a.add(3, ChannelState.SUSPENDED, 2001, false, false);
    b.runs(1, 0);
    assertThat(observeTwice()).isZero();
    a.add(4, ChannelState.DRAINING, 2001, false, false);
    assertThat(observeTwice()).isEqualTo(1);
    assertThat(a.killed).containsExactly("4 after 2001 ms");
  }

  @Test
  void doWork_guestThatDoesNotAnswer_othersAreWatched() {
    Watched c = new Watched("c");
    watchdog.add(c);
    a.answers = false;
    b.runs(1, 3000);
    c.runs(1, 0);
    assertThat(observeTwice()).isEqualTo(1);
    assertThat(b.killed).containsExactly("1 after 3000 ms");
  }

  @Test
  void doWork_guestThatDoesNotAnswer_isNeitherChargedNorProtectedUntilItDoes() {
    a.runs(1, 3000);
    b.runs(1, 0);
    a.answers = false;
    assertThat(observeTwice()).isZero();
    a.answers = true;
    b.answers = false;
    assertThat(watchdog.doWork(2 * MS)).isZero();
    b.answers = true;
    assertThat(watchdog.doWork(3 * MS)).as("b has waited at one observation").isZero();
    assertThat(watchdog.doWork(4 * MS)).isEqualTo(1);
  }

  @Test
  void doWork_offenderThatDoesNotAnswerWhenItIsEnded_isEndedLater() {
    a.runs(1, 3000);
    b.runs(1, 0);
    assertThat(watchdog.doWork(0)).isZero();
    a.killable = false;
    assertThat(watchdog.doWork(MS)).isZero();
    assertThat(watchdog.counters("a")).isEqualTo(Watchdog.WatchdogCounters.NONE);
    a.killable = true;
    assertThat(watchdog.doWork(2 * MS)).isEqualTo(1);
    assertThat(a.killed).containsExactly("1 after 3000 ms");
  }

  @Test
  void doWork_offenderEndedByItsOwnThread_isToldOfAtTheNextObservation() {
    List<Watchdog.Kill> kills = new ArrayList<>();
    Watchdog told = new Watchdog(kills::add);
    told.add(a);
    told.add(b);
    endLater(told);
    a.atTheEnd.run();
    assertThat(told.counters("a").kills()).isEqualTo(1);
    assertThat(kills).isEmpty();
    assertThat(told.doWork(2 * MS)).isEqualTo(1);
    assertThat(kills).containsExactly(new Watchdog.Kill("a", 1, 3000, 2000));
    a.runs(2, 4000);
    assertThat(told.doWork(3 * MS)).isZero();
    assertThat(told.counters("a")).as("too soon").isEqualTo(new Watchdog.WatchdogCounters(1, 1));
  }

  @Test
  void doWork_offenderThatIsNotAsFoundWhenItsThreadLooks_isLeft() {
    endLater(watchdog);
    a.runs(1, 1);
    a.atTheEnd.run();
    a.add(1, ChannelState.DETACHED, 3000, false, false);
    a.atTheEnd.run();
    a.channels.clear();
    a.atTheEnd.run();
    assertThat(watchdog.doWork(2 * MS)).isZero();
    assertThat(a.killed).isEmpty();
  }

  @Test
  void doWork_acquireThatIsAnotherWhenItsThreadLooks_isLeft() {
    a.add(1, ChannelState.RUNNING, 0, false, true);
    b.runs(1, 0);
    a.killable = false;
    for (long now = 0; now < 2500; now += 100) {
      assertThat(watchdog.doWork(now * MS)).isZero();
    }
    a.runs(1, 3000);
    a.atTheEnd.run();
    assertThat(a.killed).isEmpty();
    a.add(1, ChannelState.RUNNING, 0, false, true);
    a.atTheEnd.run();
    assertThat(a.killed).hasSize(1);
  }

  @Test
  void doWork_offenderThatIsNoneAnyMore_isLeftHoweverLateItsThreadLooks() {
    endLater(watchdog);
    Runnable end = a.atTheEnd;
    a.runs(1, 1);
    assertThat(watchdog.doWork(2 * MS)).isZero();
    a.runs(1, 3000);
    end.run();
    assertThat(a.killed).as("another command than was found").isEmpty();
  }

  @Test
  void doWork_theOneThatWaitedIsRemoved_isLeft() {
    endLater(watchdog);
    watchdog.remove("b");
    a.atTheEnd.run();
    assertThat(a.killed).isEmpty();
  }

  @Test
  void doWork_acquireThatTheGpuLooksAtSeldom_isChargedWithItsLooks() {
    b.runs(1, 0);
    for (long now = 0; now < 20_000; now += 100) {
      a.add(1, ChannelState.RUNNING, now / 20, false, true);
      assertThat(watchdog.doWork(now * MS)).isZero();
    }
    a.add(1, ChannelState.RUNNING, 2001, false, true);
    assertThat(watchdog.doWork(20_000 * MS)).isEqualTo(1);
    assertThat(a.killed).containsExactly("1 after 2001 ms");
  }

  @Test
  void doWork_nobodyWaitsAnyMoreWhenTheOffendersThreadLooks_isLeft() {
    endLater(watchdog);
    b.channels.clear();
    assertThat(watchdog.doWork(2 * MS)).isZero();
    a.atTheEnd.run();
    assertThat(a.killed).isEmpty();
  }

  /** A channel of a past its limit, which a's own thread is to end. */
  private void endLater(Watchdog dog) {
    a.runs(1, 3000);
    b.runs(1, 0);
    a.killable = false;
    assertThat(dog.doWork(0) + dog.doWork(MS)).isZero();
  }

  @Test
  void doWork_otherDrains_doesNotCountAsWaiting() {
    a.runs(1, 100_000);
    b.add(1, ChannelState.DRAINING, 0, false, false);
    assertThat(observeTwice()).isZero();
  }

  @Test
  void doWork_stormOfOffenders_isRateLimitedAndCounted() {
    for (int id = 1; id <= 5; id++) {
      a.runs(id, 3000);
    }
    b.runs(1, 0);
    int kills = 0;
    for (long now = 0; now <= 250; now += 10) {
      kills += watchdog.doWork(now * MS);
    }
    // The first at 10 ms, when the other has waited for two observations; then at 110 and 210.
    assertThat(kills).isEqualTo(3);
    assertThat(watchdog.counters("a")).isEqualTo(new Watchdog.WatchdogCounters(3, 22));
  }

  @Test
  void doWork_kill_isCountedBeforeTheGuestIsTold() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Watchdog dog = new Watchdog();
      List<Long> kills = new ArrayList<>();
      Guest offender = rig.attach("offender", new OnError(() -> kills.add(killsOf(dog))));
      dog.add(offender);
      dog.add(b);
      Worker endless = new Worker(rig, offender, offender.spaces().create()).start();
      long va = endless.spareVa().value();
      endless.submit(Worker.SEMAPHORE, (int) (va >>> 32), (int) va, 1, Worker.ACQUIRE);
      rig.run();
      b.runs(1, 0);
      long tick = Watchdog.LONGEST_TICK.toNanos();
      for (long now = 0; now < 20 * Watchdog.DEFAULT_LIMIT.toNanos(); now += tick) {
        rig.run();
        dog.doWork(now);
      }
      assertThat(kills).containsExactly(1L);
    }
  }

  private static long killsOf(Watchdog dog) {
    return dog.counters("offender").kills();
  }

  /** Listener to nothing but errors. */
  private record OnError(Runnable todo) implements GuestListener {
    @Override
    public void onInterrupt(int channelId) {}

    @Override
    public void onExcessMemory(long bytes) {}

    @Override
    public void onChannelError(ChannelError error) {
      todo.run();
    }
  }

  @Test
  void dueInNs_guestAlone_isNever() {
    watchdog.remove("b");
    a.runs(1, 100_000);
    observeTwice();
    assertThat(watchdog.dueInNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void dueInNs_isAsRareAsTheLimitsAllow() {
    observeTwice();
    assertThat(watchdog.dueInNs()).isEqualTo(500 * MS);
    b.add(1, ChannelState.RUNNING, 0, true, false);
    observeTwice();
    assertThat(watchdog.dueInNs()).isEqualTo(500 * MS);
    b.add(2, ChannelState.RUNNING, 0, false, true);
    observeTwice();
    assertThat(watchdog.dueInNs()).isEqualTo(100 * MS);
    b.channels.clear();
    a.runs(1, 1990);
    observeTwice();
    assertThat(watchdog.dueInNs()).isEqualTo(10 * MS + 1);
    a.runs(2, 5000);
    observeTwice();
    assertThat(watchdog.dueInNs()).isEqualTo(2 * MS);
    a.channels.clear();
    watchdog.setLimit("b", Duration.ofMillis(40));
    observeTwice();
    assertThat(watchdog.dueInNs()).isEqualTo(10 * MS);
  }

  @Test
  void doWork_kill_isTold() {
    List<Watchdog.Kill> kills = new ArrayList<>();
    Watchdog told = new Watchdog(kills::add);
    told.add(a);
    told.add(b);
    a.runs(7, 2500);
    b.runs(1, 0);
    told.doWork(0);
    told.doWork(MS);
    assertThat(kills).containsExactly(new Watchdog.Kill("a", 7, 2500, 2000));
    assertThat(told.remove("a")).isEqualTo(new Watchdog.WatchdogCounters(1, 0));
    assertThat(told.remove("a")).isEqualTo(Watchdog.WatchdogCounters.NONE);
  }

  @Test
  void setLimit_badLimitOrUnknownGuest_refuses() {
    for (Duration bad : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(2))) {
      assertThatThrownBy(() -> watchdog.setLimit("a", bad)).isInstanceOf(RefusedException.class);
    }
    assertThatThrownBy(() -> watchdog.setLimit("z", Duration.ofSeconds(1)))
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void doWork_endlessAcquireOnTheGpu_killsItWhileAnotherGuestWaits() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      GpuRig.HeardEvents heard = new GpuRig.HeardEvents();
      Guest offender = rig.attach("offender", heard);
      Watchdog dog = new Watchdog();
      dog.add(offender);
      dog.add(b);
      Worker endless = new Worker(rig, offender, offender.spaces().create()).start();
      Worker sibling = new Worker(rig, offender, endless.vid).start();
      long va = endless.spareVa().value();
      endless.submit(Worker.SEMAPHORE, (int) (va >>> 32), (int) va, 1, Worker.ACQUIRE);
      rig.run();
      long limit = Watchdog.DEFAULT_LIMIT.toNanos();
      long tick = Watchdog.LONGEST_TICK.toNanos();
      long now = 0;
      for (; now < 20 * limit; now += tick) {
        rig.run(); // the engine looks at it
        assertThat(dog.doWork(now)).isZero();
      }

      b.runs(1, 0);
      assertThat(dog.doWork(now) + dog.doWork(now + tick)).isEqualTo(1);

      assertThat(heard.errors)
          .extracting(ChannelError::channelId, ChannelError::reason)
          .containsExactly(tuple(endless.cid, GuestAbi.ERROR_TIMEOUT));
      sibling.submit(Worker.SET_REFERENCE, 2);
      rig.run();
      assertThat(sibling.reference()).isEqualTo(2);
    }
  }

  /**
   * Works as often as it is due, each time after something has happened; until when it has killed.
   */
  private long workUntil(long fromMs, long untilMs, Consumer<Long> before) {
    for (long now = fromMs * MS; now < untilMs * MS; now += watchdog.dueInNs()) {
      before.accept(now);
      if (watchdog.doWork(now) > 0) {
        return now / MS;
      }
    }
    return -1;
  }

  @Test
  void doWork_acquireOfAChannelThatTellsOfProgress_isEndedSoonAfterItsLimit() {
    watchdog.setLimit("a", Duration.ofMillis(200));
    b.runs(1, 0);
    for (long round = 1; round < 10; round++) {
      long base = round * 10_000;
      long begins = base + 100 + 7 * round;
      long ended =
          workUntil(
              base,
              base + 1000,
              now -> {
                b.progress.put(1, now);
                if (now >= begins * MS && a.channels.isEmpty()) {
                  a.add(1, ChannelState.RUNNING, 0, false, true);
                  a.progress.put(1, 1L);
                }
              });
      assertThat(ended).isBetween(begins + 200, begins + 200 + 10);
      assertThat(a.killed).hasSize(1);
      a.killed.clear();
      a.progress.clear();
      b.progress.clear();
    }
  }

  /** Nobody could look, so nobody could see that the acquire was satisfied meanwhile. */
  @Test
  void doWork_whenTheWatchdogStoodStill_thatIsNotChargedToAnAcquire() {
    watchdog.setLimit("a", Duration.ofMillis(200));
    a.add(1, ChannelState.RUNNING, 0, false, true);
    b.runs(1, 0);
    assertThat(observeTwice()).isZero();
    assertThat(watchdog.doWork(10_000 * MS)).isZero();
    assertThat(watchdog.doWork(20_000 * MS)).isZero();
    assertThat(a.killed).isEmpty();
    assertThat(workUntil(20_001, 20_400, _ -> {})).isPositive();
    assertThat(a.killed).hasSize(1);
  }

  /** What does not wait is observed once more for having stood still, not with every glance. */
  @Test
  void doWork_channelThatStandsStill_isObservedOnceForThat() {
    a.runs(1, 0);
    a.progress.put(1, 5L);
    b.runs(1, 0);
    assertThat(workUntil(0, 1000, _ -> {})).isEqualTo(-1);
    int still = a.observed;
    assertThat(still).isLessThanOrEqualTo(13);
    b.progress.put(1, 1L);
    assertThat(workUntil(1000, 2000, now -> a.progress.put(1, now))).isEqualTo(-1);
    assertThat(a.observed - still).as("gets on").isLessThanOrEqualTo(13);
  }

  @Test
  void dueInNs_whileAChannelTellsOfProgress_isAGlance() {
    a.runs(1, 0);
    watchdog.doWork(0);
    assertThat(watchdog.dueInNs()).isEqualTo(Watchdog.LONGEST_TICK.toNanos());
    a.progress.put(1, 1L);
    watchdog.doWork(MS);
    assertThat(watchdog.dueInNs()).isEqualTo(Watchdog.GLANCE.toNanos());
    a.progress.clear();
    watchdog.doWork(4 * MS);
    assertThat(watchdog.dueInNs()).isEqualTo(Watchdog.LONGEST_TICK.toNanos() - 3 * MS);
  }

  @Test
  void observation_ofAGuestThatDoesNotAnswer_keepsNobodyElse() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answers = new CountDownLatch(1);
    watchdog.add(new Silent(asked, answers));
    Thread observing = Thread.ofPlatform().daemon().start(() -> watchdog.doWork(0));
    asked.await();
    watchdog.setLimit("a", Duration.ofMillis(7));
    assertThat(watchdog.counters("a")).isEqualTo(Watchdog.WatchdogCounters.NONE);
    assertThat(watchdog.countersIfThere("silent")).isEqualTo(Watchdog.WatchdogCounters.NONE);
    watchdog.add(new Watched("c"));
    assertThat(watchdog.remove("b")).isEqualTo(Watchdog.WatchdogCounters.NONE);
    answers.countDown();
    observing.join();
  }

  /** A guest that answers when it is told to. */
  private record Silent(CountDownLatch asked, CountDownLatch answers) implements Watchdog.Watched {
    @Override
    public String name() {
      return "silent";
    }

    @Override
    public Optional<Map<Integer, Channel.Status>> channels() {
      asked.countDown();
      try {
        answers.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return Optional.of(Map.of());
    }

    @Override
    public void kill(int channelId, int info, Predicate<Channel.Status> asFound, Runnable counted) {
      throw new AssertionError("nothing to kill");
    }
  }
}

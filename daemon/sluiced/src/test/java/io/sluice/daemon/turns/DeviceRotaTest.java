package io.sluice.daemon.turns;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rota of a device with hosts that the test plays, and a clock of its own. */
final class DeviceRotaTest {
  private static final int DEVICE = 3;
  private static final long MS = 1_000_000;
  private static final Duration KILL_TIMEOUT = Duration.ofMillis(500);

  private final Kernel kernel = RealKernel.create();
  private final Map<String, Integer> weights = new HashMap<>();
  private final List<TurnSeat> seats = new ArrayList<>();
  private final List<String> ended = new ArrayList<>();
  private final DeviceRota rota =
      new DeviceRota(
          guest ->
              new Quota(
                  0,
                  weights.getOrDefault(guest, 1),
                  Quota.NO_LIMIT,
                  BeyondShare.OUT_OF_MEMORY,
                  KILL_TIMEOUT),
          true);
  private long processorNs; // of every host's process
  private int processorPercent = 100;
  private long now = 1_000_000 * MS;

  @AfterEach
  void close() {
    seats.forEach(TurnSeat::close);
  }

  private TurnSeat join(String guest) {
    TurnSeat seat =
        new TurnSeat(
            kernel,
            guest,
            () -> processorNs,
            new PromptSignals(kernel, System::nanoTime),
            Thread::new,
            _ -> ended.add(guest));
    seats.add(seat);
    rota.add(seat, DEVICE);
    return seat;
  }

  private void step(long ms) {
    now += ms * MS;
    processorNs += ms * processorPercent * MS / 100;
    boolean _ = rota.step(now);
  }

  private static boolean isGranted(TurnSeat seat) {
    return seat.page().isGranted(DEVICE);
  }

  private static void await(TurnSeat seat) {
    seat.page().addWaiting(DEVICE, 1);
  }

  /** As a host does that was granted what it waited for. */
  private static void begin(TurnSeat seat) {
    assertThat(isGranted(seat)).isTrue();
    seat.page().addWaiting(DEVICE, -1);
    int _ = seat.page().addClaims(DEVICE, 1);
  }

  private static void finish(TurnSeat seat) {
    int _ = seat.page().addClaims(DEVICE, -1);
  }

  @Test
  void step_nobodyWaits_grantsNothing() {
    TurnSeat a = join("a");

    step(1);

    assertThat(isGranted(a)).isFalse();
  }

  @Test
  void step_guestAlone_keepsItsTurnAndIsNeverEnded() {
    TurnSeat a = join("a");
    await(a);
    step(1);
    begin(a);

    for (int i = 0; i < 1000; i++) {
      step(50);
    }

    assertThat(isGranted(a)).isTrue();
    assertThat(ended).isEmpty();
  }

  @Test
  void step_holderWithoutWork_givesWayAtOnce() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    await(a);
    step(1);
    begin(a);
    finish(a);
    await(b);

    step(0);

    assertThat(isGranted(a)).isFalse();
    assertThat(isGranted(b)).isTrue();
  }

  @Test
  void step_hostThatIsSlowToTakeItsTurnUp_isNotPassedOver() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    await(a);
    await(b);
    step(1);
    TurnSeat first = isGranted(a) ? a : b;

    for (int i = 0; i < 9; i++) {
      step(2);
    }

    begin(first);
  }

  @Test
  void step_holderWithWork_isAskedAfterItsTurnAndTheOtherWaitsForItsEnd() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    await(a);
    step(1);
    begin(a);
    await(b);

    step(2);
    assertThat(isGranted(a)).isTrue();
    step(4);
    assertThat(isGranted(a)).isFalse();
    assertThat(isGranted(b)).as("a has work on it still").isFalse();
    finish(a);
    step(1);
    assertThat(isGranted(b)).isTrue();
  }

  private static double ratio(Map<String, Long> times) {
    return (double) times.getOrDefault("a", 0L) / times.getOrDefault("b", 0L);
  }

  /** Two that always have work and need so long to give way. */
  private Map<String, Long> flood(TurnSeat a, TurnSeat b, int rounds, long drainMs) {
    Map<String, Long> times = new HashMap<>(Map.of("a", 0L, "b", 0L));
    Map<TurnSeat, Boolean> working = new HashMap<>();
    await(a);
    await(b);
    for (int i = 0; i < rounds; i++) {
      step(1);
      for (TurnSeat seat : List.of(a, b)) {
        if (isGranted(seat) && !working.getOrDefault(seat, false)) {
          begin(seat);
          working.put(seat, true);
        } else if (!isGranted(seat) && working.getOrDefault(seat, false)) {
          now += drainMs * MS;
          finish(seat);
          await(seat);
          working.put(seat, false);
          times.merge(seat.guest(), drainMs, Long::sum);
        }
        if (working.getOrDefault(seat, false)) {
          times.merge(seat.guest(), 1L, Long::sum);
        }
      }
    }
    return times;
  }

  @Test
  void step_equalWeights_shareAlikeAlsoWhenOneGivesWayLate() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");

    Map<String, Long> times = flood(a, b, 4000, 3);

    assertThat(ratio(times)).isBetween(0.9, 1.1);
    assertThat(ended).isEmpty();
  }

  @Test
  void step_weightsThreeToOne_shareThreeToOne() {
    weights.put("a", 3);
    TurnSeat a = join("a");
    TurnSeat b = join("b");

    Map<String, Long> times = flood(a, b, 8000, 2);

    assertThat(ratio(times)).isBetween(2.6, 3.4);
  }

  @Test
  void step_guestThatHadNothingForLong_hasNoCredit() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    await(a);
    step(1);
    begin(a);
    for (int i = 0; i < 1000; i++) {
      step(10);
    }
    finish(a);

    Map<String, Long> times = flood(a, b, 4000, 1);

    assertThat(ratio(times)).isBetween(0.8, 1.2);
  }

  @Test
  void step_twoHostsOfOneGuest_haveOneShare() {
    TurnSeat a = join("a");
    TurnSeat second = join("a");
    TurnSeat b = join("b");
    await(second);
    step(1);
    begin(second); // gives way once and wants no more
    step(1);
    finish(second);

    Map<String, Long> times = flood(a, b, 4000, 1);

    assertThat(ratio(times)).isBetween(0.9, 1.1);
  }

  @Test
  void step_workThatDoesNotEnd_endsItsHostAfterTheKillTimeoutAndTheOtherIsNext() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    await(a);
    step(1);
    begin(a);
    await(b);
    step(6);

    for (int i = 0; i < 49; i++) {
      step(10);
    }
    assertThat(ended).isEmpty();
    for (int i = 0; i < 3; i++) {
      step(10);
    }

    assertThat(ended).containsExactly("a");
    rota.remove(a);
    step(0);
    assertThat(isGranted(b)).isTrue();
  }

  @Test
  void step_workThatHasNoProcessor_isGivenMoreTimeButNotForEver() {
    processorPercent = 10;
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    await(a);
    step(1);
    begin(a);
    await(b);
    step(6);

    for (int i = 0; i < 350; i++) {
      step(10);
    }
    assertThat(ended).isEmpty();
    for (int i = 0; i < 100; i++) {
      step(10);
    }

    assertThat(ended).contains("a");
  }

  @Test
  void step_thatComesLate_isNotHeldAgainstTheHolder() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    await(a);
    step(1);
    begin(a);
    await(b);
    step(6);

    for (int i = 0; i < 9; i++) {
      step(60_000);
    }

    assertThat(ended).isEmpty();
  }

  @Test
  void step_workThatGetsOn_isGivenMoreTimeButNotForEver() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    await(a);
    step(1);
    begin(a);
    await(b);
    step(6);

    for (int i = 0; i < 200; i++) {
      a.page().advance(DEVICE);
      step(10);
    }
    assertThat(ended).isEmpty();
    for (int i = 0; i < 300; i++) {
      a.page().advance(DEVICE);
      step(10);
    }

    assertThat(ended).contains("a");
  }

  @Test
  void step_whoWaitedGaveUp_holderGoesOn() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    await(a);
    step(1);
    begin(a);
    await(b);
    step(6);
    assertThat(isGranted(a)).isFalse();

    b.page().addWaiting(DEVICE, -1);
    step(1);

    assertThat(isGranted(a)).isTrue();
    for (int i = 0; i < 100; i++) {
      step(50);
    }
    assertThat(ended).isEmpty();
  }

  @Test
  void step_hostThatAlwaysWaitsAndTakesNothing_keepsNobodyFromItsTurn() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    a.page().addWaiting(DEVICE, Integer.MAX_VALUE);
    await(b);

    for (int i = 0; i < 13 && !isGranted(b); i++) {
      step(2);
    }

    begin(b);
  }

  @Test
  void step_hostThatSaysItHasWork_isEndedLikeOneThatHas() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    int _ = a.page().addClaims(DEVICE, Integer.MIN_VALUE);
    a.page().addWaiting(DEVICE, 1);
    step(1);
    await(b);

    for (int i = 0; i < 100; i++) {
      step(10);
    }

    assertThat(ended).contains("a").doesNotContain("b");
    rota.remove(a);
    step(1);
    assertThat(isGranted(b)).isTrue();
    rota.remove(b);
    assertThat(rota.isEmpty()).isTrue();
  }

  @Test
  void remove_holder_isNextsTurn() {
    TurnSeat a = join("a");
    TurnSeat b = join("b");
    await(a);
    step(1);
    begin(a);
    await(b);

    rota.remove(a);
    step(0);

    assertThat(isGranted(b)).isTrue();
  }
}

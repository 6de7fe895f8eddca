package io.sluice.daemon.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import io.sluice.remoting.control.TurnPage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The keeper of turns with hosts that name too much, tell too much, and quotas that fail. */
final class TurnKeeperTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final List<String> GPU = List.of("gpu");

  private final Kernel kernel = RealKernel.create();
  private final AtomicLong nowNs = new AtomicLong(1_000_000);
  private final AtomicLong tickNs = new AtomicLong(); // that passes from one look to the next
  private final AtomicInteger asked = new AtomicInteger(); // for quotas
  private final AtomicBoolean fails = new AtomicBoolean();
  private final AtomicBoolean pokes = new AtomicBoolean();
  private final List<String> ended = new CopyOnWriteArrayList<>();
  private final List<TurnSeat> seats = new ArrayList<>();
  private final TurnKeeper keeper =
      new TurnKeeper(kernel, Thread.ofPlatform().factory(), this::now, this::quota);

  private long now() {
    return nowNs.addAndGet(tickNs.get());
  }

  private Quota quota(String guest) {
    asked.incrementAndGet();
    if (fails.getAndSet(false)) {
      throw new LinkageError("injected");
    }
    if (pokes.get()) {
      keeper.wake();
    }
    return new Quota(0, 1, Quota.NO_LIMIT, BeyondShare.OUT_OF_MEMORY, Duration.ofSeconds(2));
  }

  @AfterEach
  void close() throws InterruptedException {
    seats.forEach(keeper::leave);
    keeper.close();
  }

  private TurnSeat join(String guest) {
    TurnSeat seat =
        new TurnSeat(
            kernel,
            guest,
            () -> 0,
            new PromptSignals(kernel, System::nanoTime),
            Thread::new,
            why -> ended.add(guest + ": " + why));
    seats.add(seat);
    return seat;
  }

  private TurnSeat join(String guest, List<String> devices) {
    TurnSeat seat = join(guest);
    keeper.name(seat, devices);
    return seat;
  }

  private static List<String> names(String of, int count) {
    return IntStream.range(0, count).mapToObj(i -> of + i).toList();
  }

  /** As hosts do: one has work, and another waits. */
  private void contend(TurnSeat holder, TurnSeat other) {
    holder.page().addWaiting(0, 1);
    keeper.wake();
    await().atMost(PATIENCE).until(() -> holder.page().isGranted(0));
    holder.page().addWaiting(0, -1);
    int _ = holder.page().addClaims(0, 1);
    other.page().addWaiting(0, 1);
  }

  @Test
  void name_again_endsTheHost() {
    TurnSeat seat = join("a", GPU);

    keeper.name(seat, List.of("other"));

    assertThat(ended).singleElement().asString().contains("twice");
  }

  @Test
  void name_moreThanAGuestMay_endsItsHostAndNobodyElses() {
    join("a", names("x", TurnKeeper.MOST_NAMES));
    join("a", names("x", TurnKeeper.MOST_NAMES)); // the same
    join("b", names("y", TurnKeeper.MOST_NAMES));
    assertThat(ended).isEmpty();

    join("a", GPU);

    assertThat(ended).singleElement().asString().startsWith("a: ").contains("more devices");
  }

  @Test
  void name_moreThanThePageHas_endsTheHost() {
    join("a", java.util.Collections.nCopies(TurnPage.MOST_DEVICES + 1, "gpu"));

    assertThat(ended).hasSize(1);
  }

  @Test
  void run_stepThatFails_isDoneAgain() {
    tickNs.set(TurnKeeper.STEP.toNanos());
    TurnSeat a = join("a", GPU);
    TurnSeat b = join("b", GPU);
    contend(a, b);

    fails.set(true);
    keeper.wake();
    await().atMost(PATIENCE).until(() -> !fails.get());
    int _ = a.page().addClaims(0, -1);
    keeper.wake();

    await().atMost(PATIENCE).until(() -> b.page().isGranted(0));
  }

  /** Each step is told of a change at once, as by a host that does nothing else. */
  @Test
  void run_hostsTellWithoutEnd_stepsAreFarApart() {
    TurnSeat a = join("a", GPU);
    TurnSeat b = join("b", GPU);
    contend(a, b);
    int before = asked.get();
    pokes.set(true);
    keeper.wake();

    int more = 8;
    for (int i = 0; i < more; i++) {
      int last = asked.get();
      nowNs.addAndGet(TurnKeeper.STEP.toNanos());
      await().atMost(PATIENCE).until(() -> asked.get() > last);
    }
    pokes.set(false);

    assertThat(asked.get() - before).isLessThanOrEqualTo(TurnKeeper.STEPS + more);
  }
}

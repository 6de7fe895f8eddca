package io.sluice.channel.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.MovableMemory;
import io.sluice.channel.guest.GpuRig;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.MemoryUse;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Presence;
import io.sluice.quota.Quota;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** CUDA programs and buffers of guests, on a card of 32 MiB. */
@ExtendWith(Seeds.class)
final class ProgramMemoryTest {
  private static final long MIB = 1 << 20;
  private static final int STEPS = 2000;

  private final AtomicLong changes = new AtomicLong();
  private final AtomicLong nowNs = new AtomicLong();
  private final MemoryQuotas quotas =
      new MemoryQuotas(
          GpuRig.VRAM_BYTES, nowNs::get, changes::incrementAndGet, new QuotaListener() {});

  private MemoryBudget programs(String guest) {
    GpuRig.admit(quotas, guest, Quota.DEFAULT);
    return quotas.programs(guest);
  }

  private Guest attach(GpuRig rig, String name) {
    Guest guest = rig.attach(name);
    GpuRig.admit(quotas, name, Quota.DEFAULT);
    quotas.attach(guest);
    return guest;
  }

  @Test
  void programs_ofNobodysGuest_refused() {
    assertThatThrownBy(() -> quotas.programs("a")).isInstanceOf(RefusedException.class);
  }

  @Test
  void take_moreThanTheShare_nothingAndCounted() {
    MemoryBudget a = programs("a");
    assertThat(a.take(-1)).isFalse();
    assertThat(a.take(Long.MAX_VALUE)).isFalse();
    assertThat(a.take(33 * MIB)).isFalse();
    assertThat(a.take(32 * MIB)).isTrue();
    assertThat(a.take(1)).isFalse();
    assertThat(a.bytes()).isEqualTo(32 * MIB);
    assertThat(quotas.counters("a")).isEqualTo(new QuotaCounters(0, 0, 3));
    a.giveBack(32 * MIB);
    assertThat(changes).hasPositiveValue();
    assertThat(quotas.use("a").usesGpu()).isFalse();
  }

  @Test
  void take_twoGuestsPrograms_eachItsShare() {
    MemoryBudget a = programs("a");
    MemoryBudget b = programs("b");
    assertThat(a.take(20 * MIB)).as("alone").isTrue();
    assertThat(b.take(17 * MIB)).isFalse();
    assertThat(b.take(12 * MIB)).isTrue();
    assertThat(b.take(1)).as("the card has no more: nobody takes it from a").isFalse();
    assertThat(a.take(1)).as("has more than its share").isFalse();
    a.giveBack(10 * MIB);
    assertThat(a.take(7 * MIB)).isFalse();
    assertThat(a.take(6 * MIB)).isTrue();
    assertThat(b.take(5 * MIB)).isFalse();
    assertThat(b.take(4 * MIB)).isTrue();
    b.giveBack(16 * MIB);
    assertThat(a.take(16 * MIB)).as("alone again").isTrue();
  }

  @Test
  void take_weightsAndLimits_asForBuffers() {
    MemoryBudget a = programs("a");
    MemoryBudget b = programs("b");
    GpuRig.admit(
        quotas,
        "b",
        new Quota(0, 3, 20 * MIB, BeyondShare.OUT_OF_MEMORY, Quota.DEFAULT.killTimeout()));
    assertThat(a.take(MIB)).isTrue();
    assertThat(b.take(20 * MIB)).isTrue();
    assertThat(b.take(1)).isFalse();
    assertThat(a.take(11 * MIB)).isTrue();
    assertThat(a.take(1)).isFalse();
  }

  /** Which nobody could give them back, since what programs have is not evicted. */
  @Test
  void take_fromTheMinimumsOfOthers_refused() {
    MemoryBudget a = programs("a");
    MemoryBudget b = programs("b");
    GpuRig.admit(
        quotas,
        "c",
        new Quota(
            10 * MIB, 1, Quota.NO_LIMIT, BeyondShare.OUT_OF_MEMORY, Quota.DEFAULT.killTimeout()));
    assertThat(a.take(23 * MIB)).isFalse();
    assertThat(a.take(18 * MIB)).isTrue();
    assertThat(b.take(5 * MIB)).isFalse();
    assertThat(b.take(4 * MIB)).isTrue();
    MemoryBudget c = quotas.programs("c");
    assertThat(c.take(10 * MIB)).isTrue();
    assertThat(c.take(1)).isFalse();
  }

  @Test
  void take_besideOwnBuffers_theseAreEvictedAndReturn() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest own = attach(rig, "a");
      for (int i = 0; i < 3; i++) {
        own.buffers().allocate(0, 0, 0, 8 * MIB);
      }
      MemoryBudget programs = quotas.programs("a");
      assertThat(programs.limitBytes()).isEqualTo(8 * MIB);
      assertThat(programs.take(8 * MIB)).isTrue();
      assertThat(own.buffers().use().videoBytes()).isEqualTo(24 * MIB);
      assertThat(programs.take(4 * MIB)).as("one buffer has to go").isTrue();
      assertThat(own.buffers().use().videoBytes()).isEqualTo(16 * MIB);
      assertThat(own.buffers().limitBytes()).isEqualTo(20 * MIB);
      assertThat(quotas.use("a").videoBytes()).isEqualTo(28 * MIB);
      assertThat(quotas.use("a").limitBytes()).isEqualTo(32 * MIB);
      assertThatThrownBy(() -> own.buffers().allocate(0, 0, 0, 5 * MIB))
          .isInstanceOf(RefusedException.class);
      programs.giveBack(12 * MIB);
      assertThat(quotas.rebalance()).isEqualTo(new Moves(0, 1));
      assertThat(own.buffers().limitBytes()).isEqualTo(32 * MIB);
    }
  }

  @Test
  void take_whereAnotherHasTooMuch_itsBuffersGo() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest other = attach(rig, "b");
      for (int i = 0; i < 4; i++) {
        other.buffers().allocate(0, 0, 0, 8 * MIB);
      }
      MemoryBudget a = programs("a");
      assertThat(a.take(10 * MIB)).isTrue();
      assertThat(other.buffers().use().videoBytes()).isEqualTo(16 * MIB);
      assertThat(a.makeRoom()).as("all have what they may").isFalse();
    }
  }

  @Test
  void limitBytes_ofAGuestThatHasNothing_changesNobodysLimit() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest other = attach(rig, "b");
      other.buffers().allocate(0, 0, 0, MIB);
      MemoryBudget a = programs("a");
      assertThat(a.limitBytes()).isEqualTo(16 * MIB);
      assertThat(a.take(17 * MIB)).isFalse();
      assertThat(other.buffers().limitBytes()).isEqualTo(32 * MIB);
    }
  }

  @Test
  void take_afterTheGuestIsRemoved_refused() {
    MemoryBudget a = programs("a");
    assertThat(a.take(MIB)).isTrue();
    quotas.remove("a");
    assertThat(a.take(MIB)).isFalse();
    a.giveBack(MIB);
    MemoryBudget again = programs("a");
    assertThat(again.take(32 * MIB)).isTrue();
  }

  /** Both take what they can at the same time: together they never have more than the share. */
  @Test
  void take_whileBuffersComeAndGo_neverMoreThanTheShare(RandomGenerator random) throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest own = attach(rig, "a");
      MemoryBudget programs = quotas.programs("a");
      AtomicBoolean ended = new AtomicBoolean();
      Thread allocating = Thread.ofPlatform().start(() -> allocate(own, ended));
      try {
        for (int i = 0; i < STEPS; i++) {
          long wanted = (1 + random.nextInt(24)) * MIB;
          if (programs.take(wanted)) {
            assertThat(own.buffers().use().videoBytes())
                .isLessThanOrEqualTo(GpuRig.VRAM_BYTES - programs.bytes());
          }
          if (random.nextInt(3) == 0) {
            programs.giveBack(programs.bytes());
          }
        }
      } finally {
        ended.set(true);
        allocating.join();
      }
    }
  }

  /** Programs of a guest, each allocation of a MiB, that move as they are asked to. */
  private final class Movable implements MovableMemory {
    private final MemoryBudget budget;
    private long evicted;
    private Runnable before = () -> {};
    private long most = Long.MAX_VALUE;

    Movable(String guest) {
      budget = programs(guest);
      quotas.setMover(guest, this);
    }

    @Override
    public Moved evict(long bytes, long enough) {
      before.run();
      long wanted = Math.min((bytes + MIB - 1) / MIB, budget.bytes() / MIB);
      long pieces = Math.min(most, Math.min(wanted, (enough + MIB - 1) / MIB));
      budget.giveBack(pieces * MIB);
      evicted += pieces * MIB;
      return new Moved((int) pieces, pieces * MIB);
    }

    @Override
    public Moved restore(long room, long enough) {
      before.run();
      long pieces = Math.min(Math.min(room, enough), evicted) / MIB;
      budget.add(pieces * MIB);
      evicted -= pieces * MIB;
      return new Moved((int) pieces, pieces * MIB);
    }

    @Override
    public long evictedBytes() {
      return evicted;
    }
  }

  @Test
  void take_whereAnothersProgramsHaveTooMuch_theirsMovesAndReturns() {
    Movable a = new Movable("a");
    MemoryBudget b = programs("b");
    assertThat(a.budget.take(30 * MIB)).as("alone").isTrue();
    assertThat(b.take(17 * MIB)).as("more than its share").isFalse();
    assertThat(a.evicted).as("for what cannot be").isZero();
    assertThat(b.take(10 * MIB)).isTrue();
    assertThat(a.evicted).isEqualTo(14 * MIB);
    assertThat(quotas.use("a").videoBytes()).isEqualTo(16 * MIB);
    assertThat(quotas.use("a").evictedBytes()).isEqualTo(14 * MIB);
    assertThat(quotas.counters("a")).isEqualTo(new QuotaCounters(14, 0, 0));
    assertThat(quotas.movePrograms()).as("there is no room").isEqualTo(new Moves(0, 0));
    assertThat(b.take(6 * MIB)).isTrue();
    assertThat(b.take(1)).isFalse();

    b.giveBack(16 * MIB);
    assertThat(quotas.movePrograms()).as("b may be back at once").isEqualTo(new Moves(0, 0));
    nowNs.addAndGet(Presence.LONGEST.toNanos());
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(0, 14));
    assertThat(a.evicted).isZero();
    assertThat(a.budget.bytes()).isEqualTo(30 * MIB);
    assertThat(quotas.counters("a")).isEqualTo(new QuotaCounters(14, 14, 0));
  }

  @Test
  void movePrograms_afterALimitIsLowered_theyLeaveWhatIsBeyond() {
    Movable a = new Movable("a");
    assertThat(a.budget.take(30 * MIB)).isTrue();
    Quota lower = new Quota(0, 1, 8 * MIB, BeyondShare.SYSTEM_MEMORY, Quota.DEFAULT.killTimeout());
    GpuRig.admit(quotas, "a", lower);
    assertThat(a.budget.overflows()).isTrue();
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(22, 0));
    assertThat(a.budget.bytes()).isEqualTo(8 * MIB);
    GpuRig.admit(quotas, "a", Quota.DEFAULT);
    assertThat(a.budget.overflows()).isFalse();
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(0, 22));
  }

  @Test
  void allocate_ownBuffersWhereAnothersProgramsHaveTooMuch_theirsMoves() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Movable b = new Movable("b");
      assertThat(b.budget.take(32 * MIB)).isTrue();
      Guest own = attach(rig, "a");
      assertThatThrownBy(() -> own.buffers().allocate(0, 0, 0, 17 * MIB))
          .isInstanceOf(RefusedException.class);
      assertThat(b.evicted).as("for what cannot be").isZero();
      own.buffers().allocate(0, 0, 0, 8 * MIB); // the software GPU has none of the programs'
      assertThat(quotas.movePrograms()).isEqualTo(new Moves(16, 0));
      assertThat(b.evicted).isEqualTo(16 * MIB);
    }
  }

  /** However many pieces one has: each gives some in its turn, and no more than are wanted. */
  @Test
  void take_whereOneHasManyPieces_theOthersPiecesServeAsWell() {
    Movable many = new Movable("a");
    Movable few = new Movable("b");
    MemoryBudget c = programs("c");
    assertThat(many.budget.take(16 * MIB)).isTrue();
    assertThat(few.budget.take(16 * MIB)).isTrue();
    many.most = 1;
    assertThat(c.take(6 * MIB)).isTrue();
    assertThat(many.evicted).isEqualTo(MIB);
    assertThat(few.evicted).isEqualTo(6 * MIB);
    assertThat(quotas.movePrograms()).as("the rest").isEqualTo(new Moves(5, 0));
    assertThat(many.budget.bytes()).isLessThanOrEqualTo(11 * MIB);
  }

  /** One that does not move is not asked again and again. */
  @Test
  void movePrograms_oneOfWhichNothingMoves_isAskedOnce() {
    Movable stuck = new Movable("a");
    Movable other = new Movable("b");
    assertThat(stuck.budget.take(16 * MIB)).isTrue();
    assertThat(other.budget.take(16 * MIB)).isTrue();
    other.most = 1;
    stuck.most = 0;
    int[] asked = {0};
    stuck.before = () -> asked[0]++;
    for (String guest : List.of("a", "b")) {
      GpuRig.admit(
          quotas,
          guest,
          new Quota(0, 1, 8 * MIB, BeyondShare.OUT_OF_MEMORY, Quota.DEFAULT.killTimeout()));
    }
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(8, 0));
    assertThat(asked[0]).isEqualTo(1);
  }

  private static Quota quota(long minimum, long limit) {
    return new Quota(minimum, 1, limit, BeyondShare.OUT_OF_MEMORY, Quota.DEFAULT.killTimeout());
  }

  /** Something that happens before the next move, and not again. */
  private static void before(Movable moved, Runnable action) {
    moved.before =
        () -> {
          moved.before = () -> {};
          action.run();
        };
  }

  @Test
  void take_whereTheOwnerGivesUpTheRoomItself_taken() {
    Movable a = new Movable("a");
    MemoryBudget b = programs("b");
    assertThat(a.budget.take(30 * MIB)).isTrue();
    a.most = 0;
    before(a, () -> a.budget.giveBack(14 * MIB));
    assertThat(b.take(10 * MIB)).isTrue();
    assertThat(a.evicted).isZero();
  }

  @Test
  void makeRoom_whereTheOwnerGivesUpTheRoomItself_isTrue() {
    Movable a = new Movable("a");
    MemoryBudget b = programs("b");
    assertThat(b.take(MIB)).isTrue();
    assertThat(a.budget.take(16 * MIB)).isTrue();
    assertThat(b.makeRoom()).isFalse();
    GpuRig.admit(quotas, "a", quota(0, 8 * MIB));
    a.most = 0;
    before(a, () -> a.budget.giveBack(8 * MIB));
    assertThat(b.makeRoom()).isTrue();
    assertThat(b.makeRoom()).isFalse();
  }

  @Test
  void take_whereAnotherTakesWhatWasMoved_moreMoves() {
    Movable a = new Movable("a");
    Movable b = new Movable("b");
    MemoryBudget c = programs("c");
    MemoryBudget d = programs("d");
    assertThat(a.budget.take(14 * MIB)).isTrue();
    assertThat(b.budget.take(14 * MIB)).isTrue();
    assertThat(c.take(4 * MIB)).isTrue();
    b.most = 1;
    before(b, () -> assertThat(c.take(4 * MIB)).isTrue());
    assertThat(d.take(4 * MIB)).isTrue();
    assertThat(a.budget.bytes() + b.budget.bytes()).isLessThanOrEqualTo(20 * MIB);
  }

  /** What one of them only wants does not keep the other from what is there. */
  @Test
  void take_twoGuestsAtOnce_bothHaveWhatTheirSharesHaveRoomFor() {
    Movable a = new Movable("a");
    MemoryBudget b = programs("b");
    MemoryBudget c = programs("c");
    assertThat(a.budget.take(32 * MIB)).isTrue();
    a.most = 11;
    before(a, () -> assertThat(c.take(10 * MIB)).isTrue());
    assertThat(b.take(10 * MIB)).isTrue();
  }

  @Test
  void take_twiceAtOnceMoreThanTheShare_ownDataStays() {
    Movable a = new Movable("a");
    Movable b = new Movable("b");
    assertThat(b.budget.take(22 * MIB)).isTrue();
    assertThat(a.budget.take(10 * MIB)).isTrue();
    before(
        b,
        () -> {
          assertThat(a.budget.take(5 * MIB)).isFalse();
          assertThat(a.budget.take(Long.MAX_VALUE)).isFalse();
        });
    assertThat(a.budget.take(5 * MIB)).isTrue();
    assertThat(a.evicted).isZero();
  }

  @Test
  void movePrograms_whileMemoryReturns_theRestOfTheShareMayBeTaken() {
    Movable a = new Movable("a");
    assertThat(a.budget.take(30 * MIB)).isTrue();
    GpuRig.admit(quotas, "a", quota(0, 16 * MIB));
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(14, 0));
    GpuRig.admit(quotas, "a", Quota.DEFAULT);
    before(
        a,
        () -> {
          assertThat(quotas.use("a").videoBytes()).isEqualTo(30 * MIB);
          assertThat(a.budget.take(3 * MIB)).isFalse();
          assertThat(a.budget.take(2 * MIB)).isTrue();
        });
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(0, 14));
    assertThat(a.budget.bytes()).isEqualTo(32 * MIB);
    assertThat(quotas.use("a").videoBytes()).isEqualTo(32 * MIB);
  }

  @Test
  void movePrograms_whatReturns_leavesMinimumsOfThoseThatAreAway() {
    Movable a = new Movable("a");
    Movable b = new Movable("b");
    for (Movable each : List.of(a, b)) {
      assertThat(each.budget.take(16 * MIB)).isTrue();
    }
    GpuRig.admit(quotas, "a", quota(0, 4 * MIB));
    GpuRig.admit(quotas, "b", quota(0, 4 * MIB));
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(24, 0));
    GpuRig.admit(quotas, "a", Quota.DEFAULT);
    GpuRig.admit(quotas, "b", quota(7 * MIB, Quota.NO_LIMIT));
    GpuRig.admit(quotas, "c", quota(10 * MIB, Quota.NO_LIMIT));
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(0, 14));
    assertThat(a.budget.bytes()).isEqualTo(15 * MIB);
    assertThat(b.budget.bytes()).as("its own minimum").isEqualTo(7 * MIB);
    assertThat(quotas.programs("c").take(10 * MIB)).isTrue();
  }

  @Test
  void movePrograms_allOfAGuestHasLeft_itReturns() {
    Movable a = new Movable("a");
    assertThat(a.budget.take(16 * MIB)).isTrue();
    GpuRig.admit(quotas, "a", quota(0, 0));
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(16, 0));
    assertThat(quotas.use("a")).isEqualTo(new MemoryUse(true, 0, 0, 0, 16 * MIB));
    GpuRig.admit(quotas, "a", Quota.DEFAULT);
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(0, 16));
  }

  /** It would leave as well when the other comes again, and so on. */
  @Test
  void take_whileDataOfTheGuestWaitsToReturn_onlyWhatItWillKeep() {
    Movable a = new Movable("a");
    MemoryBudget b = programs("b");
    assertThat(a.budget.take(28 * MIB)).isTrue();
    assertThat(b.take(16 * MIB)).isTrue();
    assertThat(a.evicted).isEqualTo(12 * MIB);
    b.giveBack(16 * MIB);
    assertThat(a.budget.take(MIB)).as("b may be back at once").isFalse();
    a.budget.giveBack(2 * MIB);
    assertThat(a.budget.take(3 * MIB)).isFalse();
    assertThat(a.budget.take(2 * MIB)).as("what it has even beside b").isTrue();
    nowNs.addAndGet(Presence.LONGEST.toNanos());
    assertThat(a.budget.take(5 * MIB)).isTrue();
    assertThat(quotas.movePrograms()).isEqualTo(new Moves(0, 11));
    assertThat(a.budget.bytes()).isEqualTo(32 * MIB);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Memory that moves takes its time: nobody else waits for it who wants nothing of it. */
  @Test
  void take_whileAnothersProgramsMove_isNotHeldUp() throws Exception {
    Movable a = new Movable("a");
    MemoryBudget b = programs("b");
    MemoryBudget c = programs("c");
    assertThat(b.take(MIB)).isTrue();
    assertThat(a.budget.take(16 * MIB)).isTrue();
    CountDownLatch moves = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    a.before =
        () -> {
          moves.countDown();
          await(go);
        };
    GpuRig.admit(
        quotas,
        "a",
        new Quota(0, 1, 4 * MIB, BeyondShare.OUT_OF_MEMORY, Quota.DEFAULT.killTimeout()));
    Thread moving = Thread.ofPlatform().start(quotas::movePrograms);
    moves.await();
    assertThat(c.take(MIB)).isTrue();
    assertThat(b.take(MIB)).isTrue();
    assertThat(quotas.use("a").videoBytes()).isEqualTo(16 * MIB);
    go.countDown();
    moving.join();
    assertThat(a.budget.bytes()).isEqualTo(4 * MIB);
  }

  private static void allocate(Guest own, AtomicBoolean ended) {
    Deque<Integer> handles = new ArrayDeque<>();
    while (!ended.get()) {
      try {
        handles.add(own.buffers().allocate(0, 0, 0, 2 * MIB).handle());
      } catch (RefusedException full) {
        while (!handles.isEmpty()) {
          own.buffers().free(handles.remove());
        }
      }
    }
  }
}

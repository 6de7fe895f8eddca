package io.sluice.channel.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sluice.abi.RefusedException;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.guest.GpuRig;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.MemoryUse;
import io.sluice.channel.guest.Worker;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.StateRecord;
import io.sluice.channel.state.ChannelState;
import io.sluice.quota.Admission;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.InvalidQuotaException;
import io.sluice.quota.MovableBuffer;
import io.sluice.quota.Presence;
import io.sluice.quota.Quota;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeds.class)
final class MemoryQuotasTest {
  private static final long MIB = 1 << 20;
  private static final int STEPS = 3000;

  private final AtomicLong nowNs = new AtomicLong();
  private final MemoryQuotas quotas = quotas();

  private MemoryQuotas quotas() {
    return new MemoryQuotas(GpuRig.VRAM_BYTES, nowNs::get, () -> {}, new QuotaListener() {});
  }

  /** Nobody waits any longer for those that are away. */
  private void pass() {
    nowNs.addAndGet(Presence.FORGOTTEN.toNanos() + 1);
  }

  private Guest attach(GpuRig rig, String name) {
    Guest guest = rig.attach(name);
    GpuRig.admit(quotas, name, Quota.DEFAULT);
    quotas.attach(guest);
    return guest;
  }

  private static Quota quota(long minimum, int weight, long limit, BeyondShare beyondShare) {
    return new Quota(minimum, weight, limit, beyondShare, Quota.DEFAULT.killTimeout());
  }

  private static BeyondShare beyondShare(RandomGenerator random) {
    return random.nextBoolean() ? BeyondShare.SYSTEM_MEMORY : BeyondShare.OUT_OF_MEMORY;
  }

  @Test
  void set_minimumDoesNotFit_refusesAndChangesNothing() {
    GpuRig.admit(quotas, "a", quota(30 * MIB, 1, Quota.NO_LIMIT, BeyondShare.OUT_OF_MEMORY));
    assertThat(quotas.set("b", quota(3 * MIB, 1, Quota.NO_LIMIT, BeyondShare.OUT_OF_MEMORY)))
        .isEqualTo(
            new Admission.Refused(
                Admission.RefusalReason.DOES_NOT_FIT,
                "the minimums of 1 guests leave 2097152 bytes of 33554432, 3145728 requested",
                "Ask for a minimum of 2097152 bytes or less, or lower another guest's.",
                2 * MIB));
    assertThatThrownBy(() -> quotas.programs("b")).isInstanceOf(RefusedException.class);
    GpuRig.admit(quotas, "b", quota(2 * MIB, 1, Quota.NO_LIMIT, BeyondShare.OUT_OF_MEMORY));
  }

  @Test
  void rebalance_guestComesAndGoes_buffersLeaveAndReturn() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      Worker worker = new Worker(rig, a, a.spaces().create()).start();
      for (int i = 0; i < 3; i++) {
        a.buffers().allocate(0, 0, 0, 8 * MIB);
      }
      assertThat(quotas.rebalance()).isEqualTo(new Moves(0, 0));
      Guest b = attach(rig, "b");
      b.spaces().create();
      assertThat(quotas.rebalance()).isEqualTo(new Moves(2, 0));
      assertThat(a.buffers().usage().vramBytes()).isLessThanOrEqualTo(16 * MIB);
      worker.submit(Worker.SET_REFERENCE, 7);
      rig.run();
      assertThat(worker.reference()).isEqualTo(7);
      assertThat(worker.state()).isEqualTo(ChannelState.RUNNING);
      b.buffers().allocate(0, 0, 0, 16 * MIB);
      assertThat(b.buffers().use().videoBytes()).isEqualTo(16 * MIB);
      quotas.detach(b);
      b.close();
      assertThat(quotas.rebalance()).as("b may be back at once").isEqualTo(new Moves(0, 0));
      assertThat(a.buffers().limitBytes()).as("new ones have all").isEqualTo(32 * MIB);
      pass();
      assertThat(quotas.rebalance()).isEqualTo(new Moves(0, 2));
      assertThat(quotas.rebalance()).isEqualTo(new Moves(0, 0));
    }
  }

  /** What a guest does may take as long as it makes it take: no other waits for it. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void attach_beside_aGuestThatIsBusy_waitsForNothing() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      a.buffers().allocate(0, 0, 0, MIB);
      List<Long> ids = a.buffers().movable().stream().map(MovableBuffer::id).toList();
      CountDownLatch busy = new CountDownLatch(1);
      CountDownLatch done = new CountDownLatch(1);
      Thread work =
          new Thread(() ->
              a.buffers()
                  .move(
                      ids,
                      true,
                      () -> {
                        busy.countDown();
                        Uninterruptibles.awaitUninterruptibly(done);
                      }));
      work.start();
      busy.await();

      Guest b = attach(rig, "b");
      b.spaces().create();
      b.buffers().allocate(0, 0, 0, MIB);
      assertThat(quotas.use("a").videoBytes()).isEqualTo(MIB);
      assertThat(quotas.rebalance()).isEqualTo(new Moves(0, 0));
      assertThat(a.buffers().limitBytes()).isEqualTo(16 * MIB);

      done.countDown();
      work.join();
      assertThat(quotas.use("a").evictedBytes()).isEqualTo(MIB);
    }
  }

  /** It would have the other's buffers move each time. */
  @Test
  void rebalance_guestComesAndGoesAllTheTime_buffersOfTheOtherStayWhereTheyAre() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      for (int i = 0; i < 3; i++) {
        a.buffers().allocate(0, 0, 0, 8 * MIB);
      }
      Guest b = attach(rig, "b");
      Moves _ = quotas.rebalance();
      int moved = 0;
      for (int second = 0; second < 3600; second++) {
        int handle = b.buffers().allocate(0, 0, 0, 4096).handle();
        Moves came = quotas.rebalance();
        b.buffers().free(handle);
        Moves went = quotas.rebalance();
        moved += came.evicted() + came.returned() + went.evicted() + went.returned();
        nowNs.addAndGet(1_000_000_000L);
      }
      assertThat(moved).as("it leaves once").isEqualTo(1);
      nowNs.addAndGet(Presence.LONGEST.toNanos());
      assertThat(quotas.rebalance()).isEqualTo(new Moves(0, 1));
    }
  }

  /** Whoever has had nothing does not keep others' memory away. */
  @Test
  void rebalance_guestThatOnlyTries_isNotWaitedFor() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      for (int i = 0; i < 3; i++) {
        a.buffers().allocate(0, 0, 0, 8 * MIB);
      }
      Guest b = attach(rig, "b");
      GpuRig.admit(quotas, "a", quota(0, 1, 8 * MIB, BeyondShare.OUT_OF_MEMORY));
      assertThat(quotas.rebalance()).isEqualTo(new Moves(2, 0));
      GpuRig.admit(quotas, "a", Quota.DEFAULT);
      assertThat(quotas.rebalance()).as("b is attached").isEqualTo(new Moves(0, 2));
      GpuRig.admit(quotas, "a", quota(0, 1, 8 * MIB, BeyondShare.OUT_OF_MEMORY));
      assertThat(quotas.rebalance()).isEqualTo(new Moves(2, 0));
      assertThatThrownBy(() -> b.buffers().allocate(0, 0, 0, 40 * MIB))
          .isInstanceOf(RefusedException.class);
      GpuRig.admit(quotas, "a", Quota.DEFAULT);
      assertThat(quotas.rebalance()).as("b wanted too much").isEqualTo(new Moves(0, 2));
    }
  }

  @Test
  void rebalance_guestIsRemoved_buffersReturnAtOnce() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      for (int i = 0; i < 3; i++) {
        a.buffers().allocate(0, 0, 0, 8 * MIB);
      }
      Guest b = attach(rig, "b");
      b.buffers().allocate(0, 0, 0, MIB);
      assertThat(quotas.rebalance()).isEqualTo(new Moves(1, 0));
      quotas.detach(b);
      b.close();
      quotas.remove("b");
      assertThat(quotas.rebalance()).isEqualTo(new Moves(0, 1));
    }
  }

  /** Whoever waits for a limit to hold does not wait for channels to go on. */
  @Test
  void rebalance_buffersMove_isHeldBeforeTheChannelsGoOn() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      Worker worker = new Worker(rig, a, a.spaces().create()).start();
      for (int i = 0; i < 3; i++) {
        a.buffers().allocate(0, 0, 0, 8 * MIB);
      }
      List<String> seen = new ArrayList<>();
      Runnable held = () -> seen.add(worker.state() + " " + a.buffers().usage().vramBytes() / MIB);
      quotas.rebalance(held);
      assertThat(seen).as("at rest").containsExactly("RUNNING 24");
      seen.clear();
      GpuRig.admit(quotas, "a", quota(0, 1, 8 * MIB, BeyondShare.OUT_OF_MEMORY));
      assertThat(quotas.rebalance(held)).isEqualTo(new Moves(3, 0));
      assertThat(seen).as("and at the end").containsExactly("SUSPENDED 0", "RUNNING 0");
      seen.clear();
      GpuRig.admit(quotas, "a", Quota.DEFAULT);
      assertThat(quotas.rebalance(held)).isEqualTo(new Moves(0, 3));
      assertThat(seen).as("and at the end").containsExactly("SUSPENDED 24", "RUNNING 24");
      assertThat(worker.state()).isEqualTo(ChannelState.RUNNING);
    }
  }

  /** A lower share of one is another's room: it holds when both have moved. */
  @Test
  void rebalance_someLeaveAndOthersReturn_isHeldAfterAll() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      Guest b = attach(rig, "b");
      for (Guest guest : List.of(a, b)) {
        guest.spaces().create();
        guest.buffers().allocate(0, 0, 0, 8 * MIB);
        guest.buffers().allocate(0, 0, 0, 8 * MIB);
      }
      GpuRig.admit(quotas, "a", quota(0, 1, 8 * MIB, BeyondShare.OUT_OF_MEMORY));
      assertThat(quotas.rebalance()).isEqualTo(new Moves(1, 0));
      GpuRig.admit(quotas, "a", Quota.DEFAULT);
      GpuRig.admit(quotas, "b", quota(0, 1, 8 * MIB, BeyondShare.OUT_OF_MEMORY));
      List<String> seen = new ArrayList<>();
      Moves moves =
          quotas.rebalance(() ->
              seen.add(
                  a.buffers().usage().vramBytes() / MIB
                      + " "
                      + b.buffers().usage().vramBytes() / MIB));
      assertThat(moves).isEqualTo(new Moves(1, 1));
      assertThat(seen).as("and at the end").containsExactly("16 8", "16 8");
    }
  }

  @Test
  void rebalance_closedGuest_isForgotten() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      a.buffers().allocate(0, 0, 0, MIB);
      a.close();
      assertThat(quotas.rebalance()).isEqualTo(new Moves(0, 0));
    }
  }

  @Test
  void memAlloc_overShare_refusesOrGivesSystemMemory() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      GpuRig.admit(quotas, "a", quota(0, 1, MIB, BeyondShare.OUT_OF_MEMORY));
      assertThatThrownBy(() -> a.buffers().allocate(0, 0, 0, 2 * MIB))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("over the guest's share")
          .hasMessageContaining("bytes=2097152 used=0 limit=1048576");
      GpuRig.admit(quotas, "a", quota(0, 1, MIB, BeyondShare.SYSTEM_MEMORY));
      int handle = a.buffers().allocate(0, 0, 0, 2 * MIB).handle();
      assertThat(a.buffers().usage().vramBytes()).isZero();
      assertThat(a.buffers().usage().systemBytes()).isEqualTo(2 * MIB);
      assertThat(quotas.use("a")).isEqualTo(new MemoryUse(true, 0, MIB, 2 * MIB, 2 * MIB));
      a.buffers().free(handle);
      assertThat(a.buffers().usage().systemBytes()).isZero();
    }
  }

  @Test
  void memAlloc_cardFullOfAnotherGuest_makesRoomAtOnce() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      for (int i = 0; i < 8; i++) {
        a.buffers().allocate(0, 0, 0, 4 * MIB);
      }
      assertThat(a.buffers().usage().vramFreeBytes()).isZero();
      Guest b = attach(rig, "b");

      b.buffers().allocate(0, 0, 0, 16 * MIB);

      assertThat(b.buffers().usage().vramBytes()).isEqualTo(16 * MIB);
      assertThat(a.buffers().usage().vramBytes()).isEqualTo(16 * MIB);
      assertThat(quotas.counters("a")).isEqualTo(new QuotaCounters(4, 0, 0));
      assertThat(quotas.rebalance()).isEqualTo(new Moves(0, 0));
    }
  }

  @Test
  void memAlloc_moreThanItsShare_disturbsNobody() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      a.buffers().allocate(0, 0, 0, 32 * MIB);
      Guest b = attach(rig, "b");

      for (long size : List.of(17 * MIB, 32 * MIB, 1L << 40, Long.MAX_VALUE, 0L, -1L)) {
        assertThatThrownBy(() -> b.buffers().allocate(0, 0, 0, size))
            .isInstanceOf(RefusedException.class);
      }

      assertThat(quotas.counters("a")).isEqualTo(QuotaCounters.NONE);
      assertThat(quotas.counters("b").refusals()).isEqualTo(2); // the others are of no size
      assertThat(a.buffers().usage().vramBytes()).isEqualTo(32 * MIB);
    }
  }

  @Test
  void memAlloc_whileAnotherThreadRebalances_waitsForIt() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      a.buffers().allocate(0, 0, 0, 32 * MIB);
      Guest b = attach(rig, "b");
      Thread cycle =
          Thread.ofPlatform()
              .start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                  quotas.rebalance();
                }
              });
      try {
        for (int i = 0; i < 100; i++) {
          b.buffers().free(b.buffers().allocate(0, 0, 0, 16 * MIB).handle());
        }
      } finally {
        cycle.interrupt();
        cycle.join();
      }
    }
  }

  @Test
  void rebalance_guestClosedMeanwhile_leavesTheOthersRight(RandomGenerator random)
      throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest stays = attach(rig, "stays");
      for (int i = 0; i < 8; i++) {
        stays.buffers().allocate(0, 0, 0, 4 * MIB);
      }
      for (int i = 0; i < 50; i++) {
        Guest dies = attach(rig, "dies");
        dies.buffers().allocate(0, 0, 0, 4 * MIB);
        Thread death = Thread.ofPlatform().start(dies::close);
        for (int k = random.nextInt(20); k >= 0; k--) {
          quotas.rebalance();
        }
        death.join();
        quotas.detach(dies);
        quotas.rebalance();
        pass();
        quotas.rebalance();
        assertThat(stays.buffers().usage().vramBytes()).isEqualTo(32 * MIB);
        assertThat(quotas.use("dies")).isEqualTo(MemoryUse.NONE);
      }
    }
  }

  @Test
  void restore_guestWithEvictedBuffersOntoAFullCard_makesRoomAndKeepsToTheShare() throws Exception {
    List<StateRecord> records;
    List<Integer> evictedThere;
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      for (int i = 0; i < 3; i++) {
        a.buffers().allocate(0, 0, 0, 8 * MIB);
      }
      GpuRig.admit(quotas, "a", quota(0, 1, 8 * MIB, BeyondShare.OUT_OF_MEMORY));
      assertThat(quotas.rebalance()).isEqualTo(new Moves(2, 0));
      evictedThere = evicted(a);
      records = a.move().snapshot();
      quotas.detach(a);
    }
    MemoryQuotas there = quotas();
    try (GpuRig rig = new GpuRig()) {
      Guest other = rig.attach("other");
      GpuRig.admit(there, "other", Quota.DEFAULT);
      there.attach(other);
      for (int i = 0; i < 4; i++) {
        other.buffers().allocate(0, 0, 0, 8 * MIB);
      }
      Guest moved = rig.attach("a");
      GpuRig.admit(there, "a", Quota.DEFAULT);
      there.attach(moved);

      moved.move().restore(records);

      assertThat(moved.buffers().limitBytes()).isEqualTo(16 * MIB);
      assertThat(moved.buffers().usage().vramBytes()).isEqualTo(8 * MIB);
      assertThat(moved.buffers().usage().systemBytes()).isEqualTo(16 * MIB);
      assertThat(evicted(moved)).isEqualTo(evictedThere);
      assertThat(other.buffers().usage().vramBytes()).isEqualTo(16 * MIB);
      assertThat(there.rebalance()).isEqualTo(new Moves(0, 1));
      assertThat(moved.buffers().usage().vramFreeBytes()).isZero();
      assertThat(there.rebalance()).isEqualTo(new Moves(0, 0));
      there.detach(other);
      other.close();
      assertThat(there.rebalance()).isEqualTo(new Moves(0, 0));
      pass();
      assertThat(there.rebalance()).isEqualTo(new Moves(0, 1));
    }
  }

  /** Handles of buffers that are in system memory. */
  private static List<Integer> evicted(Guest guest) {
    return guest.move().snapshot().stream()
        .filter(record -> record instanceof MemoryRecord memory && memory.evicted())
        .map(record -> ((MemoryRecord) record).handle())
        .toList();
  }

  /** A share that has become too small for what was resident, on a card without any room. */
  @Test
  void restore_moreThanTheShareHere_keepsWhatFitsAndEvictsTheRest() throws Exception {
    List<StateRecord> records;
    try (GpuRig rig = new GpuRig()) {
      Guest a = attach(rig, "a");
      for (long mib : new long[] {4, 20, 2, 6}) {
        a.buffers().allocate(0, 0, 0, mib * MIB);
      }
      records = a.move().snapshot();
      quotas.detach(a);
    }
    MemoryQuotas there = quotas();
    try (GpuRig rig = new GpuRig()) {
      Guest other = rig.attach("other");
      GpuRig.admit(there, "other", quota(24 * MIB, 1, Quota.NO_LIMIT, BeyondShare.OUT_OF_MEMORY));
      there.attach(other);
      other.buffers().allocate(0, 0, 0, 24 * MIB);
      Guest moved = rig.attach("a");
      GpuRig.admit(there, "a", Quota.DEFAULT);
      there.attach(moved);

      moved.move().restore(records);

      assertThat(moved.buffers().limitBytes()).isEqualTo(8 * MIB);
      assertThat(evicted(moved)).containsExactly(2, 4);
      assertThat(moved.buffers().usage().vramBytes()).isEqualTo(6 * MIB);
      assertThat(there.counters("other")).isEqualTo(QuotaCounters.NONE);
      assertThat(there.rebalance()).isEqualTo(new Moves(0, 0));
    }
  }

  @Test
  void memAlloc_noRoomOnTheCard_getsSystemMemoryByPolicy() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest full = attach(rig, "full");
      GpuRig.admit(
          quotas, "full", quota(GpuRig.VRAM_BYTES, 1, Quota.NO_LIMIT, BeyondShare.OUT_OF_MEMORY));
      full.buffers().allocate(0, 0, 0, GpuRig.VRAM_BYTES);
      Guest refused = attach(rig, "refused");
      Guest moved = attach(rig, "moved");
      GpuRig.admit(quotas, "moved", quota(0, 1, Quota.NO_LIMIT, BeyondShare.SYSTEM_MEMORY));

      assertThatThrownBy(() -> refused.buffers().allocate(0, 0, 0, MIB))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("over the guest's share");
      moved.buffers().allocate(0, 0, 0, MIB);

      assertThat(moved.buffers().usage().vramBytes()).isZero();
      assertThat(quotas.use("moved").evictedBytes()).isEqualTo(MIB);
      assertThat(quotas.counters("full")).isEqualTo(QuotaCounters.NONE);
      // Whoever gives the memory itself away, without shares: only the card is full.
      quotas.detach(moved);
      moved.buffers().setLimit(GpuRig.VRAM_BYTES);
      moved.buffers().allocate(0, 0, 0, MIB);
      assertThat(moved.buffers().usage().vramBytes()).isZero();
      assertThat(moved.buffers().usage().systemBytes()).isEqualTo(2 * MIB);
    }
  }

  @Test
  void change_ofMemory_isToldOnce() throws Exception {
    int[] told = new int[1];
    MemoryQuotas watched =
        new MemoryQuotas(GpuRig.VRAM_BYTES, nowNs::get, () -> told[0]++, new QuotaListener() {});
    try (GpuRig rig = new GpuRig()) {
      Guest a = rig.attach("a");
      GpuRig.admit(watched, "a", Quota.DEFAULT);
      watched.attach(a);
      told[0] = 0;
      int handle = a.buffers().allocate(0, 0, 0, MIB).handle();
      assertThat(told[0]).isEqualTo(1);
      a.buffers().info(handle);
      assertThat(told[0]).isEqualTo(1);
      a.buffers().free(handle);
      int vid = a.spaces().create();
      a.spaces().free(vid);
      assertThat(told[0]).isEqualTo(4);
      watched.detach(a);
      told[0] = 0;
      a.buffers().allocate(0, 0, 0, MIB);
      assertThat(told[0]).isZero();
    }
  }

  @Test
  void rebalance_randomHistories_accountsAsTheGpuDoes(RandomGenerator random) throws Exception {
    try (GpuRig rig = new GpuRig()) {
      List<Guest> guests = List.of(attach(rig, "a"), attach(rig, "b"), attach(rig, "c"));
      long free = guests.getFirst().buffers().usage().vramFreeBytes();
      List<List<Integer>> handles =
          List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
      int moves = 0;
      for (int i = 0; i < STEPS; i++) {
        int which = random.nextInt(3);
        try {
          moves += step(guests.get(which), handles.get(which), random);
        } catch (RefusedException | InvalidQuotaException expected) {
          // The share is used up, or it is no quota.
        }
        check("step=" + i, guests, free);
      }
      assertThat(moves).isPositive();
    }
  }

  private int step(Guest guest, List<Integer> handles, RandomGenerator random) {
    switch (random.nextInt(12)) {
      case 0, 1, 2, 3 ->
          handles.add(guest.buffers().allocate(0, 0, 0, random.nextLong(1, 8 * MIB)).handle());
      case 4, 5 -> {
        if (!handles.isEmpty()) {
          guest.buffers().free(handles.remove(random.nextInt(handles.size())));
        }
      }
      case 6 -> {
        guest.reset();
        handles.clear();
      }
      case 7 -> guest.buffers().setOverflowToSystem(random.nextBoolean());
      case 8 -> {
        Quota wanted =
            quota(
                random.nextLong(12 * MIB),
                random.nextInt(0, 9),
                random.nextLong(48 * MIB),
                beyondShare(random));
        Admission _ = quotas.set(guest.name(), wanted); // it may not fit
      }
      default -> {
        Moves moves = quotas.rebalance();
        MemoryUse use = guest.buffers().use();
        assertThat(use.videoBytes()).isLessThanOrEqualTo(use.limitBytes());
        assertThat(quotas.rebalance()).isEqualTo(new Moves(0, 0));
        return moves.evicted() + moves.returned();
      }
    }
    return 0;
  }

  private static void check(String when, List<Guest> guests, long free) {
    long sum = 0;
    for (Guest guest : guests) {
      GuestGpu.MemoryUsage usage = guest.buffers().usage();
      assertThat(guest.buffers().use().videoBytes()).as(when).isEqualTo(usage.vramBytes());
      assertThat(guest.buffers().use().systemBytes()).as(when).isEqualTo(usage.systemBytes());
      sum += usage.vramBytes();
    }
    assertThat(guests.getFirst().buffers().usage().vramFreeBytes()).as(when).isEqualTo(free - sum);
  }
}

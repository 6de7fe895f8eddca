package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.policy.MemoryQuotas;
import io.sluice.channel.policy.Moves;
import io.sluice.channel.policy.QuotaListener;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.StateRecord;
import io.sluice.quota.Admission;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.InvalidQuotaException;
import io.sluice.quota.Presence;
import io.sluice.quota.Quota;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Accounting is exact: after every step of random histories of guests on two cards, what a guest's
 * tables say, what its quota says and what its GPU reports are the same, and the sum over the
 * guests of a card with what is free is the card. Among the steps are evictions, returns, kills,
 * moves of a guest from one card to the other, and deaths.
 */
@ExtendWith(Seeds.class)
final class AccountingTest {
  private static final long MIB = 1 << 20;
  private static final int STEPS = 3000;
  private static final int MAX_CHANNELS = 6;

  /** What is counted, so that a history without it does not pass. */
  private enum Happened {
    EVICTED,
    RETURNED,
    KILLED,
    MOVED,
    MOVED_EVICTED,
    NOT_MOVED,
    DIED,
    REFUSED
  }

  /** Time, which goes on by leaps: what returns waits for that. */
  private final AtomicLong nowNs = new AtomicLong();

  private final class Card implements AutoCloseable {
    final GpuRig rig = new GpuRig();
    final MemoryQuotas quotas =
        new MemoryQuotas(GpuRig.VRAM_BYTES, nowNs::get, () -> {}, new QuotaListener() {});
    final List<Guest> guests = new ArrayList<>();

    Guest attach(String name, Quota settings) {
      GpuRig.admit(quotas, name, settings);
      Guest guest = rig.attach(name);
      quotas.attach(guest);
      guests.add(guest);
      return guest;
    }

    void remove(Guest guest, boolean closedFirst) {
      if (closedFirst) {
        guest.close();
      }
      quotas.detach(guest);
      guest.close();
      guests.remove(guest);
      quotas.remove(guest.name());
    }

    @Override
    public void close() throws Exception {
      rig.close();
    }
  }

  /** A guest, and what it may know. */
  private static final class Subject {
    final String name;
    Card card;
    Guest guest;
    Quota settings = Quota.DEFAULT;
    final List<Integer> handles = new ArrayList<>();

    Subject(String name, Card card) {
      this.name = name;
      this.card = card;
      guest = card.attach(name, settings);
    }
  }

  private final Map<Happened, Integer> happened = new EnumMap<>(Happened.class);

  private void note(Happened what) {
    happened.merge(what, 1, Integer::sum);
  }

  @Test
  void randomHistories_onTwoCards_accountAsTheGpusDo(RandomGenerator random) throws Exception {
    try (Card one = new Card();
        Card two = new Card()) {
      List<Card> cards = List.of(one, two);
      List<Subject> subjects = new ArrayList<>();
      for (String name : List.of("a", "b", "c", "d")) {
        subjects.add(new Subject(name, cards.get(random.nextInt(2))));
      }
      for (int i = 0; i < STEPS; i++) {
        try {
          step(subjects.get(random.nextInt(subjects.size())), cards, random);
        } catch (RefusedException | InvalidQuotaException expected) {
          note(Happened.REFUSED);
        }
        for (Card card : cards) {
          check("step=" + i, card);
        }
      }
    }
    assertThat(happened.keySet()).containsExactlyInAnyOrder(Happened.values());
  }

  private void step(Subject subject, List<Card> cards, RandomGenerator random) {
    Guest guest = subject.guest;
    switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4 ->
          subject.handles.add(
              guest
                  .buffers()
                  .allocate(random.nextInt(2) << 3, 0, 0, random.nextLong(1, 8 * MIB))
                  .handle());
      case 5 -> subject.handles.add(guest.buffers().register(4, 0, random.nextInt(1, 9) * 4096L));
      case 6, 7 -> {
        if (!subject.handles.isEmpty()) {
          guest.buffers().free(subject.handles.remove(random.nextInt(subject.handles.size())));
        }
      }
      case 8, 9 -> map(subject, random);
      case 10 -> channel(subject, random);
      case 11 -> kill(subject, random);
      case 12, 13 -> set(subject, random);
      case 14, 15, 16 -> rebalance(subject.card);
      case 17, 18 -> move(subject, cards.get(1 - cards.indexOf(subject.card)), random);
      default -> die(subject, random);
    }
  }

  /** A mapped buffer, which lives on when its handle is freed. */
  private static void map(Subject subject, RandomGenerator random) {
    if (!subject.handles.isEmpty()) {
      int vid = subject.guest.spaces().create();
      int handle = subject.handles.get(random.nextInt(subject.handles.size()));
      GpuVa _ = subject.guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false);
    }
  }

  /** One that works, or waits for what never comes. */
  private static void channel(Subject subject, RandomGenerator random) {
    if (subject.guest.channels().ids().size() < MAX_CHANNELS) {
      Worker worker =
          new Worker(subject.card.rig, subject.guest, subject.guest.spaces().create()).start();
      if (random.nextBoolean()) {
        long va = worker.spareVa().value();
        worker.submit(Worker.SEMAPHORE, (int) (va >>> 32), (int) va, 1, Worker.ACQUIRE);
      } else {
        worker.submit(Worker.SET_REFERENCE, 7);
      }
      subject.card.rig.run();
    }
  }

  private void kill(Subject subject, RandomGenerator random) {
    List<Integer> cids = subject.guest.channels().ids();
    if (!cids.isEmpty()) {
      int cid = cids.get(random.nextInt(cids.size()));
      subject.guest.channels().kill(cid, GuestAbi.ERROR_TIMEOUT, 2000);
      note(Happened.KILLED);
      if (random.nextBoolean()) {
        subject.guest.channels().free(cid);
      }
    }
  }

  private static Quota quota(long minimum, int weight, long limit, BeyondShare beyondShare) {
    return new Quota(minimum, weight, limit, beyondShare, Quota.DEFAULT.killTimeout());
  }

  private static BeyondShare beyondShare(RandomGenerator random) {
    return random.nextBoolean() ? BeyondShare.SYSTEM_MEMORY : BeyondShare.OUT_OF_MEMORY;
  }

  private void set(Subject subject, RandomGenerator random) {
    Quota settings =
        quota(
            random.nextLong(12 * MIB),
            random.nextInt(0, 9),
            random.nextBoolean() ? Quota.NO_LIMIT : random.nextLong(32 * MIB),
            beyondShare(random));
    if (isAdmitted(subject.card, subject.name, settings)) {
      subject.settings = settings;
    }
  }

  private boolean isAdmitted(Card card, String name, Quota settings) {
    boolean admitted = card.quotas.set(name, settings) instanceof Admission.Admitted;
    if (!admitted) {
      note(Happened.REFUSED);
    }
    return admitted;
  }

  private void rebalance(Card card) {
    nowNs.addAndGet(Presence.LONGEST.toNanos() / 8);
    Moves moves = card.quotas.rebalance();
    for (Guest guest : card.guests) {
      assertThat(guest.buffers().use().videoBytes())
          .isLessThanOrEqualTo(guest.buffers().limitBytes());
    }
    assertThat(card.quotas.rebalance()).as("nothing moves twice").isEqualTo(new Moves(0, 0));
    if (moves.evicted() > 0) {
      note(Happened.EVICTED);
    }
    if (moves.returned() > 0) {
      note(Happened.RETURNED);
    }
  }

  /** From one card to the other; or not, and then all goes on where it was. */
  private void move(Subject subject, Card to, RandomGenerator random) {
    Card from = subject.card;
    Guest source = subject.guest;
    int _ = source.move().detachAll("moves");
    for (int i = 0; source.move().drain("moves") instanceof GuestMove.Drain.Draining; i++) {
      assertThat(i).as("it drains").isLessThan(100);
      from.rig.run();
    }
    List<StateRecord> records = source.move().snapshot();
    boolean evicted = records.stream().anyMatch(r -> r instanceof MemoryRecord m && m.evicted());
    boolean complete = false;
    if (random.nextInt(4) > 0 && isAdmitted(to, subject.name, subject.settings)) {
      try {
        Guest target = to.attach(subject.name, subject.settings);
        try {
          target.move().restore(records);
          complete = true;
          subject.card = to;
          subject.guest = target;
        } finally {
          if (!complete) {
            to.remove(target, random.nextBoolean());
          }
        }
      } catch (RefusedException noRoom) {
        note(Happened.REFUSED);
      }
    }
    if (complete) {
      from.remove(source, random.nextBoolean());
      subject.guest.move().resumeAll("moved");
      note(evicted ? Happened.MOVED_EVICTED : Happened.MOVED);
    } else {
      int _ = source.move().attachAll("did not move");
      note(Happened.NOT_MOVED);
    }
  }

  private void die(Subject subject, RandomGenerator random) {
    if (random.nextBoolean()) {
      subject.guest.reset();
    } else {
      subject.card.remove(subject.guest, random.nextBoolean());
      subject.settings = Quota.DEFAULT;
      subject.guest = subject.card.attach(subject.name, subject.settings);
      note(Happened.DIED);
    }
    subject.handles.clear();
  }

  private static void check(String when, Card card) {
    long sum = 0;
    for (Guest guest : card.guests) {
      String who = when + " guest=" + guest.name();
      GuestGpu.MemoryUsage usage = guest.buffers().usage();
      MemoryUse use = guest.buffers().use();
      assertThat(use.videoBytes()).as(who).isEqualTo(usage.vramBytes());
      assertThat(use.systemBytes()).as(who).isEqualTo(usage.systemBytes());
      long evicted =
          guest.move().buffers().stream()
              .filter(MemoryRecord::evicted)
              .mapToLong(MemoryRecord::sizeBytes)
              .sum();
      MemoryUse told = card.quotas.use(guest.name());
      assertThat(told.videoBytes()).as(who).isEqualTo(usage.vramBytes());
      assertThat(told.evictedBytes()).as(who).isEqualTo(evicted);
      sum += usage.vramBytes();
      assertThat(usage.vramTotalBytes()).as(who).isEqualTo(GpuRig.VRAM_BYTES);
    }
    for (Guest guest : card.guests) {
      assertThat(guest.buffers().usage().vramFreeBytes())
          .as(when)
          .isEqualTo(GpuRig.VRAM_BYTES - sum);
    }
  }
}

package io.sluice.migrate.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.policy.MemoryQuotas;
import io.sluice.channel.policy.Moves;
import io.sluice.channel.policy.QuotaListener;
import io.sluice.channel.state.ChannelState;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.phase.Phase;
import io.sluice.quota.Admission;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import io.sluice.testbed.fakes.Seeds;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Shares go up and down, buffers are evicted and return, and a channel is killed, at any step of a
 * migration and on both cards: what counts is exact after every step, nothing of the guest is lost,
 * and wherever it runs in the end, the channel that was killed is dead, and no other.
 */
@ExtendWith(Seeds.class)
final class SharingSimulationTest {
  private static final int SEEDS = Integer.getInteger("sluice.simulation.seeds", 200) / 4;
  private static final int MAX_STEPS = 200_000;
  private static final long KIB = 1 << 10;

  private enum Happened {
    EVICTED,
    RETURNED,
    KILLED,
    KILLED_DRAINING,
    MOVED,
    MOVED_EVICTED,
    REFUSED,
    ABORTED
  }

  private final Map<Happened, Integer> happened = new EnumMap<>(Happened.class);

  private void note(Happened what) {
    happened.merge(what, 1, Integer::sum);
  }

  /** What shares a card. */
  private static final class Card implements AutoCloseable {
    final Host host;
    final MemoryQuotas quotas;
    final Guest neighbour;

    Card(World world, Host host) {
      this.host = host;
      quotas =
          new MemoryQuotas(World.VRAM_BYTES, () -> world.nowNs, () -> {}, new QuotaListener() {});
      admit(quotas, "moved", Quota.DEFAULT);
      neighbour = host.neighbour("neighbour");
      admit(quotas, "neighbour", Quota.DEFAULT);
      quotas.attach(neighbour);
      for (int i = 0; i < 6; i++) {
        neighbour.buffers().allocate(0, 0, 0, 256 * KIB);
      }
      host.share(quotas);
    }

    void check() {
      long sum = count(neighbour);
      Guest moved = host.guest;
      if (moved != null) {
        sum += count(moved);
      }
      assertThat(neighbour.buffers().usage().vramFreeBytes()).isEqualTo(World.VRAM_BYTES - sum);
    }

    private static long count(Guest guest) {
      GuestGpu.MemoryUsage usage = guest.buffers().usage();
      assertThat(guest.buffers().use().videoBytes()).isEqualTo(usage.vramBytes());
      assertThat(guest.buffers().use().systemBytes()).isEqualTo(usage.systemBytes());
      return usage.vramBytes();
    }

    @Override
    public void close() {
      quotas.detach(neighbour);
      neighbour.close();
    }
  }

  /** What worlds begin with, each in its turn, so that all of it happens. */
  private enum Begin {
    /** Only what chance brings. */
    PLAIN,
    /** The guest has a part of its memory evicted, at both ends. */
    EVICTED,
    /** The channel is killed at once. */
    KILL,
    /** The channel is killed when it drains. */
    KILL_DRAINING,
    /** The destination has less than the guest holds: it refuses before anything is touched. */
    TOO_SMALL,
    /** The operator gives it up soon. */
    ABORT
  }

  @Test
  void migration_whileBuffersMoveAndAChannelIsKilled_losesNothing(RandomGenerator random) {
    for (int i = 0; i < SEEDS; i++) {
      Begin begin = Begin.values()[i % Begin.values().length];
      long seed = random.nextLong();
      try {
        run(seed, begin);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("world with seed " + seed + " that begins " + begin, e);
      }
    }
    assertThat(happened.keySet()).containsExactlyInAnyOrder(Happened.values());
  }

  private void run(long seed, Begin begin) {
    RandomGenerator random = Seeds.generator(seed ^ 2);
    try (World world = new World(seed, MigrationSettings.DEFAULT);
        Card source = new Card(world, world.source);
        Card target = new Card(world, world.target)) {
      int victim = channel(Objects.requireNonNull(world.source.guest));
      world.mayEnd.add(victim);
      begin(begin, source, target);
      boolean killed = false;
      boolean atOnce = begin == Begin.KILL || begin == Begin.KILL_DRAINING;
      int killAt = atOnce ? 0 : soonOrLate(random);
      boolean draining =
          begin == Begin.KILL_DRAINING || begin != Begin.KILL && random.nextBoolean();
      int abortAt = begin == Begin.ABORT ? random.nextInt(50) : MAX_STEPS;
      for (int step = 0; !world.isOver(); step++) {
        assertThat(step).as("it ends").isLessThan(MAX_STEPS);
        world.step();
        if (world.from.isUndecided()) {
          world.answerInquiry();
        }
        if (random.nextInt(30) == 0) {
          boolean chosen = begin == Begin.EVICTED || begin == Begin.TOO_SMALL;
          String who = chosen || random.nextBoolean() ? "neighbour" : "moved";
          disturb(random.nextBoolean() ? source : target, who, random);
        }
        if (step >= killAt && !killed) {
          killed = kill(world.source, victim, draining);
        }
        if (step == abortAt) {
          world.from.abort(new Reason(MigrationCode.CANCELLED, "given up", ""));
        }
        source.check();
        target.check();
      }
      end(world, source, target, victim, killed);
    }
  }

  private static Quota quota(long minimum, int weight, long limit, BeyondShare beyondShare) {
    return new Quota(minimum, weight, limit, beyondShare, Quota.DEFAULT.killTimeout());
  }

  private static BeyondShare beyondShare(RandomGenerator random) {
    return random.nextBoolean() ? BeyondShare.SYSTEM_MEMORY : BeyondShare.OUT_OF_MEMORY;
  }

  private static void admit(MemoryQuotas quotas, String guest, Quota wanted) {
    assertThat(quotas.set(guest, wanted)).isEqualTo(new Admission.Admitted());
  }

  private static void begin(Begin begin, Card source, Card target) {
    if (begin == Begin.EVICTED) {
      Quota little = quota(256 * KIB, 1, 256 * KIB, BeyondShare.OUT_OF_MEMORY);
      admit(source.quotas, "moved", little);
      admit(target.quotas, "moved", little);
      assertThat(source.quotas.rebalance().evicted()).isPositive();
    } else if (begin == Begin.TOO_SMALL) {
      admit(target.quotas, "moved", quota(0, 1, 128 * KIB, BeyondShare.OUT_OF_MEMORY));
    }
  }

  /** Moves take some hundred steps, and some of their phases only a few. */
  private static int soonOrLate(RandomGenerator random) {
    return random.nextInt(1 << random.nextInt(1, 10));
  }

  /** A channel that has nothing to do. */
  private static int channel(Guest guest) {
    int vid = guest.spaces().create();
    int ring = guest.buffers().allocate(2, 0, 0, 4096).handle();
    GpuVa at = guest.spaces().map(vid, ring, new GpuVa(0x2000_0000L), new GpuVa(1L << 40), false);
    int cid = guest.channels().create(vid);
    guest.channels().start(cid, at, 5, 1);
    return cid;
  }

  private void disturb(Card card, String who, RandomGenerator random) {
    Quota wanted =
        quota(
            random.nextLong(1000 * KIB),
            random.nextInt(1, 20),
            random.nextBoolean() ? Quota.NO_LIMIT : random.nextLong(1000 * KIB, World.VRAM_BYTES),
            beyondShare(random));
    Admission _ = card.quotas.set(who, wanted); // the minimums may not fit
    Moves moves = card.quotas.rebalance();
    if (moves.evicted() > 0) {
      note(Happened.EVICTED);
    }
    if (moves.returned() > 0) {
      note(Happened.RETURNED);
    }
  }

  /**
   * As a watchdog would, which leaves those alone that are detached or suspended.
   *
   * @param draining only while it drains
   */
  private boolean kill(Host host, int victim, boolean draining) {
    Guest guest = host.guest;
    if (guest == null) {
      return false;
    }
    ChannelState state = guest.channels().query(victim).state();
    if (state != ChannelState.DRAINING && (draining || state != ChannelState.RUNNING)) {
      return false;
    }
    guest.channels().kill(victim, GuestAbi.ERROR_TIMEOUT, 1234);
    note(state == ChannelState.RUNNING ? Happened.KILLED : Happened.KILLED_DRAINING);
    return true;
  }

  private void end(World world, Card source, Card target, int victim, boolean killed) {
    boolean moved = world.from.phase() == Phase.DONE;
    Card at = moved ? target : source;
    Guest guest = Objects.requireNonNull(at.host.guest);
    if (moved) {
      long evicted = at.quotas.use("moved").evictedBytes();
      note(evicted > 0 ? Happened.MOVED_EVICTED : Happened.MOVED);
    } else {
      boolean tooSmall =
          world.from.reason().map(reason -> reason.code().equals("SLU-MIG-034")).orElse(false);
      note(tooSmall ? Happened.REFUSED : Happened.ABORTED);
    }
    Channel.Status query = guest.channels().query(victim);
    assertThat(query.state() == ChannelState.DEAD).isEqualTo(killed);
    assertThat(query.cause().reason()).isEqualTo(killed ? GuestAbi.ERROR_TIMEOUT : 0);
    assertThat(query.cause().info()).isEqualTo(killed ? 1234 : 0);
    SimulationTest.verify(world);
    source.check();
    target.check();
  }
}

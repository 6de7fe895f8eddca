package io.sluice.gpu;

import static io.sluice.gpu.Words.one;
import static io.sluice.gpu.Words.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.pscnv.PscnvGem;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A guest that has as many channels as it may beside one that has one: however they are, the engine
 * looks at some of them in a round, and at each of them in time. Looks are counted.
 */
class ManyChannelsTest {
  private static final int CHANNELS = 60;
  private static final int ROUNDS = 400;

  /** Less than the time in which a channel that was active is looked at all the time. */
  private static final long STEP_NS = 100;

  /** In a round: of each of two opens, and one channel that has work. */
  private static final int MOST_LOOKS = 2 * 8 + 1;

  private static final long[] ENDLESS = {0x4003ffffe0001de7L};
  private static final int ACQUIRE = 1;

  /** Threads that never come to run a grid. */
  private final Rig rig = new Rig(_ -> {}, 1);

  private final Client attacker = rig.open();
  private final Client victim = rig.open();
  private final int vid = attacker.vspaceNew();
  private final GuestChannel served = victim.channel(victim.vspaceNew());
  private int value;

  @AfterEach
  void close() {
    rig.close();
  }

  private static int[] reference(int value) {
    return one(0, 0x50, value);
  }

  private List<GuestChannel> started() {
    List<GuestChannel> channels = new ArrayList<>();
    for (int i = 0; i < CHANNELS; i++) {
      channels.add(new GuestChannel(attacker, vid, 3));
    }
    return channels;
  }

  private void round() {
    rig.nowNs += STEP_NS;
    int _ = rig.gpu.engine().doWork(rig.nowNs);
  }

  /** The victim submits in each round and is served in it; looks of all rounds. */
  private long looksWhileServed(int rounds) {
    long before = rig.gpu.card().runlist().looks();
    for (int i = 0; i < rounds; i++) {
      served.submit(reference(++value));
      round();
      assertThat(served.reference()).as("served in the same round").isEqualTo(value);
    }
    return rig.gpu.card().runlist().looks() - before;
  }

  @Test
  void round_besideChannelsThatWereNotStarted_leavesThemAlone() {
    for (int i = 0; i < CHANNELS; i++) {
      attacker.chanNew(vid);
    }
    round();
    assertThat(looksWhileServed(ROUNDS)).isLessThan(3L * ROUNDS);
  }

  @Test
  void round_besideChannelsWithGrids_leavesThemAlone() {
    started().forEach(channel -> channel.submit(Launches.of(channel, ENDLESS, 0, 1, 32, 0)));
    for (int i = 0; i < 2 * CHANNELS; i++) {
      round();
    }
    assertThat(looksWhileServed(ROUNDS)).isLessThan(3L * ROUNDS);
  }

  @Test
  void round_besideChannelsThatWereActive_looksAtSomeAndInTimeAtEach() {
    List<GuestChannel> channels = started();
    round();
    assertThat(looksWhileServed(ROUNDS)).isLessThan((long) MOST_LOOKS * ROUNDS);
    for (GuestChannel channel : channels) {
      channel.submit(reference(7));
      // In as many rounds as it takes to come around, whatever it was that came last.
      assertThat(looksWhileServed(CHANNELS / 8 + 2)).isPositive();
      assertThat(channel.reference()).as("cid=%d", channel.cid).isEqualTo(7);
    }
  }

  /** What the victim does is nothing that they wait for. */
  @Test
  void round_besideAcquiresThatWait_looksAtSomeAndSeesWhatTheyWaitFor() {
    List<GuestChannel> channels = started();
    Client.Memory word = attacker.memory(vid, PscnvGem.SYSRAM_SNOOP, 4096);
    channels.forEach(channel -> channel.submit(semaphore(word.va(), 1, ACQUIRE)));
    for (int i = 0; i < 2 * CHANNELS; i++) {
      round();
    }
    assertThat(looksWhileServed(ROUNDS)).isLessThan((long) MOST_LOOKS * ROUNDS);
    word.bytes().set(ValueLayout.JAVA_INT, 0, 1);
    channels.forEach(channel -> channel.submit(reference(9)));
    rig.run();
    assertThat(channels).allSatisfy(channel -> assertThat(channel.reference()).isEqualTo(9));
  }

  /** A release by another channel of the same open is seen at once. */
  @Test
  void release_byAChannelOfTheSameOpen_isSeenInTheNextRounds() {
    GuestChannel waiting = new GuestChannel(attacker, vid, 3);
    GuestChannel releasing = new GuestChannel(attacker, vid, 3);
    Client.Memory word = attacker.memory(vid, PscnvGem.SYSRAM_SNOOP, 4096);
    waiting.submit(semaphore(word.va(), 1, ACQUIRE));
    waiting.submit(reference(5));
    rig.cycle();
    rig.nowNs += 1_000_000_000L; // looked at rarely by now
    round();
    round();
    releasing.submit(semaphore(word.va(), 1, 2 | 1 << 24));
    rig.cycle();
    round();
    assertThat(waiting.reference()).isEqualTo(5);
  }
}

package io.sluice.gpu;

import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static io.sluice.gpu.Words.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.PscnvGem;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A card whose channels have all been idle for long looks at GP_PUT alone, and misses nothing. */
class CardAtRestTest {
  /** Longest time between two looks. */
  private static final long LOOK_NS = 3 << 20;

  private static final int ACQUIRE = 1;

  private final Rig rig = new Rig();
  private final Client client = rig.open();
  private final Client other = rig.open();
  private final int vid = client.vspaceNew();
  private final GuestChannel first = client.channel(vid);
  private final GuestChannel second = client.channel(vid);
  private final GuestChannel third = other.channel(other.vspaceNew());

  @BeforeEach
  void everyChannelHasRun() {
    first.submit(reference(1));
    second.submit(reference(1));
    third.submit(reference(1));
    rig.run();
    rest();
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static int[] reference(int value) {
    return one(0, 0x50, value);
  }

  /** Long enough for the longest wait, and the looks that find it out. */
  private void rest() {
    for (int i = 0; i < 4; i++) {
      rig.nowNs += 10_000_000_000L;
      assertThat(rig.gpu.engine().doWork(rig.nowNs)).isZero();
    }
  }

  private void look() {
    rig.nowNs += LOOK_NS;
    rig.gpu.engine().doWork(rig.nowNs);
  }

  @Test
  void rest_waitsForTheNextLookOfAll() {
    assertThat(rig.gpu.engine().idleNs()).isBetween(1L, LOOK_NS);
    rig.nowNs += rig.gpu.engine().idleNs() - 1;
    third.submit(reference(2));
    assertThat(rig.gpu.engine().doWork(rig.nowNs)).isZero();
    assertThat(rig.gpu.engine().idleNs()).isEqualTo(1);
    rig.nowNs++;
    assertThat(rig.gpu.engine().doWork(rig.nowNs)).isPositive();
    assertThat(third.reference()).isEqualTo(2);
  }

  @Test
  void rest_withoutAnyChannel_waitsLonger() {
    try (Rig empty = new Rig()) {
      Client opened = empty.open();
      int cid = opened.chanNew(opened.vspaceNew());
      empty.run();
      assertThat(empty.gpu.engine().idleNs()).isGreaterThan(LOOK_NS);
      opened.chanFree(cid);
      empty.run();
      assertThat(empty.gpu.engine().idleNs()).isGreaterThan(LOOK_NS);
    }
  }

  @Test
  void entry_ofAnyChannel_isExecutedAtTheNextLook() {
    int value = 2;
    for (GuestChannel channel : new GuestChannel[] {first, third, second, first}) {
      channel.submit(reference(value));
      look();
      assertThat(channel.reference()).isEqualTo(value++);
      rest();
    }
  }

  @Test
  void gpPutBeyondTheRing_endsThatChannel() {
    second.put = 1 << second.order;
    second.kick();
    look();
    assertThat(second.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
    rest();
    first.submit(reference(2));
    look();
    assertThat(first.reference()).isEqualTo(2);
  }

  @Test
  void suspend_holdsBackWhatIsSubmitted_resumeExecutesIt() {
    client.control(second.cid, ExtChanControl.SUSPEND);
    rest();
    second.submit(reference(2));
    rest();
    assertThat(second.reference()).isEqualTo(1);
    client.control(second.cid, ExtChanControl.RESUME);
    look();
    assertThat(second.reference()).isEqualTo(2);
  }

  @Test
  void detach_doesNotReadGpPut_attachDoes() {
    client.control(first.cid, ExtChanControl.DETACH);
    rest();
    first.submit(reference(2));
    rest();
    assertThat(first.reference()).isEqualTo(1);
    third.submit(reference(2));
    look();
    assertThat(third.reference()).isEqualTo(2);
    client.control(first.cid, ExtChanControl.ATTACH);
    look();
    assertThat(first.reference()).isEqualTo(2);
  }

  @Test
  void newChannel_isLookedAtAtOnce() {
    GuestChannel late = client.channel(vid);
    late.submit(reference(7));
    rig.nowNs++;
    rig.gpu.engine().doWork(rig.nowNs);
    assertThat(late.reference()).isEqualTo(7);
  }

  @Test
  void guestThatLeaves_isNotWatchedAnyMore() {
    client.close();
    rest();
    third.submit(reference(2));
    look();
    assertThat(third.reference()).isEqualTo(2);
  }

  @Test
  void acquireThatWaits_isSatisfiedByTheGuestsProcessor() {
    Client.Memory memory = client.memory(vid, PscnvGem.SYSRAM_SNOOP, 4096);
    first.submit(join(semaphore(memory.va(), 5, ACQUIRE), reference(2)));
    look();
    rest();
    memory.bytes().set(ValueLayout.JAVA_INT, 0, 5);
    look();
    assertThat(first.reference()).isEqualTo(2);
  }
}

package io.sluice.gpu;

import static io.sluice.gpu.Words.increasing;
import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtChanQuery;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RingTest {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final long TOP_LEVEL_VALID = 1L << 63;
  private static final long SUBROUTINE = 1L << 41;

  private final Rig rig = new Rig();
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();
  private final GuestChannel channel = new GuestChannel(client, vid, 3);

  @AfterEach
  void close() {
    rig.close();
  }

  private static int[] reference(int value) {
    return one(0, 0x50, value);
  }

  // ---- what ends a channel ----

  @ParameterizedTest
  @ValueSource(ints = {8, 9, 0x7fffffff, 0x80000000, -1})
  void gpPut_thatIsNoIndex_isReported(int put) {
    channel.userd.set(INT, 0x8c, put);
    rig.run();
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PUT_OVERFLOW);
    assertThat(channel.info()).isEqualTo(put);
    assertThat(channel.faultAddress()).isEqualTo(8);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 5, 0xff})
  void controlEntry_thatIsNone_isReported(int opcode) {
    channel.entry((long) opcode << 32);
    channel.kick();
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ILLEGAL_ENTRY);
    assertThat(channel.info()).isEqualTo(opcode);
    assertThat(channel.faultAddress()).isZero();
  }

  @Test
  void word_thatIsNoCommand_isReportedWithItsAddress() {
    long va = channel.write(0, 0, 0xc0000001, 0);
    channel.entry(va, 4);
    channel.kick();
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ILLEGAL_WORD);
    assertThat(channel.info()).isEqualTo(0xc0000001);
    assertThat(channel.faultAddress()).isEqualTo(va + 8);
  }

  @Test
  void segment_thatRunsIntoUnmappedMemory_faultsThereAfterWhatCameBefore() {
    long end = channel.pushbuffer.va() + GuestChannel.PUSHBUFFER_BYTES;
    int[] words = reference(5);
    channel.pushbuffer.bytes().set(INT, GuestChannel.PUSHBUFFER_BYTES - 8, words[0]);
    channel.pushbuffer.bytes().set(INT, GuestChannel.PUSHBUFFER_BYTES - 4, words[1]);
    channel.entry(end - 8, 3);
    channel.kick();
    rig.run();
    assertThat(channel.reference()).isEqualTo(5);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.info()).isEqualTo(2 | 7 << 16);
    assertThat(channel.faultAddress()).isEqualTo(end);
    assertThat(channel.gpGet()).as("the entry was not consumed").isZero();
  }

  @Test
  void ring_unmapped_faultsAtTheEntry() {
    client.unmap(vid, channel.ring.va());
    channel.userd.set(INT, 0x8c, 1);
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.faultAddress()).isEqualTo(channel.ring.va());
  }

  @Test
  void fault_endsThatChannelOnly() {
    GuestChannel other = client.channel(vid);
    channel.submit(0xc0000000);
    other.submit(reference(1));
    rig.run();
    other.submit(reference(2));
    rig.run();
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
    assertThat(other.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
    assertThat(other.reference()).isEqualTo(2);
  }

  @Test
  void deadChannel_takesNothingMore() {
    channel.submit(0xc0000000);
    rig.run();
    channel.submit(reference(1));
    rig.run();
    assertThat(channel.reference()).isZero();
    assertThat(channel.info()).as("the first error counts").isEqualTo(0xc0000000);
  }

  // ---- what runs ----

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 3})
  void controlEntry_withoutEffect_isConsumed(int opcode) {
    channel.entry((long) opcode << 32);
    channel.entry(channel.write(reference(6)), 2);
    channel.kick();
    rig.run();
    assertThat(channel.reference()).isEqualTo(6);
    assertThat(channel.gpGet()).isEqualTo(2);
  }

  @Test
  void ring_manyTimesAround_executesEveryEntryOnce() {
    for (int i = 1; i <= 100; i++) {
      channel.submit(reference(i));
      rig.run();
      assertThat(channel.reference()).isEqualTo(i);
      assertThat(channel.gpGet()).isEqualTo(i % 8);
    }
    assertThat(ExtChanQuery.ENTRIES.get(channel.query())).isEqualTo(100);
  }

  @Test
  void ring_full_isDrained() {
    for (int i = 1; i <= 7; i++) {
      channel.entry(channel.write(reference(i)), 2);
    }
    channel.kick();
    rig.run();
    assertThat(channel.reference()).isEqualTo(7);
    assertThat(channel.gpGet()).isEqualTo(7);
  }

  @Test
  void commandAndData_straddlingEntries_areOneCommand() {
    long va = channel.write(0, increasing(0, 0x50, 1), 0x600d, 0);
    for (int i = 0; i < 4; i++) {
      channel.entry(va + i * 4L, 1);
    }
    channel.kick();
    rig.run();
    assertThat(channel.reason()).isZero();
    assertThat(channel.reference()).isEqualTo(0x600d);
  }

  @Test
  void endOfSegment_skipsTheRestOfTheEntryOnly() {
    channel.entry(channel.write(join(reference(1), new int[] {0xe0000000}, reference(2))), 5);
    rig.run();
    channel.kick();
    rig.run();
    assertThat(channel.reference()).isEqualTo(1);
    assertThat(channel.topLevelGet() & ~TOP_LEVEL_VALID).isEqualTo(channel.pushbuffer.va() + 20);
    channel.submit(reference(3));
    rig.run();
    assertThat(channel.reference()).isEqualTo(3);
  }

  @Test
  void positions_afterAnEntry_pointBehindIt() {
    assertThat(channel.topLevelGet()).isZero();
    channel.submit(reference(1));
    rig.run();
    long end = channel.pushbuffer.va() + 8;
    assertThat(channel.get()).isEqualTo(end);
    assertThat(channel.topLevelGet()).isEqualTo(end | TOP_LEVEL_VALID);
  }

  @Test
  void positions_afterASubroutine_leaveTopLevelGetWhereItWas() {
    channel.submit(reference(1));
    rig.run();
    long before = channel.topLevelGet();
    long va = channel.write(reference(2));
    channel.entry(va | 2L << 42 | SUBROUTINE);
    channel.kick();
    rig.run();
    assertThat(channel.reference()).isEqualTo(2);
    assertThat(channel.topLevelGet()).isEqualTo(before);
    assertThat(channel.get()).isEqualTo(va + 8);
  }

  @Test
  void segment_longerThanTheFetchWindow_isExecutedWhole() {
    int[] words = new int[16000];
    for (int i = 0; i < words.length; i += 2) {
      words[i] = increasing(0, 0x50, 1);
      words[i + 1] = i;
    }
    channel.submit(words);
    rig.run();
    assertThat(channel.reference()).isEqualTo(15998);
  }

  @Test
  void fifoInit_clearsWhatTheHardwareOwns() {
    GuestChannel other = new GuestChannel(client, vid, client.chanNew(vid), 3);
    other.userd.fill((byte) 0x55);
    client.fifoInitIb(other.cid, other.ring.va(), 3);
    assertThat(other.gpGet()).isZero();
    assertThat(other.userd.get(INT, 0x8c)).isZero();
    assertThat(other.reference()).isZero();
    assertThat(other.topLevelGet()).isZero();
    assertThat(other.userd.get(INT, 0x54)).isEqualTo(0x55555555);
    assertThat(other.userd.get(INT, 0x200)).isEqualTo(0x55555555);
  }
}

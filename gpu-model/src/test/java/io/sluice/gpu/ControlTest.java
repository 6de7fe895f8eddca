package io.sluice.gpu;

import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static io.sluice.gpu.Words.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanParam;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.ExtChanState;
import io.sluice.abi.pscnv.ExtEventFd;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.sys.Fd;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Taking a channel in hand: suspend, detach, kill, move; and its events. */
class ControlTest {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int ACQUIRE = 1;

  private final Rig rig = new Rig();
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();
  private final GuestChannel channel = client.channel(vid);
  private final Client.Memory memory = client.memory(vid, PscnvGem.SYSRAM_SNOOP, 4096);

  @AfterEach
  void close() {
    rig.close();
  }

  private static int[] reference(int value) {
    return one(0, 0x50, value);
  }

  private void control(int op) {
    client.control(channel.cid, op);
  }

  private boolean isDrained() {
    return (ExtChanQuery.FLAGS.bits(channel.query()) & ExtChanQuery.DRAINED) != 0;
  }

  // ---- suspend ----

  @Test
  void suspend_stopsExecution_resumeGoesOn() {
    control(ExtChanControl.SUSPEND);
    control(ExtChanControl.SUSPEND);
    channel.submit(reference(1));
    rig.run();
    assertThat(channel.reference()).isZero();
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_SUSPENDED);
    int wakes = rig.wakes.get();
    control(ExtChanControl.RESUME);
    assertThat(rig.wakes.get()).isGreaterThan(wakes);
    rig.run();
    assertThat(channel.reference()).isEqualTo(1);
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
  }

  @Test
  void suspend_beforeTheStart_holdsTheStartBack() {
    GuestChannel late = new GuestChannel(client, vid, client.chanNew(vid), 3);
    client.control(late.cid, ExtChanControl.SUSPEND);
    client.fifoInitIb(late.cid, late.ring.va(), 3);
    late.submit(reference(1));
    rig.run();
    assertThat(late.reference()).isZero();
    client.control(late.cid, ExtChanControl.RESUME);
    rig.run();
    assertThat(late.reference()).isEqualTo(1);
  }

  @Test
  void suspend_inTheMiddleOfACopy_stopsThere() {
    channel.submit(
        new int[] {
          0x20014000,
          0x9039,
          0x2002408e,
          0,
          (int) memory.va(),
          0x200640c3,
          0,
          (int) memory.va(),
          0,
          0,
          4096,
          0x10000,
          0x200140c0,
          0x110
        });
    rig.cycle();
    control(ExtChanControl.SUSPEND);
    assertThat(rig.cycle()).isZero();
    assertThat(isDrained()).isFalse();
    control(ExtChanControl.RESUME);
    rig.run();
    assertThat(isDrained()).isTrue();
  }

  // ---- detach ----

  @Test
  void detach_goesOnWithWhatItHasSeenAndReadsNoNewPut() {
    channel.submit(join(semaphore(memory.va(), 1, ACQUIRE), reference(1)));
    rig.run();
    control(ExtChanControl.DETACH);
    channel.submit(reference(2));
    rig.run();
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_DETACHED);
    assertThat(isDrained()).isFalse();
    assertThat(ExtChanQuery.GP_PUT.bits(channel.query())).isEqualTo(1);
    memory.bytes().set(INT, 0, 1);
    rig.run();
    assertThat(channel.reference()).isEqualTo(1);
    assertThat(channel.gpGet()).isEqualTo(1);
    assertThat(isDrained()).isTrue();
    control(ExtChanControl.ATTACH);
    rig.run();
    assertThat(channel.reference()).isEqualTo(2);
  }

  @Test
  void detach_thatWasNotSeen_isNotSeenBySuspendAndResume() {
    control(ExtChanControl.DETACH);
    control(ExtChanControl.SUSPEND);
    control(ExtChanControl.RESUME);
    channel.submit(reference(1));
    rig.run();
    assertThat(channel.reference()).isZero();
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_DETACHED);
  }

  // ---- kill ----

  @Test
  void kill_endsWithTheReasonGiven() {
    client.control(channel.cid, ExtChanControl.KILL, GuestAbi.ERROR_TIMEOUT, 250);
    channel.submit(reference(1));
    rig.run();
    assertThat(channel.reference()).isZero();
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
    assertThat(channel.info()).isEqualTo(250);
    assertThat(isDrained()).isTrue();
    client.control(channel.cid, ExtChanControl.KILL, GuestAbi.ERROR_OPERATOR, 0);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
    assertThat(Events.read(client)).containsExactly("error " + channel.cid + " 13");
  }

  @Test
  void kill_withoutAReason_wasTheOperator() {
    control(ExtChanControl.KILL);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_OPERATOR);
  }

  // ---- move ----

  @Test
  void saveAndRestore_withAParkedAcquire_goesOnInAnotherOpen() {
    Client target = rig.open();
    int targetVid = target.vspaceNew();
    // The same buffers at the same addresses, in the order the source made them.
    GuestChannel moved = new GuestChannel(target, targetVid, target.chanNew(targetVid), 9);
    Client.Memory targetMemory = target.memory(targetVid, PscnvGem.SYSRAM_SNOOP, 4096);
    assertThat(moved.ring.va()).isEqualTo(channel.ring.va());
    channel.submit(reference(0x11));
    channel.submit(join(semaphore(memory.va(), 7, ACQUIRE), reference(0x22)));
    rig.run();
    control(ExtChanControl.DETACH);
    byte[] record = save();
    channel.submit(reference(0x33));
    moved.ring.bytes().copyFrom(channel.ring.bytes());
    moved.pushbuffer.bytes().copyFrom(channel.pushbuffer.bytes());
    restore(target, moved.cid, record);
    moved.userd.set(INT, 0x8c, channel.put);

    assertThat(moved.state()).isEqualTo(GuestAbi.CHANNEL_SUSPENDED);
    assertThat(moved.reference()).isEqualTo(0x11);
    assertThat(moved.gpGet()).isEqualTo(1);
    assertThat(moved.topLevelGet()).isEqualTo(channel.topLevelGet());
    assertThat(ExtChanQuery.ENTRIES.get(moved.query())).isEqualTo(2);
    rig.run();
    assertThat(moved.reference()).isEqualTo(0x11);
    target.control(moved.cid, ExtChanControl.RESUME);
    rig.run();
    assertThat(moved.reference()).as("still waits").isEqualTo(0x11);
    targetMemory.bytes().set(INT, 0, 7);
    rig.run();
    assertThat(moved.reference()).isEqualTo(0x33);
    assertThat(channel.reference()).as("the source did not go on").isEqualTo(0x11);
  }

  private byte[] save() {
    MemorySegment argument = Client.block(PscnvIoctl.CHAN_STATE);
    ExtChanState.CID.setBits(argument, channel.cid);
    ExtChanState.OP.setBits(argument, ExtChanState.SAVE);
    client.call(PscnvIoctl.CHAN_STATE, argument);
    return ExtChanState.STATE
        .slice(argument)
        .asSlice(0, ExtChanState.SIZE_FIELD.get(argument))
        .toArray(ValueLayout.JAVA_BYTE);
  }

  private static void restore(Client target, int cid, byte[] record) {
    MemorySegment argument = Client.block(PscnvIoctl.CHAN_STATE);
    ExtChanState.CID.setBits(argument, cid);
    ExtChanState.OP.setBits(argument, ExtChanState.RESTORE);
    ExtChanState.SIZE_FIELD.set(argument, record.length);
    ExtChanState.STATE.slice(argument).copyFrom(MemorySegment.ofArray(record));
    target.call(PscnvIoctl.CHAN_STATE, argument);
  }

  // ---- time ----

  @Test
  void weight_twoBusyChannels_executeInProportion() {
    GuestChannel heavy = client.channel(vid);
    weight(channel.cid, 16);
    weight(heavy.cid, 64);
    Client.Memory area = client.memory(vid, PscnvGem.VRAM_SMALL, 16 << 20);
    for (GuestChannel busy : new GuestChannel[] {channel, heavy}) {
      busy.submit(one(2, 0, 0x9039));
      for (int i = 0; i < 400; i++) {
        // 256 KiB each.
        busy.submit(
            new int[] {
              0x2002408e,
              0,
              (int) area.va(),
              0x200640c3,
              0,
              (int) area.va() + (8 << 20),
              0,
              0,
              256 << 10,
              1,
              0x200140c0,
              0x110
            });
      }
    }
    for (int i = 0; i < 20; i++) {
      rig.cycle();
    }
    long light = ExtChanQuery.ENTRIES.get(channel.query());
    assertThat(ExtChanQuery.ENTRIES.get(heavy.query())).isBetween(light * 3, light * 5);
  }

  private void weight(int cid, int weight) {
    MemorySegment argument = Client.block(PscnvIoctl.CHAN_PARAM);
    ExtChanParam.CID.setBits(argument, cid);
    ExtChanParam.PARAM.setBits(argument, ExtChanParam.WEIGHT);
    ExtChanParam.VALUE.set(argument, weight);
    client.call(PscnvIoctl.CHAN_PARAM, argument);
  }

  @Test
  void endlessStream_ofOneChannel_doesNotKeepAnotherWaiting() {
    int[] nops = new int[16_000];
    for (int i = 0; i < 510; i++) {
      channel.entry(channel.pushbuffer.va(), nops.length);
    }
    channel.kick();
    GuestChannel other = client.channel(vid);
    other.submit(reference(1));
    rig.cycle();
    assertThat(other.reference()).isEqualTo(1);
    assertThat(channel.gpGet()).as("the first one is far from done").isLessThan(20);
  }

  // ---- events ----

  @Test
  void eventFd_isReadableWhileRecordsWait() {
    GuestChannel other = client.channel(vid);
    MemorySegment argument = client.call(PscnvIoctl.EVENT_FD, Client.block(PscnvIoctl.EVENT_FD));
    try (Fd events = rig.kernel.adopt(ExtEventFd.FD.get(argument))) {
      assertThat(isReadable(events)).isFalse();
      channel.submit(one(0, 0x20, 0));
      other.submit(join(one(0, 0x20, 0), new int[] {0xc0000000}));
      rig.run();
      assertThat(isReadable(events)).isTrue();
      assertThat(Events.read(client, 1)).containsExactly("interrupt " + channel.cid);
      assertThat(isReadable(events)).isTrue();
      assertThat(Events.read(client, 1)).containsExactly("interrupt " + other.cid);
      assertThat(isReadable(events)).isTrue();
      assertThat(Events.read(client, 1)).containsExactly("error " + other.cid + " 3");
      assertThat(isReadable(events)).isFalse();
    }
  }

  private boolean isReadable(Fd fd) {
    short[] ready = new short[1];
    return rig.kernel.poll(List.of(fd), new short[] {1}, ready, 0) == 1;
  }

  @Test
  void eventRead_channelThatKeepsRaising_doesNotHideTheOthers() {
    GuestChannel other = client.channel(vid);
    other.submit(one(0, 0x20, 0));
    channel.submit(one(0, 0x20, 0));
    rig.run();
    assertThat(Events.read(client, 1)).containsExactly("interrupt " + channel.cid);
    channel.submit(one(0, 0x20, 0));
    rig.run();
    assertThat(Events.read(client, 1)).containsExactly("interrupt " + other.cid);
  }
}

package io.sluice.gpu;

import static io.sluice.gpu.Words.increasing;
import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static io.sluice.gpu.Words.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.PscnvGem;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostMethodTest {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int ACQUIRE = 1;
  private static final int RELEASE = 2;
  private static final int ONE_WORD = 1 << 24;
  private static final int SWITCH = 1 << 12;

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

  private boolean isWaiting() {
    return (ExtChanQuery.FLAGS.bits(channel.query()) & ExtChanQuery.WAITING) != 0;
  }

  // ---- what ends a channel ----

  @ParameterizedTest
  @ValueSource(
      ints = {0x04, 0x0c, 0x30, 0x3c, 0x40, 0x4c, 0x54, 0x64, 0x68, 0x6c, 0x78, 0x84, 0xfc})
  void method_thatTheHostDoesNotHave_isIllegal(int method) {
    channel.submit(join(one(3, method, 0xabcd), reference(1)));
    rig.run();
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ILLEGAL_METHOD);
    assertThat(channel.info()).isEqualTo(method | 3 << 16);
    assertThat(channel.faultAddress()).isEqualTo(0xabcd);
    assertThat(channel.reference()).as("nothing after it runs").isZero();
    assertThat(Events.read(client)).containsExactly("error " + channel.cid + " 2");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 5, 6, 7, 9, 10, 15})
  void semaphore_operationThatIsNone_isReported(int operation) {
    channel.submit(semaphore(memory.va(), 1, operation));
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_SEMAPHORE);
    assertThat(channel.info()).isEqualTo(operation);
    assertThat(channel.faultAddress()).isEqualTo(memory.va());
  }

  @Test
  void semaphore_fourWordReleaseUnaligned_isReported() {
    channel.submit(semaphore(memory.va() + 4, 1, RELEASE));
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_SEMAPHORE);
    assertThat(memory.bytes().get(INT, 4)).isZero();
  }

  @Test
  void semaphore_unmapped_isAFaultOfTheFetcher() {
    channel.submit(semaphore(0x1000, 1, RELEASE));
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.info()).isEqualTo(0 | 1 << 8 | 7 << 16);
    assertThat(channel.faultAddress()).isEqualTo(0x1000);
  }

  @Test
  void semaphore_memoryUnmappedWhileItWaits_isAFault() {
    channel.submit(semaphore(memory.va(), 1, ACQUIRE));
    rig.run();
    assertThat(isWaiting()).isTrue();
    client.unmap(vid, memory.va());
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.info()).isEqualTo(2 | 7 << 16);
  }

  // ---- what runs ----

  @ParameterizedTest
  @ValueSource(ints = {0x08, 0x24, 0x28, 0x2c, 0x7c, 0x80})
  void method_withoutVisibleEffect_goesOn(int method) {
    channel.submit(join(one(0, method, 0xffffffff), reference(7)));
    rig.run();
    assertThat(channel.reference()).isEqualTo(7);
  }

  @Test
  void nonStallInterrupt_raisesOnceUntilRead() {
    channel.submit(join(one(0, 0x20, 0), one(0, 0x20, 0)));
    rig.run();
    assertThat(Events.read(client)).containsExactly("interrupt " + channel.cid);
    assertThat(Events.read(client)).isEmpty();
    channel.submit(one(0, 0x20, 0));
    rig.run();
    assertThat(Events.read(client)).containsExactly("interrupt " + channel.cid);
  }

  @Test
  void release_fourWords_writesPayloadZeroAndTime() {
    memory.bytes().fill((byte) 0xff);
    channel.submit(semaphore(memory.va() + 32, 0x1234, RELEASE));
    rig.run();
    assertThat(memory.bytes().get(INT, 28)).isEqualTo(-1);
    assertThat(memory.bytes().get(INT, 32)).isEqualTo(0x1234);
    assertThat(memory.bytes().get(INT, 36)).isZero();
    assertThat(memory.bytes().get(ValueLayout.JAVA_LONG, 40)).isEqualTo(9_000_000);
    assertThat(memory.bytes().get(INT, 48)).isEqualTo(-1);
  }

  @Test
  void release_oneWord_writesPayloadOnly() {
    memory.bytes().fill((byte) 0xff);
    channel.submit(semaphore(memory.va() + 4, 0x1234, RELEASE | ONE_WORD));
    rig.run();
    assertThat(memory.bytes().get(INT, 4)).isEqualTo(0x1234);
    assertThat(memory.bytes().get(INT, 8)).isEqualTo(-1);
  }

  @ParameterizedTest
  @CsvSource({
    // operation, payload, value that blocks, value that lets go
    "1, 5, 6, 5",
    "1, 0, -1, 0",
    "4, 5, 4, 5",
    "4, 5, 4, 6",
    "4, -2147483648, 2147483647, -2147483648",
    "4, 2, -3, 3",
    "8, 6, 9, 2",
    "8, -2147483648, 2147483647, -1"
  })
  void acquire_blocksUntilItsCondition(int operation, int payload, int blocked, int free) {
    memory.bytes().set(INT, 64, blocked);
    channel.submit(join(semaphore(memory.va() + 64, payload, operation | SWITCH), reference(9)));
    rig.run();
    assertThat(channel.reference()).isZero();
    assertThat(isWaiting()).isTrue();
    memory.bytes().set(INT, 64, free);
    rig.run();
    assertThat(channel.reference()).isEqualTo(9);
    assertThat(isWaiting()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {ACQUIRE, ACQUIRE | SWITCH})
  void acquire_releasedByAnotherChannel_goesOn(int operation) {
    GuestChannel other = client.channel(vid);
    channel.submit(join(semaphore(memory.va(), 1, operation), reference(1)));
    rig.run();
    other.submit(join(semaphore(memory.va(), 1, RELEASE | ONE_WORD), reference(2)));
    rig.run();
    assertThat(channel.reference()).isEqualTo(1);
    assertThat(other.reference()).isEqualTo(2);
  }

  @Test
  void acquire_endless_leavesTheGpuToOthersAndCanBeKilled() {
    GuestChannel other = client.channel(vid);
    channel.submit(semaphore(memory.va(), 1, ACQUIRE));
    for (int i = 1; i <= 20; i++) {
      other.submit(reference(i));
      rig.run();
      assertThat(other.reference()).isEqualTo(i);
    }
    client.control(channel.cid, ExtChanControl.KILL, 13, 500);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
    assertThat(channel.info()).isEqualTo(500);
    memory.bytes().set(INT, 0, 1);
    rig.run();
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
  }

  @Test
  void yield_letsTheOtherChannelRunFirst() {
    GuestChannel other = client.channel(vid);
    channel.submit(join(one(0, 0x80, 0), semaphore(memory.va(), 1, RELEASE | ONE_WORD)));
    other.submit(
        join(
            // Runs in between: it must still see 0, then lets the rest of the first one go on.
            semaphore(memory.va(), 0, ACQUIRE), reference(3)));
    assertThat(rig.cycle()).isEqualTo(2);
    assertThat(other.reference()).isEqualTo(3);
    assertThat(memory.bytes().get(INT, 0)).isZero();
    rig.run();
    assertThat(memory.bytes().get(INT, 0)).isEqualTo(1);
  }

  // ---- subchannels ----

  @Test
  void setObject_unknownClass_isIllegal() {
    channel.submit(one(2, 0, 0x1234));
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ILLEGAL_METHOD);
    assertThat(channel.info()).isEqualTo(2 << 16);
    assertThat(channel.faultAddress()).isEqualTo(0x1234);
  }

  @Test
  void setObject_classOfAnotherEngine_isIllegal() {
    channel.submit(one(3, 0, 0x90b5));
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ILLEGAL_METHOD);
  }

  @ParameterizedTest
  @ValueSource(ints = {0x902d, 0x9097})
  void setObject_classOnlyTheHardwareHas_isUnsupported(int objectClass) {
    channel.submit(one(3, 0, objectClass));
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_UNSUPPORTED);
  }

  @Test
  void engineMethod_onAnEmptySubchannel_isReported() {
    channel.submit(one(5, 0x238, 0x77));
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_EMPTY_SUBCHANNEL);
    assertThat(channel.info()).isEqualTo(0x238 | 5 << 16);
    assertThat(channel.faultAddress()).isEqualTo(0x77);
  }

  @Test
  void engineMethod_onASoftwareSubchannel_isReported() {
    channel.submit(join(one(5, 0, 0x1f0000 | 0x506e), one(5, 0x100, 1)));
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_EMPTY_SUBCHANNEL);
  }

  @Test
  void setObject_everyClassOfTheGpu_binds() {
    channel.submit(
        join(
            one(1, 0, 0x90c0),
            one(2, 0, 0x9039),
            one(3, 0, 0x490b5),
            one(4, 0, 0x590b8),
            new int[] {increasing(1, 0x100, 1), 0, increasing(4, 0x100, 1), 0},
            reference(4)));
    rig.run();
    assertThat(channel.reference()).isEqualTo(4);
  }
}

package io.sluice.gpu;

import static io.sluice.gpu.Words.constant;
import static io.sluice.gpu.Words.increasing;
import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.ExtGemPool;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvIoctl;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class M2mfTest {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int SUBCHANNEL = 2;
  private static final int PITCHED = 1 << 4 | 1 << 8;
  private static final int INLINE = 1 | 1 << 8;
  private static final int RELEASE = 2 << 12;
  private static final int INTERRUPT = 1 << 16;
  private static final int ONE_WORD = 1 << 20;
  private static final int BYTES = 64 << 10;

  private final Rig rig = new Rig();
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();
  private final GuestChannel channel = client.channel(vid);
  private final Client.Memory source = client.memory(vid, PscnvGem.VRAM_SMALL, BYTES);
  private final Client.Memory target = client.memory(vid, PscnvGem.SYSRAM_SNOOP, BYTES);
  private final Client.Memory fence = client.memory(vid, PscnvGem.SYSRAM_SNOOP, 4096);

  @BeforeEach
  void fill() {
    for (int i = 0; i < BYTES; i++) {
      source.bytes().set(BYTE, i, (byte) (i * 7 + (i >> 8)));
    }
    channel.submit(one(SUBCHANNEL, 0, 0x9039));
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static int[] copy(
      long from, long to, int pitchIn, int pitchOut, int line, int lines, int launch) {
    return new int[] {
      increasing(SUBCHANNEL, 0x238, 2),
      (int) (to >>> 32),
      (int) to,
      increasing(SUBCHANNEL, 0x30c, 6),
      (int) (from >>> 32),
      (int) from,
      pitchIn,
      pitchOut,
      line,
      lines,
      increasing(SUBCHANNEL, 0x300, 1),
      launch
    };
  }

  private int[] fenceAt(long offset, int payload) {
    long address = fence.va() + offset;
    return new int[] {
      increasing(SUBCHANNEL, 0x32c, 3), (int) (address >>> 32), (int) address, payload
    };
  }

  private void run(int[]... words) {
    channel.submit(join(words));
    rig.run();
  }

  private void assertEngineError(int code, int method) {
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ENGINE);
    assertThat(channel.info()).isEqualTo(code);
    assertThat(channel.faultAddress()).isEqualTo(method);
  }

  // ---- evicted buffers ----

  /** Turns that a copy takes, alone on the card. */
  private int turnsOf(long from, long to, int bytes, int reference) {
    channel.submit(
        join(
            copy(from, to, bytes, bytes, bytes, 1, PITCHED),
            new int[] {increasing(0, 0x50, 1), reference}));
    int turns = 0;
    while (channel.reference() != reference) {
      assertThat(rig.cycle()).as("reason=%d", channel.reason()).isPositive();
      turns++;
    }
    return turns;
  }

  private void pool(Client.Memory memory, int pool) {
    MemorySegment argument = Client.block(PscnvIoctl.GEM_POOL);
    ExtGemPool.HANDLE.setBits(argument, memory.handle());
    ExtGemPool.POOL.setBits(argument, pool);
    client.call(PscnvIoctl.GEM_POOL, argument);
  }

  @Test
  void launch_withAnEvictedBuffer_copiesAnEighthInEachTurn() {
    int bytes = 16 << 20;
    Client.Memory video = client.memory(vid, PscnvGem.VRAM_SMALL, bytes);
    Client.Memory ram = client.memory(vid, PscnvGem.SYSRAM_SNOOP, bytes);
    int resident = turnsOf(video.va(), ram.va(), bytes, 1);
    for (int i = 0; i < bytes; i += 8) {
      video.bytes().set(ValueLayout.JAVA_LONG, i, i * 31L);
    }
    pool(video, ExtGemPool.SYSTEM);
    assertThat(turnsOf(video.va(), ram.va(), bytes, 2)).isBetween(6 * resident, 8 * resident);
    assertThat(ram.bytes().mismatch(video.bytes())).isEqualTo(-1);
    ram.bytes().fill((byte) 7);
    assertThat(turnsOf(ram.va(), video.va(), bytes, 3)).isBetween(6 * resident, 8 * resident);
    assertThat(video.bytes().mismatch(ram.bytes())).isEqualTo(-1);
    pool(video, ExtGemPool.VIDEO);
    assertThat(turnsOf(video.va(), ram.va(), bytes, 4)).isEqualTo(resident);
  }

  // ---- what ends a channel ----

  @ParameterizedTest
  @ValueSource(ints = {0x114, 0x200, 0x218, 0x21c, 0x234, 0x240, 0x308, 0x324, 0x354, 0x1000})
  void method_thatTheClassDoesNotHave_isIllegal(int method) {
    run(one(SUBCHANNEL, method, 1));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ILLEGAL_METHOD);
    assertThat(channel.info()).isEqualTo(method | SUBCHANNEL << 16);
  }

  @Test
  void launch_completionOrInterruptThatIsNone_isAnInvalidEnum() {
    run(copy(source.va(), target.va(), 16, 16, 16, 1, PITCHED | 3 << 12));
    assertEngineError(5, 0x300);
  }

  @Test
  void launch_sourceUnmapped_faultsReading() {
    run(copy(0x1000, target.va(), 16, 16, 16, 1, PITCHED));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.info()).isZero();
    assertThat(channel.faultAddress()).isEqualTo(0x1000);
  }

  @Test
  void launch_targetEndsEarly_faultsWritingBehindWhatWasCopied() {
    run(copy(source.va(), fence.va(), 8192, 8192, 8192, 1, PITCHED));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.info()).isEqualTo(2 | 1 << 8);
    assertThat(channel.faultAddress()).isEqualTo(fence.va() + 4096);
    assertThat(fence.bytes().mismatch(source.bytes().asSlice(0, 4096))).isEqualTo(-1);
  }

  @Test
  void launch_beyondTheAddressSpace_isALimitFault() {
    run(copy(0xfff_ffff_0000L, target.va(), 16, 16, 16, 1, PITCHED));
    assertThat(channel.info()).isEqualTo(3);
  }

  @Test
  void launch_fourWordSemaphoreUnaligned_isAnAlignmentError() {
    run(fenceAt(4, 1), copy(source.va(), target.va(), 16, 16, 16, 1, PITCHED | RELEASE));
    assertEngineError(0xb, 0x300);
  }

  @Test
  void inlineData_withoutALaunch_isAnInvalidValue() {
    run(one(SUBCHANNEL, 0x304, 1));
    assertEngineError(4, 0x304);
  }

  @Test
  void launch_whileInlineDataIsMissing_isAnInvalidValue() {
    run(
        copy(0, target.va(), 0, 8, 8, 1, INLINE),
        copy(source.va(), target.va(), 8, 8, 8, 1, PITCHED));
    assertEngineError(4, 0x300);
  }

  @Test
  void notify_kindThatIsNone_isAnInvalidEnum() {
    run(one(SUBCHANNEL, 0x10c, 2));
    assertEngineError(5, 0x10c);
  }

  // ---- what runs ----

  @Test
  void launch_pitches_copiesLinesAndLeavesTheGapsAlone() {
    run(copy(source.va() + 3, target.va() + 5, 100, 64, 33, 7, PITCHED));
    for (int line = 0; line < 7; line++) {
      for (int x = 0; x < 64; x++) {
        byte expected = x < 33 ? source.bytes().get(BYTE, 3 + line * 100 + x) : 0;
        assertThat(target.bytes().get(BYTE, 5 + line * 64 + x)).isEqualTo(expected);
      }
    }
    assertThat(target.bytes().get(BYTE, 4)).isZero();
  }

  @Test
  void launch_negativePitch_turnsTheImageOver() {
    run(copy(source.va() + 300, target.va(), -100, 64, 64, 4, PITCHED));
    assertThat(channel.reason()).isZero();
    for (int line = 0; line < 4; line++) {
      assertThat(
              target
                  .bytes()
                  .asSlice(line * 64, 64)
                  .mismatch(source.bytes().asSlice(300 - line * 100, 64)))
          .isEqualTo(-1);
    }
  }

  @Test
  void launch_nothingToCopy_stillCompletes() {
    run(
        fenceAt(0, 5),
        copy(0x1000, 0x1000, 16, 16, 0, -1, PITCHED | RELEASE | ONE_WORD | INTERRUPT));
    assertThat(fence.bytes().get(INT, 0)).isEqualTo(5);
    assertThat(Events.read(client)).containsExactly("interrupt " + channel.cid);
  }

  @Test
  void launch_fourWordSemaphore_carriesTheTime() {
    run(fenceAt(16, 5), copy(source.va(), target.va(), 16, 16, 16, 1, PITCHED | RELEASE));
    assertThat(fence.bytes().get(INT, 16)).isEqualTo(5);
    assertThat(fence.bytes().get(INT, 24)).isEqualTo((int) 9_000_000);
  }

  @Test
  void launch_overlapping_copiesAsIfBuffered() {
    run(copy(source.va(), source.va() + 1, 0, 0, 5000, 1, PITCHED));
    for (int i = 0; i < 5000; i++) {
      assertThat(source.bytes().get(BYTE, i + 1)).isEqualTo((byte) (i * 7 + (i >> 8)));
    }
  }

  @Test
  void inlineData_linesPaddedToWords_areWritten() {
    run(
        fenceAt(0, 9),
        copy(0, target.va() + 1, 0, 16, 6, 2, INLINE | RELEASE | ONE_WORD),
        new int[] {constant(SUBCHANNEL, 0x304, 4), 0x04030201, 0xffff0605, 0x0a090807, 0xffff0c0b});
    for (int i = 0; i < 6; i++) {
      assertThat(target.bytes().get(BYTE, 1 + i)).isEqualTo((byte) (i + 1));
      assertThat(target.bytes().get(BYTE, 17 + i)).isEqualTo((byte) (i + 7));
    }
    assertThat(target.bytes().get(BYTE, 7)).isZero();
    assertThat(fence.bytes().get(INT, 0)).isEqualTo(9);
  }

  @Test
  void copy_longerThanASlice_goesOnAndOthersRunInBetween() {
    Client.Memory big = client.memory(vid, PscnvGem.VRAM_SMALL, 12 << 20);
    GuestChannel other = client.channel(vid);
    channel.submit(
        join(fenceAt(0, 1), copy(big.va(), big.va(), 0, 0, 12 << 20, 2, PITCHED | RELEASE)));
    other.submit(one(0, 0x50, 4));
    rig.cycle();
    assertThat(other.reference()).isEqualTo(4);
    assertThat(fence.bytes().get(INT, 0)).as("the copy is not done").isZero();
    rig.run();
    assertThat(fence.bytes().get(INT, 0)).isEqualTo(1);
  }

  @Test
  void copy_ofFourTerabytes_canBeKilled() {
    channel.submit(copy(source.va(), target.va(), 0, 0, BYTES, -1, PITCHED));
    for (int i = 0; i < 5; i++) {
      assertThat(rig.cycle()).isPositive();
    }
    rig.nowNs += 5;
    assertThat(ExtChanQuery.RUNNING_NS.get(channel.query())).isPositive();
    client.control(channel.cid, ExtChanControl.KILL);
    assertThat(rig.cycle()).isZero();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_OPERATOR);
    assertThat(ExtChanQuery.RUNNING_NS.get(channel.query())).isZero();
  }

  @Test
  void notify_writeOnly_raisesNothing() {
    fence.bytes().fill((byte) 0xff);
    run(
        new int[] {increasing(SUBCHANNEL, 0x104, 3), 0, (int) fence.va(), 0},
        one(SUBCHANNEL, 0x100, 1),
        one(SUBCHANNEL, 0x100, 1));
    assertThat(fence.bytes().get(INT, 12)).isZero();
    assertThat(Events.read(client)).isEmpty();
  }
}

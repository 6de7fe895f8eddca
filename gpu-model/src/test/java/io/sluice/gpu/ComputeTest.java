package io.sluice.gpu;

import static io.sluice.gpu.Words.constant;
import static io.sluice.gpu.Words.increasing;
import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ComputeTest {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int SUBCHANNEL = 1;

  private final Rig rig = new Rig();
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();
  private final GuestChannel channel = client.channel(vid);
  private final Client.Memory memory = client.memory(vid, PscnvGem.VRAM_SMALL, 0x20000);

  @BeforeEach
  void bind() {
    channel.submit(one(SUBCHANNEL, 0, 0x90c0));
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void run(int[]... words) {
    channel.submit(join(words));
    rig.run();
  }

  private int[] select(int bytes) {
    return new int[] {increasing(SUBCHANNEL, 0x2380, 3), bytes, 0, (int) memory.va()};
  }

  private int[] report(long offset, int payload, int word) {
    return new int[] {
      increasing(SUBCHANNEL, 0x1b00, 4), 0, (int) (memory.va() + offset), payload, word
    };
  }

  @Test
  void constants_loadedBeyondTheBuffer_areAnInvalidValue() {
    run(select(0x100), one(SUBCHANNEL, 0x238c, 0x100), one(SUBCHANNEL, 0x2390, 1));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ENGINE);
    assertThat(channel.info()).isEqualTo(4);
    assertThat(channel.faultAddress()).isEqualTo(0x2390);
  }

  @Test
  void constants_unmapped_fault() {
    run(
        new int[] {increasing(SUBCHANNEL, 0x2380, 3), 0x100, 0, 0x1000},
        one(SUBCHANNEL, 0x2390, 1));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.info()).isEqualTo(1 << 8);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void report_operationThatIsNone_isAnInvalidEnum(int operation) {
    run(report(0, 1, operation));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ENGINE);
    assertThat(channel.info()).isEqualTo(5);
  }

  @Test
  void report_unaligned_isAnAlignmentError() {
    run(report(4, 1, 0));
    assertThat(channel.info()).isEqualTo(0xb);
  }

  @Test
  void constants_anyDataMethod_advancesTheOffset() {
    run(
        select(0x100),
        one(SUBCHANNEL, 0x238c, 0x10),
        new int[] {constant(SUBCHANNEL, 0x2390, 2), 1, 2},
        new int[] {increasing(SUBCHANNEL, 0x2394, 2), 3, 4});
    for (int i = 0; i < 4; i++) {
      assertThat(memory.bytes().get(INT, 0x10 + i * 4)).isEqualTo(i + 1);
    }
  }

  @Test
  void report_oneWordWithAwaken_writesAndRaises() {
    memory.bytes().fill((byte) 0xff);
    run(report(4, 6, 1 << 28 | 1 << 20));
    assertThat(memory.bytes().get(INT, 4)).isEqualTo(6);
    assertThat(memory.bytes().get(INT, 8)).isEqualTo(-1);
    assertThat(Events.read(client)).containsExactly("interrupt " + channel.cid);
  }

  @Test
  void report_trap_raisesWithoutWriting() {
    run(report(0, 6, 3));
    assertThat(memory.bytes().get(INT, 0)).isZero();
    assertThat(Events.read(client)).containsExactly("interrupt " + channel.cid);
  }

  @Test
  void method_anyOther_isRecordedNotRefused() {
    for (int method = 0x110; method < 0x3ffc; method += 4) {
      boolean acts =
          method == 0x368
              || (method >= 0x1b00 && method <= 0x1b0c)
              || (method >= 0x2390 && method <= 0x23cc);
      if (!acts) {
        run(one(SUBCHANNEL, method, -1));
      }
    }
    run(one(0, 0x50, 1));
    assertThat(channel.reason()).isZero();
    assertThat(channel.reference()).isEqualTo(1);
  }
}

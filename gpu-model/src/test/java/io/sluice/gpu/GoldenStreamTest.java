package io.sluice.gpu;

import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.parse;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvMapHandle;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The word streams that pscnv's own test and Gdev really emit. */
class GoldenStreamTest {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

  /** Gdev's initialisation, with two of the 255 generic-address entries. */
  private static final int[] INIT =
      join(
          new int[32],
          parse(
              """
              20014000 00009039 20012000 000090c0 20012040 00000000 200121d6 0000000f 20012359
              0000000f 200120a8 00008000 2002208e 00010001 00000001 200220eb 00010001 00000001
              200120b1 00000000 200120b2 c0000000 200120b2 c0010001 200120b1 00000001
              """));

  private static final int[] MEMBAR = parse("60022087 00000004 00001111");

  private static final int N = 16;
  private static final long FIRST_CYCLE_NS = 9_000_000;

  private final Rig rig = new Rig();
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();

  @AfterEach
  void close() {
    rig.close();
  }

  /** A buffer at a certain GPU address. */
  private Client.Memory at(long address, long bytes, int flags) {
    int handle = client.gemNew(flags, bytes);
    assertThat(client.map(vid, handle, address, address + bytes, false)).isEqualTo(address);
    MemorySegment segment = client.mmap(PscnvMapHandle.ofBuffer(handle), bytes);
    return new Client.Memory(handle, address, segment);
  }

  @Test
  void subc0_setReference_appearsInUserd() {
    GuestChannel channel = new GuestChannel(client, vid, 3);
    channel.pushbuffer.bytes().set(INT, 0x100, 0x20010014);
    channel.pushbuffer.bytes().set(INT, 0x104, 0xdeadbeef);
    channel.entry((channel.pushbuffer.va() + 0x100) | 0x00000800L << 32);
    channel.kick();

    rig.run();

    assertThat(channel.reference()).isEqualTo(0xdeadbeef);
    assertThat(channel.gpGet()).isEqualTo(1);
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
  }

  @Test
  void m2mfCopy_afterInitAndMembar_copiesAndReleasesFence() {
    Client.Memory fences = at(0x20200000, 0x10000, PscnvGem.SYSRAM_SNOOP);
    Client.Memory source = at(0x20300000, 0x4000, PscnvGem.VRAM_SMALL);
    Client.Memory target = at(0x20500000, 0x4000, PscnvGem.VRAM_SMALL);
    for (int i = 0; i < 0x3123; i++) {
      source.bytes().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + 7));
    }
    GuestChannel channel = upperChannel();
    channel.submit(INIT);
    channel.submit(MEMBAR);
    channel.submit(
        parse(
            """
            200340cb 00000000 20200010 00000001 2002408e 00000000 20500000 200640c3 00000000
            20300000 00001000 00001000 00001000 00000003 200140c0 00100110 2002408e 00000000
            20503000 200640c3 00000000 20303000 00000123 00000123 00000123 00000001 200140c0
            00102110
            """));

    rig.run();

    assertThat(channel.reason()).isZero();
    assertThat(target.bytes().asSlice(0, 0x3123).mismatch(source.bytes().asSlice(0, 0x3123)))
        .isEqualTo(-1);
    assertThat(target.bytes().get(ValueLayout.JAVA_BYTE, 0x3123)).isZero();
    assertThat(fences.bytes().get(INT, 0x10)).isEqualTo(1);
    assertThat(fences.bytes().get(INT, 0x18)).as("the one-word form writes no timestamp").isZero();
  }

  @Test
  void computeFence_writesSequenceAndTimestamp() {
    Client.Memory fences = at(0x20200000, 0x10000, PscnvGem.SYSRAM_SNOOP);
    GuestChannel channel = upperChannel();
    channel.submit(INIT);
    channel.submit(parse("20012044 00000000 200426c0 00000000 20200020 00000002 00000000"));

    rig.run();

    assertThat(channel.reason()).isZero();
    assertThat(fences.bytes().get(INT, 0x20)).isEqualTo(2);
    assertThat(fences.bytes().get(INT, 0x24)).isZero();
    assertThat(fences.bytes().get(INT, 0x28)).isEqualTo((int) FIRST_CYCLE_NS);
  }

  @Test
  void notifyInterrupt_nopAfterNotify_writesRecordAndRaises() {
    Client.Memory notify = at(0x20630000, 0x1000, PscnvGem.VRAM_SMALL);
    notify.bytes().fill((byte) 0xff);
    GuestChannel channel = upperChannel();
    channel.submit(INIT);
    channel.submit(
        parse("20012044 00000000 20032041 00000000 20630000 00000001 20012040 00000005"));

    rig.run();

    assertThat(channel.reason()).isZero();
    assertThat(notify.bytes().get(INT, 0)).isEqualTo((int) FIRST_CYCLE_NS);
    assertThat(notify.bytes().get(INT, 12)).isZero();
    assertThat(notify.bytes().get(INT, 16)).isEqualTo(-1);
    assertThat(Events.read(client)).containsExactly("interrupt " + channel.cid);
  }

  @Test
  void launch_multiply_computesTheProductBeforeItsFence() {
    Client.Memory fences = at(0x20200000, 0x10000, PscnvGem.SYSRAM_SNOOP);
    Client.Memory code = at(0x20600000, 0x1000, PscnvGem.VRAM_SMALL);
    Client.Memory constants0 = at(0x20610000, 0x1000, PscnvGem.VRAM_SMALL);
    Client.Memory constants1 = at(0x20620000, 0x10000, PscnvGem.VRAM_SMALL);
    Client.Memory a = at(0x20800000, 0x1000, PscnvGem.VRAM_SMALL);
    Client.Memory b = at(0x20810000, 0x1000, PscnvGem.VRAM_SMALL);
    Client.Memory c = at(0x20820000, 0x1000, PscnvGem.VRAM_SMALL);
    for (int i = 0; i < TestKernels.MULTIPLY.length; i++) {
      code.bytes().setAtIndex(ValueLayout.JAVA_LONG, i, TestKernels.MULTIPLY[i]);
    }
    for (int i = 0; i < N * N; i++) {
      a.bytes().setAtIndex(INT, i, 3 * i + 1);
      b.bytes().setAtIndex(INT, i, 7 * i + 2);
    }
    GuestChannel channel = upperChannel();
    channel.submit(INIT);
    channel.submit(LAUNCH);
    channel.submit(parse("20012044 00000000 200426c0 00000000 20200020 00000002 00000000"));

    rig.run();

    assertThat(channel.reason()).isZero();
    assertThat(constants0.bytes().get(INT, 0x38)).isEqualTo(N);
    assertThat(constants1.bytes().get(INT, 0x100)).isEqualTo(0x00fffc40);
    assertThat(fences.bytes().get(INT, 0x20)).isEqualTo(2);
    for (int i = 0; i < N * N; i++) {
      int sum = 0;
      for (int k = 0; k < N; k++) {
        sum += (3 * (i / N * N + k) + 1) * (7 * (k * N + i % N) + 2);
      }
      assertThat(c.bytes().getAtIndex(INT, i)).as("element %d", i).isEqualTo(sum);
    }
  }

  @Test
  void launch_withoutItsCode_endsTheChannelWithAPageFault() {
    at(0x20610000, 0x1000, PscnvGem.VRAM_SMALL);
    at(0x20620000, 0x10000, PscnvGem.VRAM_SMALL);
    GuestChannel channel = upperChannel();
    channel.submit(INIT);
    channel.submit(LAUNCH);

    rig.run();

    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.info()).isEqualTo(2);
    assertThat(channel.faultAddress()).isEqualTo(0x20600000);
  }

  /** A channel whose own memory is out of the way of the golden addresses. */
  private GuestChannel upperChannel() {
    at(0x20000000, 0x100000, PscnvGem.SYSRAM_SNOOP);
    return new GuestChannel(client, vid, 9);
  }

  /** 16 x 16 threads of the test kernel, from code 0x20600000. */
  private static final int[] LAUNCH =
      join(
          parse(
              """
              200521e4 00000000 00000000 00000000 00b40000 00004000 200121df 02000000 20032081
              00000000 00000000 00000200 200120c2 00000001 20012085 01000000 20012093 00000000
              200125a6 00000001 20022582 00000000 20600000 200120ed 00000000 200328e0 00000100
              00000000 20610000 200125a5 00000001 200128e3 00000000 600f28e4 01000000 02000000
              00000010 00000010 00000001 00000001 00000001 00000001 20800000 00000000 20810000
              00000000 20820000 00000000 00000010 200328e0 00010000 00000000 20620000 200125a5
              00000101 200128e3 00000000 602028e4
              """),
          new int[32],
          parse(
              """
              200128e3 00000100 600128e4 00fffc40 200125a6 00001000 2002208e 00010001 00000001
              200220eb 00100010 00000001 20012094 00000100 200120b0 00000014 20012095 00000000
              200121e0 00000000 200120db 00000000 200125a6 00000110 200120a7 00000000 20012282
              00000000 200120da 00001000 20012281 00000000 200120d8 00000001
              """));
}

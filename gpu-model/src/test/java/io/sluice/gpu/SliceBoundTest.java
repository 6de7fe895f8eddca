package io.sluice.gpu;

import static io.sluice.gpu.Words.constant;
import static io.sluice.gpu.Words.increasing;
import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.RealKernel;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The bounds of a slice, for as long as which the engine holds the card: what is dear costs much of
 * its budget, and it ends when time has passed, which here does so with each look at the clock.
 */
class SliceBoundTest {
  private static final long PAGE = 4096;
  private static final long SLICE_UNITS = 4 << 20;
  private static final long TICK_NS = 100_000;

  /** A slice has less time than four looks at the clock take, and then the one that ends it. */
  private static final int LOOKS = 5;

  private static final long UNITS_OF_A_LOOK = 256 << 10;
  private static final int M2MF = 2;
  private static final int COMPUTE = 1;
  private static final int HOST = 0;
  private static final int PITCHED = 1 << 4 | 1 << 8;
  private static final int INLINE = 1 | 1 << 8;
  private static final int MANY = 4000;
  private static final int DONE = 77;

  private long nowNs = 1_000_000;
  private long tickNs;
  private final SoftwareGpu gpu =
      new SoftwareGpu(
          RealKernel.create(),
          new GpuConfig(Rig.VRAM_BYTES, Rig.SYSTEM_BYTES, 0),
          () -> nowNs += tickNs,
          IdleStrategy.none());
  private final Client client = new Client(RealKernel.create(), gpu.open());
  private final int vid = client.vspaceNew();

  @AfterEach
  void close() {
    client.close();
    gpu.close();
  }

  private int cycle() {
    nowNs += Rig.CYCLE_NS;
    return gpu.engine().doWork(nowNs);
  }

  private void run() {
    while (cycle() > 0) {}
  }

  private static int[] repeated(int count, int word) {
    int[] words = new int[count];
    Arrays.fill(words, word);
    return words;
  }

  private static int[] setUp(long from, long to, int pitchIn, int pitchOut, int line, int lines) {
    return new int[] {
      increasing(M2MF, 0, 1),
      0x9039,
      increasing(M2MF, 0x238, 2),
      (int) (to >>> 32),
      (int) to,
      increasing(M2MF, 0x30c, 6),
      (int) (from >>> 32),
      (int) from,
      pitchIn,
      pitchOut,
      line,
      lines
    };
  }

  /** Pages of which the first byte is no longer 0. */
  private static long begun(Client.Memory memory) {
    long pages = 0;
    for (long at = 0; at < memory.bytes().byteSize(); at += PAGE) {
      pages += memory.bytes().get(ValueLayout.JAVA_BYTE, at) == 0 ? 0 : 1;
    }
    return pages;
  }

  // ---- what is dear ----

  @Test
  void copy_ofSingleBytesToPagesOfTheirOwn_isNoMoreThanItsPagesInASlice() {
    GuestChannel channel = client.channel(vid);
    Client.Memory source = client.memory(vid, PscnvGem.VRAM_SMALL, PAGE);
    Client.Memory target = client.memory(vid, PscnvGem.VRAM_SMALL, MANY * PAGE);
    source.bytes().fill((byte) 1);
    channel.submit(
        join(setUp(source.va(), target.va(), 0, (int) PAGE, 1, MANY), one(M2MF, 0x300, PITCHED)));
    cycle();
    assertThat(begun(target)).isBetween(1L, SLICE_UNITS / PAGE);
    run();
    assertThat(begun(target)).isEqualTo(MANY);
  }

  @Test
  void inlineData_toPagesOfTheirOwn_isNoMoreThanItsPagesInASlice() {
    GuestChannel channel = client.channel(vid);
    Client.Memory target = client.memory(vid, PscnvGem.VRAM_SMALL, MANY * PAGE);
    channel.submit(
        join(
            setUp(0, target.va(), 0, (int) PAGE, 4, MANY),
            one(M2MF, 0x300, INLINE),
            new int[] {constant(M2MF, 0x304, MANY)},
            repeated(MANY, 1)));
    cycle();
    assertThat(begun(target)).isBetween(1L, SLICE_UNITS / PAGE);
    run();
    assertThat(begun(target)).isEqualTo(MANY);
  }

  @Test
  void unbindAll_ofEverySlot_costsItsStores() {
    GuestChannel channel = client.channel(vid);
    channel.submit(
        join(
            one(COMPUTE, 0, 0x90c0),
            new int[] {constant(COMPUTE, 0x10f4, MANY)},
            repeated(MANY, 0x111),
            one(HOST, 0x50, DONE)));
    cycle();
    assertThat(channel.reference()).as("the words are not done").isZero();
    run();
    assertThat(channel.reference()).isEqualTo(DONE);
  }

  @Test
  void interrupts_asFastAsWordsCome_costMoreThanWords() {
    GuestChannel channel = client.channel(vid);
    channel.submit(
        join(new int[] {constant(HOST, 0x20, MANY)}, repeated(MANY, 0), one(HOST, 0x50, DONE)));
    cycle();
    assertThat(channel.reference()).as("the words are not done").isZero();
    run();
    assertThat(channel.reference()).isEqualTo(DONE);
  }

  @Test
  void entries_thatEndAtTheirFirstWord_costWhatWasFetched() {
    GuestChannel channel = new GuestChannel(client, vid, 12);
    long words = channel.write(repeated(1024, 7 << 29));
    for (int i = 0; i < MANY; i++) {
      channel.entry(words, 1024);
    }
    channel.kick();
    cycle();
    assertThat(channel.gpGet()).isBetween(1, (int) (SLICE_UNITS / PAGE));
    run();
    assertThat(channel.gpGet()).isEqualTo(MANY);
  }

  // ---- time that passes ----

  @Test
  void copy_inWhoseMiddleTimeHasPassed_givesWayAndGoesOnThere() {
    int lines = 500;
    GuestChannel channel = client.channel(vid);
    GuestChannel other = client.channel(vid);
    Client.Memory source = client.memory(vid, PscnvGem.VRAM_SMALL, 2 * lines * PAGE);
    Client.Memory target = client.memory(vid, PscnvGem.VRAM_SMALL, lines * PAGE);
    for (int i = 0; i < 2 * lines; i++) {
      source.bytes().asSlice(i * PAGE, PAGE).fill((byte) (1 + i % 255));
    }
    channel.submit(
        join(
            setUp(source.va(), target.va(), (int) (2 * PAGE), (int) PAGE, (int) PAGE, lines),
            one(M2MF, 0x300, PITCHED),
            one(HOST, 0x50, DONE)));
    other.submit(one(HOST, 0x50, DONE));
    tickNs = TICK_NS;
    cycle();
    assertThat(begun(target)).isBetween(1L, LOOKS * UNITS_OF_A_LOOK / PAGE);
    cycle();
    assertThat(other.reference()).isEqualTo(DONE);
    assertThat(channel.reference()).as("the copy is not done").isZero();
    run();
    assertThat(channel.reference()).isEqualTo(DONE);
    for (int i = 0; i < lines; i++) {
      assertThat(
              target
                  .bytes()
                  .asSlice(i * PAGE, PAGE)
                  .mismatch(source.bytes().asSlice(2 * i * PAGE, PAGE)))
          .as("line %d", i)
          .isEqualTo(-1);
    }
  }

  @Test
  void words_amongWhichTimeHasPassed_giveWayAndGoOnThere() {
    int count = 16_000;
    GuestChannel channel = client.channel(vid);
    long nops = channel.write(repeated(count, 0));
    for (int i = 0; i < 4; i++) {
      channel.entry(nops, count);
    }
    channel.kick();
    tickNs = TICK_NS;
    cycle();
    long wordsDone = channel.gpGet() * (long) count + (channel.get() - nops) / 4;
    assertThat(wordsDone).isBetween(1L, LOOKS * UNITS_OF_A_LOOK / 64);
    run();
    assertThat(channel.gpGet()).isEqualTo(4);
    assertThat(channel.reason()).isZero();
  }

  /** The clock says late before the first word: something is done all the same. */
  @Test
  void slice_whoseTimeIsOverWhenItBegins_getsOn() {
    tickNs = 10 * Rig.CYCLE_NS;
    GuestChannel channel = client.channel(vid);
    channel.submit(one(HOST, 0x50, DONE));
    cycle();
    assertThat(channel.reference()).isEqualTo(DONE);
  }
}

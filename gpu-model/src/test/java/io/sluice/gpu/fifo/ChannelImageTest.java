package io.sluice.gpu.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.engine.GridLauncher;
import io.sluice.gpu.engine.TimeShare;
import io.sluice.gpu.mmu.FileBacking;
import io.sluice.gpu.mmu.GpuAddressSpace;
import io.sluice.gpu.mmu.GpuBuffer;
import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A channel that is saved and restored at any point goes on as if nothing had happened. */
@ExtendWith(Seeds.class)
class ChannelImageTest {
  private static final int MEMORY_BYTES = 1 << 20;
  private static final int RING_AT = 0;
  private static final int WORDS_AT = 0x1000;
  private static final int DATA_AT = 0x20000;
  private static final int RING_ORDER = 8;
  private static final long BASE = 0x2000_0000L;

  /** Slices end by their budget: time stands still before it. */
  private static final long END_NS = 1;

  private final Arena arena = Arena.ofConfined();
  private final PushbufferWindow window = new PushbufferWindow();

  /** A channel, and all the memory it can reach. */
  private final class Machine {
    final MemorySegment memory = arena.allocate(MEMORY_BYTES, 4096);
    final MemorySegment userd = arena.allocate(4096, 4096);
    final GpuAddressSpace space = new GpuAddressSpace();
    GpuChannel channel;
    long timeNs;

    Machine() {
      GpuBuffer buffer =
          new GpuBuffer(MEMORY_BYTES, 4096, new FileBacking(memory, 0, MEMORY_BYTES));
      assertThat(space.map(buffer, BASE, GpuAddressSpace.LIMIT, false)).isEqualTo(BASE);
      channel = fresh();
      channel.start(BASE + RING_AT, RING_ORDER);
    }

    GpuChannel fresh() {
      // Time stands still, so that both machines write the same timestamps.
      ChannelServices services =
          new ChannelServices(
              () -> timeNs,
              GridLauncher.NONE,
              new TimeShare(),
              new EngineGate(new ReentrantLock()),
              () -> {});
      return new GpuChannel(1, space, userd, 0, services);
    }

    void load(int[] words, int[] entryWords) {
      MemorySegment.copy(words, 0, memory, ValueLayout.JAVA_INT, WORDS_AT, words.length);
      long va = BASE + WORDS_AT;
      for (int i = 0; i < entryWords.length; i++) {
        memory.set(ValueLayout.JAVA_LONG, RING_AT + i * 8L, va | (long) entryWords[i] << 42);
        va += entryWords[i] * 4L;
      }
      userd.set(ValueLayout.JAVA_INT, 0x8c, entryWords.length);
    }

    /** Saves the channel and goes on with another one made from the record. */
    void move() {
      byte[] record = ChannelImage.save(channel);
      assertThat(record.length).isLessThanOrEqualTo(ChannelImage.MAX_BYTES);
      GpuChannel other = fresh();
      assertThat(ChannelImage.restore(other, record)).isTrue();
      assertThat(other.state()).isEqualTo(ChannelLife.STATE_SUSPENDED);
      assertThat(ChannelImage.save(other)).as("nothing was lost").isEqualTo(record);
      other.setSuspended(false);
      channel = other;
    }
  }

  @AfterEach
  void close() {
    arena.close();
  }

  @RepeatedTest(20)
  void restore_afterEveryStep_endsAsWithoutIt(RandomGenerator random) {
    Stream stream = new Stream(random);
    stream.fill();
    int[] entries = stream.entries();
    Machine still = new Machine();
    still.load(stream.words(), entries);
    Machine moved = new Machine();
    moved.load(stream.words(), entries);

    while (still.channel.run(window, Long.MAX_VALUE, END_NS) == SliceEnd.YIELDED) {}
    int steps = 0;
    while (!moved.channel.isDead() && moved.channel.hasWork()) {
      SliceEnd end = moved.channel.run(window, 1, END_NS);
      assertThat(end).isNotEqualTo(SliceEnd.BLOCKED);
      if (end != SliceEnd.DEAD) {
        moved.move();
      }
      assertThat(steps++).isLessThan(100_000);
    }

    assertThat(still.channel.errorReason()).isZero();
    assertThat(moved.channel.errorReason()).isZero();
    assertThat(moved.memory.mismatch(still.memory)).isEqualTo(-1);
    assertThat(moved.userd.mismatch(still.userd)).isEqualTo(-1);
  }

  @RepeatedTest(20)
  void restore_recordThatWasDamaged_isRefusedOrHarmless(RandomGenerator random) {
    Stream stream = new Stream(random);
    stream.fill();
    Machine machine = new Machine();
    machine.load(stream.words(), stream.entries());
    for (int i = 0; i < 30; i++) {
      machine.channel.run(window, 4300, END_NS);
    }
    byte[] record = ChannelImage.save(machine.channel);
    for (int i = 0; i < 500; i++) {
      byte[] damaged = record.clone();
      for (int j = 0; j <= random.nextInt(3); j++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      GpuChannel other = machine.fresh();
      if (ChannelImage.restore(other, damaged)) {
        other.setSuspended(false);
        for (int j = 0; j < 20 && !other.isDead(); j++) {
          other.run(window, 5000, END_NS);
        }
      }
    }
  }

  @Test
  void restore_everyLengthTooShortOrTooLong_isRefused() {
    Machine machine = new Machine();
    byte[] record = ChannelImage.save(machine.channel);
    for (int length = 0; length < record.length; length++) {
      assertThat(ChannelImage.restore(machine.fresh(), Arrays.copyOf(record, length))).isFalse();
    }
    assertThat(ChannelImage.restore(machine.fresh(), Arrays.copyOf(record, record.length + 1)))
        .isFalse();
  }

  @Test
  void save_channelThatUsedEverythingThereIs_fits() {
    Machine machine = new Machine();
    int[] words = new int[0];
    int[][] bindings = {{1, 0x90c0}, {2, 0x9039}, {3, 0x490b5}, {4, 0x590b8}};
    for (int[] binding : bindings) {
      words = append(words, 0x20010000 | binding[0] << 13, binding[1]);
    }
    for (int method = 0x110; method < 0x3ffc; method += 4) {
      boolean acts = method == 0x368 || (method >= 0x1b0c && method <= 0x1b0c);
      if (!acts && (method < 0x2390 || method > 0x23cc)) {
        words = append(words, 0x20010000 | 1 << 13 | method >> 2, -1);
      }
    }
    for (int i = 0; i < 256; i++) {
      words = append(words, 0x20010000 | 1 << 13 | 0x2c8 >> 2, 0xc0000000 | i << 16 | i);
      words = append(words, 0x20010000 | 1 << 13 | 0x1694 >> 2, (i & 31) << 8 | 1);
      words = append(words, 0x20010000 | 1 << 13 | 0x22c >> 2, i << 9 | i << 1 | 1);
      words = append(words, 0x20010000 | 1 << 13 | 0x228 >> 2, i << 12 | (i & 31) << 4 | 1);
    }
    for (int method = 0x204; method <= 0x350; method += 4) {
      boolean plain =
          (method <= 0x214)
              || (method >= 0x220 && method <= 0x230)
              || (method >= 0x238 && method <= 0x23c)
              || (method >= 0x30c && method <= 0x320)
              || (method >= 0x32c && method <= 0x340)
              || method >= 0x344;
      if (plain) {
        words = append(words, 0x20010000 | 2 << 13 | method >> 2, -1);
      }
      boolean copier = method <= 0x218 || (method >= 0x30c && method <= 0x340);
      if (copier) {
        words = append(words, 0x20010000 | 3 << 13 | method >> 2, 0x55);
        words = append(words, 0x20010000 | 4 << 13 | method >> 2, 0x55);
      }
    }
    machine.load(words, new int[] {words.length});
    assertThat(machine.channel.run(window, Long.MAX_VALUE, END_NS)).isEqualTo(SliceEnd.IDLE);
    machine.move();
  }

  private static int[] append(int[] words, int first, int second) {
    int[] longer = Arrays.copyOf(words, words.length + 2);
    longer[words.length] = first;
    longer[words.length + 1] = second;
    return longer;
  }

  /** Random commands that all do something, cut into entries anywhere. */
  private static final class Stream {
    private final RandomGenerator random;
    private int[] words = {
      0x20014000, 0x9039, 0x20012000, 0x90c0, 0x20016000, 0x490b5, 0x20018000, 0x590b8
    };

    Stream(RandomGenerator random) {
      this.random = random;
    }

    void fill() {
      for (int i = 0; i < 60; i++) {
        switch (random.nextInt(9)) {
          case 0 -> add(0x20010014, random.nextInt());
          case 1 -> add(0x20040004, 0, data(4), random.nextInt(), 1 << 24 | 2);
          case 2 -> add(0x20040004, 0, data(16), random.nextInt(), 2);
          case 3 -> copy(0x00100110, 1 + random.nextInt(300), 1 + random.nextInt(5));
          case 4 -> inline();
          case 5 -> {
            add(0x200860c3, 0, data(1), 0, data(1), 64, 64, 1 + random.nextInt(64), 3);
            add(0x200160c0, 0x110);
          }
          case 6 -> {
            add(0x200328e0, 0x100, 0, data(256));
            add(0x200128e3, random.nextInt(8) * 4);
            add(0x600328e4, random.nextInt(), random.nextInt(), random.nextInt());
          }
          case 7 -> add(0x200426c0, 0, data(16), random.nextInt(), 0);
          default -> add(0x80050002, 0);
        }
      }
    }

    private void copy(int launch, int line, int lines) {
      add(0x2002408e, 0, data(1));
      add(0x200640c3, 0, data(1), line, line + random.nextInt(2), line, lines);
      add(0x200140c0, launch);
    }

    private void inline() {
      int line = 1 + random.nextInt(20);
      copy(0x00100101, line, 2);
      int count = (line + 3) / 4 * 2;
      add(0x60000000 | count << 16 | 0x40c1);
      for (int i = 0; i < count; i++) {
        add(random.nextInt());
      }
    }

    private int data(int alignment) {
      return (int) BASE + DATA_AT + random.nextInt((1 << 18) / alignment) * alignment;
    }

    private void add(int... more) {
      int at = words.length;
      words = Arrays.copyOf(words, at + more.length);
      System.arraycopy(more, 0, words, at, more.length);
    }

    int[] words() {
      return words;
    }

    /** Lengths of the entries, cut anywhere, so that commands straddle them. */
    int[] entries() {
      int[] entries = new int[200];
      int count = 0;
      for (int left = words.length; left > 0; count++) {
        int most = count == entries.length - 1 ? left : Math.min(left, 1 + words.length / 20);
        entries[count] = count == entries.length - 1 ? left : 1 + random.nextInt(most);
        left -= entries[count];
      }
      entries = Arrays.copyOf(entries, count);
      return entries;
    }
  }
}

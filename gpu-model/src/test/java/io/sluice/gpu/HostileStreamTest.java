package io.sluice.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.testbed.checks.FuzzInput;
import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a guest writes, the GPU goes on and nobody else notices. */
@ExtendWith(Seeds.class)
class HostileStreamTest {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int STREAMS = 150;
  private static final int WORDS = 2000;
  private static final int FUZZED_WORDS = 120;

  private static final int[] CLASSES = {0x9039, 0x90c0, 0x490b5, 0x590b8};

  /** Methods that do something, by class. */
  private static final int[][] METHODS = {
    {
      0x104, 0x108, 0x10c, 0x110, 0x238, 0x23c, 0x300, 0x304, 0x30c, 0x310, 0x314, 0x318, 0x31c,
      0x320, 0x32c, 0x330, 0x334
    },
    {
      0x104, 0x108, 0x10c, 0x1694, 0x1b00, 0x1b04, 0x1b0c, 0x2380, 0x2384, 0x2388, 0x238c, 0x2390,
      0x2c8, 0x21c
    },
    {0x300, 0x30c, 0x310, 0x314, 0x318, 0x31c, 0x320, 0x324, 0x328, 0x338, 0x33c, 0x340},
    {0x300, 0x30c, 0x310, 0x314, 0x318, 0x31c, 0x320, 0x324, 0x328, 0x338, 0x33c, 0x340},
  };

  private static final int[] HOST_METHODS = {0x08, 0x10, 0x14, 0x18, 0x1c, 0x20, 0x50, 0x80};

  private static final int[] LAUNCHES = {0x110, 0x2110, 0x102110, 0x101, 0x10110, 0x3110, 0x1110};

  @RepeatedTest(5)
  void anyWords_inRingPushbufferAndControlPage_hurtOnlyTheirGuest(RandomGenerator random) {
    try (Rig rig = new Rig()) {
      Client victim = rig.open();
      GuestChannel witness = victim.channel(victim.vspaceNew());
      Client.Memory kept = victim.memory(witness.vid, PscnvGem.VRAM_SMALL, 1 << 20);
      kept.bytes().fill((byte) 0x3c);
      Client hostile = rig.open();
      int vid = hostile.vspaceNew();
      Client.Memory data = hostile.memory(vid, PscnvGem.VRAM_SMALL, 1 << 20);
      for (int i = 1; i <= STREAMS; i++) {
        GuestChannel channel = hostile.channel(vid);
        for (int j = 0; j < 4; j++) {
          channel.submit(Words.one(j, 0, CLASSES[j]));
        }
        attack(random, channel, data.va());
        for (int j = 0; j < 4; j++) {
          rig.cycle();
          mutate(random, channel);
        }
        witness.submit(Words.one(0, 0x50, i));
        rig.cycle();
        assertThat(witness.reference()).isEqualTo(i);
        hostile.chanFree(channel.cid);
        hostile.unmap(vid, channel.ring.va());
        hostile.gemClose(channel.ring.handle());
        hostile.unmap(vid, channel.pushbuffer.va());
        hostile.gemClose(channel.pushbuffer.handle());
      }
      for (int offset = 0; offset < 1 << 20; offset += 4) {
        assertThat(kept.bytes().get(INT, offset)).isEqualTo(0x3c3c3c3c);
      }
    }
  }

  static Stream<byte[]> streams() {
    return Stream.of(4, 5, 6)
        .map(seed -> {
          byte[] bytes = new byte[600];
          Seeds.generator(seed).nextBytes(bytes);
          return bytes;
        });
  }

  /** One stream whose words, ring entries and changes while it is executed are the input's. */
  @MethodSource("streams")
  @FuzzTest
  void stream(byte[] input) {
    FuzzInput choices = new FuzzInput(input);
    try (Rig rig = new Rig()) {
      Client victim = rig.open();
      GuestChannel witness = victim.channel(victim.vspaceNew());
      Client.Memory kept = victim.memory(witness.vid, PscnvGem.VRAM_SMALL, 4096);
      kept.bytes().fill((byte) 0x3c);
      Client hostile = rig.open();
      int vid = hostile.vspaceNew();
      Client.Memory data = hostile.memory(vid, PscnvGem.VRAM_SMALL, 1 << 20);
      GuestChannel channel = hostile.channel(vid);
      for (int j = 0; j < 4; j++) {
        channel.submit(Words.one(j, 0, CLASSES[j]));
      }
      attack(choices, channel, data.va(), FUZZED_WORDS);
      for (int j = 0; j < 4; j++) {
        rig.cycle();
        mutate(choices, channel);
      }
      witness.submit(Words.one(0, 0x50, 77));
      rig.cycle();
      assertThat(witness.reference()).isEqualTo(77);
      for (int offset = 0; offset < 4096; offset += 4) {
        assertThat(kept.bytes().get(INT, offset)).isEqualTo(0x3c3c3c3c);
      }
    }
  }

  private static void attack(RandomGenerator random, GuestChannel channel, long data) {
    attack(random, channel, data, WORDS);
  }

  private static void attack(RandomGenerator random, GuestChannel channel, long data, int most) {
    int[] words = new int[most];
    for (int i = 0; i < most - 1; ) {
      int subchannel = random.nextInt(4);
      boolean host = random.nextInt(6) == 0;
      int[] methods = host ? HOST_METHODS : METHODS[subchannel];
      int method = methods[random.nextInt(methods.length)];
      int count = 1 + random.nextInt(4);
      words[i++] = header(random, subchannel, method, count);
      for (int j = 0; j < count && i < most; j++) {
        words[i++] = operand(random, data, isUpperHalf(host ? 0 : subchannel + 1, method + 4 * j));
      }
    }
    long va = channel.write(words);
    for (int left = most; left > 0; ) {
      int length = Math.min(left, 1 + random.nextInt(300));
      channel.entry(va, length);
      va += length * 4L;
      left -= length;
    }
    channel.kick();
  }

  private static int header(RandomGenerator random, int subchannel, int method, int count) {
    return switch (random.nextInt(200)) {
      case 0 -> random.nextInt();
      case 1 -> 0xe0000000;
      case 2, 3, 4, 5, 6, 7 -> Words.constant(subchannel, method, count);
      case 8, 9, 10, 11, 12 -> Words.onceIncreasing(subchannel, method, count);
      case 13, 14, 15, 16 -> Words.immediate(subchannel, method, random.nextInt(0x2000));
      default -> Words.increasing(subchannel, method, count);
    };
  }

  /**
   * Whether a method takes the upper half of an address: 0 the host, 1 M2MF, 2 compute, 3, 4 copy.
   */
  private static boolean isUpperHalf(int unit, int method) {
    return switch (method) {
      case 0x10 -> unit == 0;
      case 0x104 -> unit == 1 || unit == 2;
      case 0x238, 0x32c -> unit == 1;
      case 0x30c -> unit == 1 || unit >= 3;
      case 0x1b00, 0x2384 -> unit == 2;
      case 0x314, 0x338 -> unit >= 3;
      default -> false;
    };
  }

  private static int operand(RandomGenerator random, long data, boolean upperHalf) {
    if (upperHalf && random.nextInt(20) != 0) {
      return 0;
    }
    return switch (random.nextInt(12)) {
      case 0 -> random.nextInt(8) == 0 ? random.nextInt() : 1;
      case 1, 2 -> 0;
      case 3 -> random.nextInt(0x2000);
      case 4 -> LAUNCHES[random.nextInt(LAUNCHES.length)];
      case 5 -> 1 << random.nextInt(32);
      default -> (int) data + random.nextInt(1 << 16) * 16;
    };
  }

  /** A guest writes wherever it can while the GPU reads. */
  private static void mutate(RandomGenerator random, GuestChannel channel) {
    for (int i = 0; i < 20; i++) {
      channel.pushbuffer.bytes().set(INT, random.nextInt(1 << 14) * 4L, random.nextInt());
      channel.ring.bytes().set(INT, random.nextInt(1024) * 4L, random.nextInt());
    }
    channel.userd.set(INT, random.nextInt(0x80) * 4L, random.nextInt());
    channel.userd.set(INT, 0x8c, random.nextInt(600));
  }
}

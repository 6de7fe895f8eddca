package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.sluice.abi.guest.CallSlot;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.testbed.checks.FuzzInput;
import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client that sends anything in any order, while it scribbles over the memory it shares: every
 * message is answered, the stream stays in step, and at the end nothing is left.
 */
@ExtendWith(Seeds.class)
final class RandomConversationTest extends CallTest {
  private static final int MESSAGES = 3_000;
  private static final int MAX_FUZZED_MESSAGES = 60;
  private static final int[] EDGES = {0, 1, 2, 3, 4, 8, 16, 17, 24, 32, 64, 255, 4096, 0x4000, -1};

  @Test
  void client_thatSendsAnything_isAlwaysAnswered(RandomGenerator random) {
    converse(random, MESSAGES, () -> true);
  }

  static Stream<byte[]> conversations() {
    return Stream.of(1, 2, 3)
        .map(seed -> {
          byte[] bytes = new byte[400];
          Seeds.generator(seed).nextBytes(bytes);
          return bytes;
        });
  }

  @MethodSource("conversations")
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void conversation(byte[] input) {
    FuzzInput choices = new FuzzInput(input);
    converse(choices, MAX_FUZZED_MESSAGES, () -> !choices.isEmpty());
  }

  private void converse(RandomGenerator random, int messages, BooleanSupplier goesOn) {
    List<Fd> pool = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      pool.add(kernel.memfdCreate("pool", 0x10000L << i));
      pool.add(kernel.eventfd(0, 0));
    }
    for (int i = 0; i < messages && goesOn.getAsBoolean(); i++) {
      scribble(random);
      switch (random.nextInt(4)) {
        case 0 -> client.call(random.nextInt(20), words(random), some(pool, random)).close();
        case 1 -> client.call(2 + random.nextInt(7), plausible(random), some(pool, random)).close();
        case 2 -> ring(random.nextInt(70));
        default -> hypercall(random);
      }
    }
    pool.forEach(Fd::close);
    client.ok(13, new byte[0]);
    assertThat(gpu.last().buffers + gpu.last().spaces + gpu.last().channels).isZero();
    assertGoesOn();
  }

  private static Fd[] some(List<Fd> pool, RandomGenerator random) {
    Fd[] fds = new Fd[random.nextInt(8) < 4 ? 0 : random.nextInt(4)];
    for (int i = 0; i < fds.length; i++) {
      fds[i] = pool.get(random.nextInt(pool.size()));
    }
    return fds;
  }

  private static int word(RandomGenerator random) {
    int edge = EDGES[random.nextInt(EDGES.length)];
    return random.nextInt(6) == 0 ? random.nextInt() : edge;
  }

  private static byte[] words(RandomGenerator random) {
    Object[] parts = new Object[random.nextInt(12)];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = word(random);
    }
    return RawClient.body(parts);
  }

  /** Of a right length, with argsz and ranges that may be right. */
  private static byte[] plausible(RandomGenerator random) {
    int[] sizes = {24, 32, 16, 32, 16, 16, 20};
    int bytes = sizes[random.nextInt(sizes.length)];
    Object[] parts = new Object[bytes / 4];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = i == 0 ? bytes : i % 2 == 0 ? random.nextInt(16) * 4096 : random.nextInt(4);
    }
    return RawClient.body(parts);
  }

  private void hypercall(RandomGenerator random) {
    int slot = random.nextInt(64);
    Object[] parts = new Object[8];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = random.nextInt(3) == 0 ? word(random) : random.nextInt(4);
    }
    fill(slot, random.nextInt(22), parts);
    ring(slot);
  }

  private void scribble(RandomGenerator random) {
    long at = random.nextInt(GuestAbi.BAR1_SIZE / 4) * 4L;
    calls.set(ValueLayout.JAVA_INT, at, word(random));
    ram.setAtIndex(ValueLayout.JAVA_INT, random.nextInt(64), word(random));
    if (random.nextInt(64) == 0) {
      MemorySegment slots = calls.asSlice(0, 64 * CallSlot.SIZE);
      slots.fill((byte) random.nextInt());
    }
  }
}

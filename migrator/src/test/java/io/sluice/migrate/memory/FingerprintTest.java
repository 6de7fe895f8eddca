package io.sluice.migrate.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Fingerprints of memory and of copies, against arithmetic of unlimited length. */
@ExtendWith(Seeds.class)
final class FingerprintTest {
  private static final int ROUNDS = 50;
  private static final BigInteger WORD = BigInteger.ONE.shiftLeft(64);

  private static BigInteger unsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }

  private static long[] page(RandomGenerator random) {
    long[] page = new long[Fingerprint.WORDS];
    for (int i = 0; i < page.length; i++) {
      page[i] = random.nextInt(4) == 0 ? 0 : random.nextLong();
    }
    return page;
  }

  private static long[] expected(long[] page, long[] keys) {
    BigInteger low = BigInteger.ZERO;
    BigInteger high = BigInteger.ZERO;
    for (int i = 0; i < page.length; i += 2) {
      BigInteger product =
          unsigned(page[i] + keys[i]).multiply(unsigned(page[i + 1] + keys[i + 1]));
      low = low.add(product.mod(WORD)).mod(WORD);
      high = high.add(product.shiftRight(64)).mod(WORD);
    }
    return new long[] {low.longValue(), high.longValue()};
  }

  @Test
  void of_memoryAndItsCopy_isTheSumThatTheKeysSay(RandomGenerator random) {
    Fingerprint fingerprint = new Fingerprint(random);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(2L * Fingerprint.PAGE_BYTES, Long.BYTES);
      for (int round = 0; round < ROUNDS; round++) {
        long[] page = page(random);
        MemorySegment.copy(
            page, 0, memory, ValueLayout.JAVA_LONG, Fingerprint.PAGE_BYTES, page.length);
        long[] ofCopy = new long[2];
        long[] ofMemory = new long[2];
        fingerprint.of(page, ofCopy, 0);
        fingerprint.of(memory, Fingerprint.PAGE_BYTES, ofMemory, 0);
        assertThat(ofCopy).isEqualTo(expected(page, fingerprint.key())).isEqualTo(ofMemory);
        assertThat(fingerprint.sampleOf(page))
            .isEqualTo(fingerprint.sampleOf(memory, Fingerprint.PAGE_BYTES));
      }
    }
  }

  @Test
  void of_anyBitChanged_isAnother(RandomGenerator random) {
    Fingerprint fingerprint = new Fingerprint(random);
    long[] page = page(random);
    long[] before = new long[2];
    long[] after = new long[2];
    fingerprint.of(page, before, 0);
    for (int word = 0; word < page.length; word++) {
      long bit = 1L << random.nextInt(Long.SIZE);
      page[word] ^= bit;
      fingerprint.of(page, after, 0);
      assertThat(after).as("word %d", word).isNotEqualTo(before);
      page[word] ^= bit;
    }
  }
}

package io.sluice.remoting.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Fingerprints of pieces. */
final class FingerprintsTest {
  private static final int PIECE = 4096;

  private final byte[] bytes = new byte[PIECE];
  private final Fingerprints fingerprints = new Fingerprints();

  @Test
  void piece_thatIsEqual_isKnown() {
    new Random(1).nextBytes(bytes);

    assertThat(fingerprints.note(5, 40, MemorySegment.ofArray(bytes))).isFalse();
    assertThat(fingerprints.note(5, 40, MemorySegment.ofArray(bytes))).isTrue();
    assertThat(fingerprints.note(5, 41, MemorySegment.ofArray(bytes))).isFalse();
    assertThat(fingerprints.note(6, 40, MemorySegment.ofArray(bytes))).isFalse();
    fingerprints.forget(5);
    assertThat(fingerprints.note(5, 40, MemorySegment.ofArray(bytes))).isFalse();
  }

  @Test
  void pieces_thatDifferInOneBit_haveOtherNumbers() {
    new Random(2).nextBytes(bytes);
    Set<Long> numbers = new HashSet<>();
    numbers.add(Fingerprints.of(MemorySegment.ofArray(bytes)));
    for (int bit = 0; bit < PIECE * 8; bit++) {
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      numbers.add(Fingerprints.of(MemorySegment.ofArray(bytes)));
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }

    assertThat(numbers).hasSize(PIECE * 8 + 1);
  }

  @Test
  void zeros_ofAnyLength_areSeen() {
    for (int length : new int[] {1, 7, 8, 9, 31, 33, PIECE}) {
      byte[] some = new byte[length];
      assertThat(Fingerprints.isZero(MemorySegment.ofArray(some))).isTrue();
      some[length - 1] = 1;
      assertThat(Fingerprints.isZero(MemorySegment.ofArray(some))).isFalse();
    }
  }

  @Test
  void zeros_ofOtherLengths_haveOtherNumbers() {
    Set<Long> numbers = new HashSet<>();
    for (int length = 1; length <= 200; length++) {
      numbers.add(Fingerprints.of(MemorySegment.ofArray(new byte[length])));
    }

    assertThat(numbers).hasSize(200);
  }
}

package io.sluice.testbed.checks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FuzzInputTest {
  @Test
  void choices_comeFromTheBytesInOrder() {
    FuzzInput input = new FuzzInput(new byte[] {5, 1, 2, 1, 2, 3, 4, 7, 9});

    assertThat(input.nextInt(4)).isEqualTo(1);
    assertThat(input.nextInt(1000)).isEqualTo(0x201);
    assertThat(input.nextInt()).isEqualTo(0x0403_0201);
    assertThat(input.nextBoolean()).isTrue();
    assertThat(input.isEmpty()).isFalse();
    assertThat(input.rest()).containsExactly(9);
    assertThat(input.isEmpty()).isTrue();
  }

  @Test
  void wordsAreUnsignedWhereThereIsABound() {
    FuzzInput input = new FuzzInput(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1});

    assertThat(input.nextInt(10, 11)).isEqualTo(10);
    assertThat(input.nextLong(5, 1L << 62)).isBetween(5L, 1L << 62);
  }

  @Test
  void anInputThatIsUsedUp_givesZeros() {
    FuzzInput input = new FuzzInput(new byte[] {1});

    assertThat(input.nextLong()).isEqualTo(1);
    assertThat(input.nextLong()).isZero();
    assertThat(input.nextInt(3, 9)).isEqualTo(3);
    assertThat(input.take(4)).isEmpty();
  }
}

package io.sluice.management;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PlainTextTest {
  @ParameterizedTest
  @ValueSource(
      ints = {0, 7, '\n', '\r', 0x1b, 0x7f, 0x85, 0x90, 0x9b, 0x9d, 0x2028, 0x202e, 0xd800})
  void of_whatActs_isABlank(int codePoint) {
    assertThat(PlainText.of("a" + Character.toString(codePoint) + "2Jb")).isEqualTo("a 2Jb");
  }

  @Test
  void of_whatShowsItself_staysAsItIs() {
    String text = "py\u00fcthon3.11 \u4e2d \ud83d\ude00 -c";
    assertThat(PlainText.of(text)).isSameAs(text);
  }
}

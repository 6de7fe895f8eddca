package io.sluice.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.demo.Screen.Style;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ScreenTest {
  private final Printed printed = new Printed();

  @Test
  void of_noTerminal_isAPipe() {
    assertThat(Style.of(false, Map.of("TERM", "xterm"))).isEqualTo(Style.PIPE);
  }

  @Test
  void of_terminal_hasColoursUnlessTheyAreUnwanted() {
    assertThat(Style.of(true, Map.of("TERM", "xterm"))).isEqualTo(Style.COLOURED);
    assertThat(Style.of(true, Map.of("TERM", "xterm", "NO_COLOR", ""))).isEqualTo(Style.COLOURED);
    assertThat(Style.of(true, Map.of("TERM", "xterm", "NO_COLOR", "1"))).isEqualTo(Style.PLAIN);
    assertThat(Style.of(true, Map.of("TERM", "dumb"))).isEqualTo(Style.PIPE);
  }

  @Test
  void line_coloured_coloursTheFirstWordsOnly() {
    printed.screen(Style.COLOURED).line(Screen.Ink.GOOD, "  ok  ", "it is right");
    assertThat(printed.text()).isEqualTo("\033[32m  ok  \033[0mit is right\n");
  }

  @Test
  void line_plainOrPipe_hasNoEscapeCode() {
    printed.screen(Style.PLAIN).line(Screen.Ink.BAD, "WRONG ", "it is not");
    printed.screen(Style.PIPE).line(Screen.Ink.HEADING, "[1/2] heading", "");
    assertThat(printed.text()).isEqualTo("WRONG it is not\n[1/2] heading\n");
  }

  @Test
  void draw_shorterText_leavesNothingOfTheLongerOne() {
    Screen screen = printed.screen(Style.PLAIN);
    screen.draw("a longer text");
    screen.draw("short");
    assertThat(printed.text()).isEqualTo("\ra longer text\rshort        ");
  }

  @Test
  void draw_sameText_isNotDrawnAgain() {
    Screen screen = printed.screen(Style.PLAIN);
    screen.draw("waits");
    screen.draw("waits");
    assertThat(printed.text()).isEqualTo("\rwaits");
  }

  @Test
  void draw_textWiderThanATerminal_staysInOneLine() {
    printed.screen(Style.PLAIN).draw("x".repeat(200));
    assertThat(printed.text()).hasSize(80).startsWith("\r");
  }

  @Test
  void line_overWhatIsDrawn_takesItsPlace() {
    Screen screen = printed.screen(Style.PLAIN);
    screen.draw("waits");
    screen.line("done");
    screen.line("more");
    assertThat(printed.text()).isEqualTo("\rwaits\r     \rdone\nmore\n");
  }
}

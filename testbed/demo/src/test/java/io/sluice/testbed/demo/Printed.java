package io.sluice.testbed.demo;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What screens have printed, instead of a terminal. */
final class Printed {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** A screen of that style that prints here. */
  Screen screen(Screen.Style style) {
    return new Screen(new PrintStream(bytes, true, StandardCharsets.UTF_8), style);
  }

  /** All that has been printed. */
  String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}

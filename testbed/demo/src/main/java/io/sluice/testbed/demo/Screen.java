package io.sluice.testbed.demo;

import java.io.Console;
import java.io.PrintStream;
import java.util.Map;

/**
 * The place that the demo prints on: lines, and on a terminal one more below them, which is drawn
 * over itself. For several threads.
 */
final class Screen {
  /** Narrower than any terminal: what is drawn over must not go on in a second line. */
  private static final int WIDTH = 79;

  private static final String BACK = "\r";
  private static final String USUAL = "\033[0m";

  private final PrintStream out;
  private final Style style;
  private String drawn = "";

  /** A way to print. */
  enum Style {
    /** To a file or another program: lines alone. */
    PIPE(false, false),
    /** To a terminal, without colours: no escape codes. */
    PLAIN(true, false),
    /** To a terminal, with colours. */
    COLOURED(true, true);

    private final boolean terminal;
    private final boolean coloured;

    Style(boolean terminal, boolean coloured) {
      this.terminal = terminal;
      this.coloured = coloured;
    }

    /**
     * The way that suits.
     *
     * @param terminal whether there is one
     * @param environment the process's: NO_COLOR, unless it is empty, and TERM count
     */
    static Style of(boolean terminal, Map<String, String> environment) {
      if (!terminal || environment.getOrDefault("TERM", "").equals("dumb")) {
        return PIPE;
      }
      return environment.getOrDefault("NO_COLOR", "").isEmpty() ? COLOURED : PLAIN;
    }
  }

  /** A meaning that some words of a line have. */
  enum Ink {
    HEADING("\033[1m"),
    GOOD("\033[32m"),
    BAD("\033[1;31m");

    private final String code;

    Ink(String code) {
      this.code = code;
    }
  }

  Screen(PrintStream out, Style style) {
    this.out = out;
    this.style = style;
  }

  /** That of this process. */
  static Screen standard() {
    Console console = System.console();
    boolean terminal = console != null && console.isTerminal();
    return new Screen(System.out, Style.of(terminal, System.getenv()));
  }

  /** Whether a line can be drawn over. */
  boolean isTerminal() {
    return style.terminal;
  }

  /** Prints a line. */
  synchronized void line(String text) {
    erase();
    out.println(text);
    out.flush();
  }

  /** Prints a line whose first words mean something. */
  void line(Ink ink, String words, String rest) {
    line(style.coloured ? ink.code + words + USUAL + rest : words + rest);
  }

  /** Draws the last line, where the one before it was drawn; it needs a terminal. */
  synchronized void draw(String text) {
    String line = text.substring(0, Math.min(WIDTH, text.length()));
    if (line.equals(drawn)) {
      return;
    }
    out.print(BACK + line + " ".repeat(Math.max(0, drawn.length() - line.length())));
    out.flush();
    drawn = line;
  }

  /** Leaves an empty line where one was drawn. */
  synchronized void erase() {
    if (!drawn.isEmpty()) {
      draw("");
      out.print(BACK);
      out.flush();
    }
  }
}

package io.sluice.sluicectl;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The page docs/errors.md, of which this program carries a copy: errors by their codes. */
final class ErrorsPage {
  private static final String PAGE = "errors.md";
  private static final String FIRST_CELL = "| SLU-";
  private static final int CELLS = 4;

  private ErrorsPage() {}

  /**
   * A line of the page.
   *
   * @param code stable code
   * @param meaning what did not happen
   * @param cause why it usually does not
   * @param remedy what to do about it
   */
  record Line(String code, String meaning, String cause, String remedy) {}

  /** All lines, by code, in the page's order. */
  static Map<String, Line> lines() {
    try (InputStream page = ErrorsPage.class.getResourceAsStream(PAGE)) {
      if (page == null) {
        throw new IllegalStateException("built without " + PAGE);
      }
      return parse(new String(page.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Map<String, Line> parse(String page) {
    Map<String, Line> lines = new LinkedHashMap<>();
    for (String text : page.lines().filter(l -> l.startsWith(FIRST_CELL)).toList()) {
      String[] cells = text.substring(2, text.length() - 2).split(" \\| ", -1);
      if (cells.length != CELLS) {
        throw new IllegalStateException("no line of " + PAGE + ": " + text);
      }
      lines.put(cells[0], new Line(cells[0], cells[1], cells[2], cells[3]));
    }
    return lines;
  }
}

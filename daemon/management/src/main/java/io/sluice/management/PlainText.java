package io.sluice.management;

/**
 * Text of others, such as the names that guests give their processes, as it may be printed: nothing
 * in it begins a line, moves a terminal's cursor, or turns the direction of what follows. Control
 * characters are those of Unicode: an 8-bit terminal takes U+0080 to U+009F for the beginnings of
 * commands.
 */
public final class PlainText {
  private PlainText() {}

  /** The text on one line, with a blank for each character that does more than show itself. */
  public static String of(String text) {
    if (text.codePoints().noneMatch(PlainText::acts)) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length());
    text.codePoints().forEach(c -> plain.appendCodePoint(acts(c) ? ' ' : c));
    return plain.toString();
  }

  private static boolean acts(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      default -> false;
    };
  }
}

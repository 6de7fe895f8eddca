package io.sluice.testbed.architecture;

import java.util.Locale;

/** The text of a manual page, in the macros of man(7). */
final class Roff {
  private final StringBuilder text = new StringBuilder();

  /** The page's head. */
  Roff(String name, int section, String purpose) {
    text.append(".\\\" Made by ManualPagesTest, which compares it; do not edit.\n");
    text.append(".TH ").append(name.toUpperCase(Locale.ROOT)).append(' ');
    text.append(section).append(" \"\" Sluice\n.SH NAME\n");
    text.append(escaped(name)).append(" \\- ").append(escaped(purpose)).append('\n');
  }

  Roff heading(String title) {
    text.append(".SH ").append(escaped(title)).append('\n');
    return this;
  }

  Roff subheading(String title) {
    text.append(".SS ").append(escaped(title)).append('\n');
    return this;
  }

  Roff paragraph(String words) {
    text.append(".PP\n").append(line(words)).append('\n');
    return this;
  }

  /** A term and what it means. */
  Roff term(String term, String meaning) {
    text.append(".TP\n\\fB").append(escaped(term)).append("\\fR\n");
    text.append(line(meaning)).append('\n');
    return this;
  }

  Roff item(String words) {
    text.append(".IP \\(bu 2\n").append(line(words)).append('\n');
    return this;
  }

  /** Lines as they are. */
  Roff verbatim(Iterable<String> lines) {
    text.append(".PP\n.nf\n");
    lines.forEach(line -> text.append(line(line)).append('\n'));
    text.append(".fi\n");
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }

  /** A line of words; {@code `x`} becomes bold, the text of a link is left of it. */
  private static String line(String words) {
    String marked =
        escaped(words)
            .replaceAll("\\[([^\\]]+)\\]\\([^)]*\\)", "$1")
            .replaceAll("`([^`]*)`", "\\\\fB$1\\\\fR")
            .replaceAll("\\*\\*([^*]*)\\*\\*", "\\\\fI$1\\\\fR");
    return marked.startsWith(".") || marked.startsWith("'") ? "\\&" + marked : marked;
  }

  private static String escaped(String words) {
    return words.replace("\\", "\\e").replace("-", "\\-").replace("…", "...");
  }
}

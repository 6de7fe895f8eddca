package io.sluice.testbed.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The manual page and the installed file of the configuration, made of docs/configuration.md. */
final class ConfigurationManual {
  static final String PAGE = "docs/configuration.md";

  private static final int WIDTH = 100;
  private static final String END = "## As a service";
  private static final Pattern ROW = Pattern.compile("^\\| `([a-z-]+)` \\| ([^|]*) \\| (.*) \\|$");
  private static final Pattern SECTION = Pattern.compile("^## `(\\[.*])`$");
  private static final Pattern LITERAL = Pattern.compile("`([^`A-Z]*|[0-9.]+[A-Za-z]+)`");

  /** What the package sets, since it makes these groups. */
  private static final Map<String, String> SET =
      Map.of("control-group", "sluice", "guest-group", "sluice-guest");

  private static final String INTRODUCTION =
      """
      # The configuration of sluiced; see sluice.toml(5). Files of /etc/sluice/conf.d that end in .toml are read after it.
      #
      # A line that is commented out shows a key with its default; an empty one has none, or one that depends on others.
      # Sizes have a unit (KiB, MiB, GiB, TiB), durations too (us, ms, s, min, h).
      #
      # sluiced --check-config looks for mistakes. sluicectl daemon reload reads it anew, and says what waits for a start.
      """;

  private final List<String> lines;

  /**
   * @param page the text of docs/configuration.md
   */
  ConfigurationManual(String page) {
    List<String> all = page.lines().toList();
    lines = all.subList(0, all.indexOf(END));
  }

  /** The page sluice.toml(5). */
  String page() {
    Roff page = new Roff("sluice.toml", 5, "configuration of sluiced");
    page.heading("DESCRIPTION");
    List<String> paragraph = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.startsWith("```")) {
        int from = i + 1;
        i = from + lines.subList(from, lines.size()).indexOf("```");
        page.verbatim(lines.subList(from, i));
      } else if (line.startsWith("## ")) {
        page.heading(line.substring(3).replace("`", ""));
      } else if (line.startsWith("|")) {
        row(page, line);
      } else if (line.isEmpty() || startsItem(line)) {
        flush(page, paragraph);
      }
      if (isText(line)) {
        paragraph.add(line);
      }
    }
    flush(page, paragraph);
    return page
        + """
        .SH FILES
        /etc/sluice/sluice.toml
        .br
        /etc/sluice/conf.d/*.toml
        .SH SEE ALSO
        .BR sluiced (8),
        .BR sluicectl (1)
        """;
  }

  private static boolean startsItem(String line) {
    return line.startsWith("* ") || line.matches("\\d\\. .*");
  }

  private static boolean isText(String line) {
    return !line.isEmpty()
        && !line.startsWith("#")
        && !line.startsWith("|")
        && !line.startsWith("```");
  }

  private static void flush(Roff page, List<String> paragraph) {
    if (!paragraph.isEmpty()) {
      String words = String.join(" ", paragraph.stream().map(String::strip).toList());
      if (startsItem(words)) {
        page.item(words.substring(words.indexOf(' ') + 1));
      } else {
        page.paragraph(words);
      }
      paragraph.clear();
    }
  }

  private static void row(Roff page, String line) {
    Matcher row = ROW.matcher(line);
    if (row.matches()) {
      page.term(row.group(1), row.group(3) + ". " + defaultOf(row.group(2)));
    }
  }

  private static String defaultOf(String cell) {
    return cell.equals("required") ? "Required." : "Default: " + cell + ".";
  }

  /** The file /etc/sluice/sluice.toml. */
  String file() {
    StringBuilder file = new StringBuilder(INTRODUCTION);
    for (String line : lines) {
      Matcher section = SECTION.matcher(line);
      Matcher row = ROW.matcher(line);
      if (section.matches()) {
        boolean used = section.group(1).equals("[daemon]");
        file.append('\n').append(used ? "" : "#").append(section.group(1)).append('\n');
      } else if (row.matches()) {
        key(file, row.group(1), row.group(2), row.group(3));
      }
    }
    return file.toString();
  }

  private static void key(StringBuilder file, String name, String cell, String meaning) {
    Matcher literal = LITERAL.matcher(cell);
    String value = literal.matches() ? literal.group(1) : "";
    file.append('\n');
    comment(file, plain(meaning) + "." + (literal.matches() ? "" : " " + plain(defaultOf(cell))));
    String set = SET.get(name);
    file.append(set == null ? "#" : "").append(name).append(" = \"");
    file.append(set == null ? value : set).append("\"\n");
  }

  private static void comment(StringBuilder file, String words) {
    StringBuilder line = new StringBuilder("#");
    for (String word : words.split(" ")) {
      if (line.length() + 1 + word.length() > WIDTH) {
        file.append(line).append('\n');
        line = new StringBuilder("#");
      }
      line.append(' ').append(word);
    }
    file.append(line).append('\n');
  }

  private static String plain(String words) {
    return words.replaceAll("\\[([^\\]]+)\\]\\([^)]*\\)", "$1").replace("`", "");
  }
}

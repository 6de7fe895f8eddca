package io.sluice.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/configuration.md and the program agree. */
final class ConfigurationPageTest {
  private static final Path PAGE =
      Path.of(System.getProperty("sluice.home", "../.."), "docs/configuration.md");
  private static final Pattern HEADING = Pattern.compile("^## `(\\[.*])`$");
  private static final Pattern ROW =
      Pattern.compile("^\\| `([a-z-]+)` \\| (?:`([^`]*)`|[^|]*) \\|.*");

  @TempDir private Path dir;

  @SuppressWarnings("NullAway.Init")
  private String page;

  @BeforeEach
  void read() throws IOException {
    page = Files.readString(PAGE);
  }

  @Test
  void page_tables_haveTheKeysOfTheSchema() {
    Set<String> expected = new TreeSet<>();
    for (KeySection section : Schema.SECTIONS) {
      section.keyNames().forEach(key -> expected.add(section.title() + " " + key));
    }
    Set<String> documented = new TreeSet<>();
    String title = "";
    for (String line : page.lines().toList()) {
      Matcher heading = HEADING.matcher(line);
      Matcher row = ROW.matcher(line);
      if (heading.matches()) {
        title = heading.group(1);
      } else if (row.matches()) {
        documented.add(title + " " + row.group(1));
      }
    }

    assertThat(documented).isEqualTo(expected);
  }

  @Test
  void page_namesTheKeysThatCanBeReloaded() {
    String section = page.substring(page.indexOf("## Reading it anew"));
    String list = section.substring(0, section.indexOf("\n## ", 1));
    for (String key : LiveKeys.names()) {
      assertThat(list).contains("`" + key.substring(key.lastIndexOf('.') + 1) + "`");
    }
  }

  @Test
  void page_tables_haveTheDefaultsOfTheSchema() {
    String title = "";
    for (String line : page.lines().toList()) {
      Matcher heading = HEADING.matcher(line);
      Matcher row = ROW.matcher(line);
      if (heading.matches()) {
        title = heading.group(1);
      } else if (row.matches()) {
        String where = title;
        Key<?> key =
            Schema.SECTIONS.stream()
                .filter(section -> section.title().equals(where))
                .flatMap(section -> section.key(row.group(1)).stream())
                .findFirst()
                .orElseThrow();
        if (!key.fallback().isEmpty()) {
          assertThat(row.group(2)).as(title + " " + key.name()).isEqualTo(key.fallback());
        }
      }
    }
  }

  @Test
  void page_example_isRight() throws Exception {
    int start = page.indexOf("```toml\n") + "```toml\n".length();
    Path file = dir.resolve("sluice.toml");
    Files.writeString(file, page.substring(start, page.indexOf("```", start)));

    assertThat(new ConfigLoader(Map.of(), Map.of()).load(file).guests())
        .extracting(GuestSettings::name)
        .containsExactly("web-01", "ml-02");
  }
}

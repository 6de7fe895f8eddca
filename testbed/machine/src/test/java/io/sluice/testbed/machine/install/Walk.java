package io.sluice.testbed.machine.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The blocks of docs/getting-started.md that a reader types. */
final class Walk {
  private static final Path PAGE =
      Path.of(System.getProperty("sluice.home", "../.."), "docs/getting-started.md");
  private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

  private Walk() {}

  /**
   * The blocks of a part.
   *
   * @param number as in its heading
   * @param count how many it has: who adds one decides where it is typed
   */
  static List<String> part(int number, int count) throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf("\n## " + number + ". ");
    int to = page.indexOf("\n## ", from + 1);
    List<String> blocks =
        BLOCK.matcher(page.substring(from, to)).results().map(block -> block.group(1)).toList();
    if (blocks.size() != count) {
      throw new AssertionError("part " + number + " has other blocks: " + blocks);
    }
    return blocks;
  }
}

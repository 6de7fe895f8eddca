package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files that hold what a command printed when somebody looked at it and found it right. {@code
 * -Dsluice.golden=write} writes them anew; look at the difference before you commit it.
 */
final class Golden {
  private static final Path DIRECTORY =
      Path.of(
          System.getProperty("sluice.home", "../.."), "daemon/sluicectl/src/test/resources/golden");

  private Golden() {}

  static void check(String name, String actual) throws IOException {
    Path file = DIRECTORY.resolve(name + ".txt");
    if (System.getProperty("sluice.golden", "").equals("write")) {
      Files.createDirectories(DIRECTORY);
      Files.writeString(file, actual);
    }
    assertThat(actual).isEqualTo(Files.readString(file));
  }
}

package io.sluice.sluicectl;

import io.sluice.management.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Where a report is written to: whole, or what was there stays. */
final class ReportFile {
  private ReportFile() {}

  /**
   * Writes it under another name first, unless it goes to what is no file, such as a pipe.
   *
   * @throws ProblemException when it cannot be written; nothing new is left then
   */
  static void write(Path file, String text) {
    boolean replaced = Files.notExists(file) || Files.isRegularFile(file);
    Path written = replaced ? file.resolveSibling(file.getFileName() + ".partial") : file;
    try {
      Files.writeString(written, text);
      if (replaced) {
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      if (replaced) {
        remove(written);
      }
      throw new ProblemException(
          new Problem(
              "SLU-CTL-011",
              "the report cannot be written to " + file,
              e.toString(),
              "see to its directory and its disk; without --html it is printed"),
          ExitCode.FAILED);
    }
  }

  private static void remove(Path partial) {
    try {
      Files.deleteIfExists(partial);
    } catch (IOException _) {
      // What is reported is why it could not be written.
    }
  }
}

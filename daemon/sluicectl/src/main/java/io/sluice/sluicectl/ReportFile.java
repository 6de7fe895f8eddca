package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The file of a report: written whole, or what was there stays. */
final class ReportFile {
  private ReportFile() {}

  /**
   * Writes it under another name first, unless it goes to what is no file, such as a pipe. Where a
   * symbolic link leads to a file, that is written.
   *
   * @throws ProblemException when it cannot be written; nothing new is left then
   */
  static void write(Path file, String text) {
    Path partial = null;
    try {
      Path target = Files.isRegularFile(file) ? file.toRealPath() : file; // a link stays one
      if (Files.notExists(file) || Files.isRegularFile(file)) {
        partial = target.resolveSibling(target.getFileName() + ".partial");
        Files.writeString(partial, text);
        Files.move(partial, target, StandardCopyOption.REPLACE_EXISTING);
      } else {
        Files.writeString(target, text);
      }
    } catch (IOException e) {
      if (partial != null) {
        remove(partial);
      }
      throw new ProblemException(
          Problem.of(
              ErrorCode.REPORT_FILE,
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

package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluicectl diag …}. */
final class DiagCommand extends Noun {
  DiagCommand(GlobalOptions global) {
    super(global, "diag", "What somebody who helps wants to see.");
  }

  @Command(
      name = "bundle",
      description = {
        "Gathers in a zip file what the daemon says of itself, its host, its guests and their last"
            + " moves, and its log where journalctl has it. Nothing of a guest's memory, no key and"
            + " no certificate. Also when the daemon does not answer."
      })
  int bundle(
      @Parameters(paramLabel = "FILE", description = "A new file, which only you can read.")
          Path file)
      throws IOException {
    try (OutputStream out = create(file)) {
      new DiagBundle(global).write(out);
    }
    global.output().text("look at " + file + " before you send it\n");
    return ExitCode.OK;
  }

  private static OutputStream create(Path file) {
    try {
      return Channels.newOutputStream(
          Files.newByteChannel(
              file,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
    } catch (IOException e) {
      String cause =
          switch (e) {
            case FileAlreadyExistsException _ -> "there is a file of that name";
            case NoSuchFileException _ -> "there is no such directory";
            case AccessDeniedException _ -> "permission denied";
            default -> String.valueOf(e.getMessage());
          };
      throw new ProblemException(
          Problem.of(ErrorCode.BUNDLE_FILE, "cannot write " + file, cause, "choose another file"),
          ExitCode.FAILED);
    }
  }
}

package io.sluice.daemon.runtime;

import io.sluice.abi.SluiceException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** The cause of a failure as an operator reads it: without the name of a class. */
public final class CauseText {
  private CauseText() {}

  public static String of(Throwable e) {
    return switch (e) {
      case SluiceException refused -> refused.what();
      case NoSuchFileException missing -> "there is no " + missing.getFile();
      case AccessDeniedException denied -> "permission denied: " + denied.getFile();
      case FileAlreadyExistsException there -> "something is there already: " + there.getFile();
      case FileSystemException other when other.getReason() != null ->
          other.getFile() + ": " + other.getReason();
      default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    };
  }

  /**
   * What to do about a failure that may say so itself.
   *
   * @param otherwise when it does not
   */
  public static String remedy(Exception e, String otherwise) {
    return e instanceof SluiceException refused && !refused.remedy().isEmpty()
        ? refused.remedy()
        : otherwise;
  }
}

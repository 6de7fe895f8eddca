package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.sluicectl.terminal.Signals;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The launcher of a CUDA program, run in this program's place: it has our standard streams, gets
 * the signals that are sent to us, and we exit as it does.
 *
 * @param launcher the program
 * @param library what it puts before the CUDA program
 */
record ProgramLauncher(Path launcher, Path library) {
  /** The words by which it is started. */
  List<String> words(String socket, List<String> command) {
    List<String> words =
        new ArrayList<>(
            List.of(
                launcher.toString(), "--socket", socket, "--library", library.toString(), "--"));
    words.addAll(command);
    return words;
  }

  /** Runs it until it has ended; its exit code, or 128 and the signal that ended it. */
  int run(String socket, List<String> command) throws InterruptedException {
    CompletableFuture<Process> started = new CompletableFuture<>();
    Signals.forward(started.thenApply(Process::pid));
    try {
      Process process = new ProcessBuilder(words(socket, command)).inheritIO().start();
      started.complete(process);
      return process.waitFor();
    } catch (IOException e) {
      throw new ProblemException(
          Problem.of(
              ErrorCode.PROGRAM_START,
              "cannot start " + launcher,
              String.valueOf(e.getMessage()),
              "see that it is a program of this machine; ./sluice build makes it anew"),
          ExitCode.FAILED);
    }
  }
}

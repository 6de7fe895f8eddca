package io.sluice.testbed.opencl;

import io.sluice.testbed.opencl.Commands.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A program of Debian, or a client of a library of Debian, and what of its results must be the same
 * in each run.
 *
 * @param packages of Debian that it needs
 * @param needs files without which it cannot run, or be built; the program first if it is not ours
 * @param command in an empty directory
 * @param compared a file that it writes, or nothing for what it prints
 * @param kept the lines that are compared
 * @param cut takes from a line what differs from run to run, such as times
 */
public record RealProgram(
    String name,
    String packages,
    List<Path> needs,
    List<String> command,
    String compared,
    Predicate<String> kept,
    UnaryOperator<String> cut) {

  /** What must be the same in each run. */
  public List<String> results(Path directory, Result result) throws IOException {
    List<String> lines =
        compared.isEmpty() ? result.output() : Files.readAllLines(directory.resolve(compared));
    return lines.stream().filter(kept).map(cut).toList();
  }

  /**
   * Builds it if it is ours.
   *
   * @param clients where those are built
   * @return whether it can run here
   */
  public boolean isReady(Path clients) throws IOException, InterruptedException {
    if (!needs.stream().allMatch(Files::exists)) {
      return false;
    }
    Path first = Path.of(command.getFirst());
    if (first.startsWith(clients)) {
      OpenClParts.make(Tree.module("clients"), "OUT=" + clients, first.toString());
    }
    return true;
  }

  /** The file that runs, once it is ready. */
  public Path file() {
    Path first = Path.of(command.getFirst());
    return first.isAbsolute() ? first : needs.getFirst();
  }

  @Override
  public String toString() {
    return name;
  }
}

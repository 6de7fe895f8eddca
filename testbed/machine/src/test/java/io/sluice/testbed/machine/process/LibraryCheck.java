package io.sluice.testbed.machine.process;

import io.sluice.testbed.checks.SanitizedProgram;
import io.sluice.testbed.checks.SanitizedProgram.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A checking program of the C library (guest-driver-stubs/lib/test), built with the library. */
final class LibraryCheck {
  private final Path directory;
  private final SanitizedProgram program;

  private LibraryCheck(Path directory, SanitizedProgram program) {
    this.directory = directory;
    this.program = program;
  }

  /**
   * @param directory where the program is put, and what it reads
   * @param name of the program
   */
  static LibraryCheck build(Path directory, String name) throws IOException, InterruptedException {
    Path library = SanitizedProgram.stubs().resolve("lib");
    List<String> arguments = new ArrayList<>(List.of("-pthread", library + "/test/" + name + ".c"));
    try (Stream<Path> files = Files.list(library)) {
      files.map(Path::toString).filter(file -> file.endsWith(".c")).forEach(arguments::add);
    }
    arguments.add("-lm");
    return new LibraryCheck(directory, SanitizedProgram.build(directory.resolve(name), arguments));
  }

  /** Runs the program with a device, a file that has these bytes, and more arguments. */
  Result run(Path device, byte[] file, String... rest) throws IOException, InterruptedException {
    Path path = Files.write(directory.resolve("module"), file);
    List<String> arguments = new ArrayList<>(List.of(device.toString(), path.toString()));
    arguments.addAll(List.of(rest));
    return program.run(arguments.toArray(String[]::new));
  }
}

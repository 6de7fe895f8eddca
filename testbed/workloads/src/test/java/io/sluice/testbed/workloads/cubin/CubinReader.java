package io.sluice.testbed.workloads.cubin;

import io.sluice.testbed.checks.SanitizedProgram;
import io.sluice.testbed.checks.SanitizedProgram.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A reader of cubins of the guest's side, as a program of this host. */
final class CubinReader {
  private final SanitizedProgram program;

  private CubinReader(SanitizedProgram program) {
    this.program = program;
  }

  /** The library's, of sm_20. */
  static CubinReader build(Path directory) throws IOException, InterruptedException {
    return build(
        directory,
        "lib/elf_file.c",
        "lib/cubin.c",
        "lib/cubin_images.c",
        "lib/cubin_link.c",
        "lib/fatbin.c",
        "lib/test/cubin_check.c");
  }

  /** That of the program hopper, of sm_90. */
  static CubinReader buildHopper(Path directory) throws IOException, InterruptedException {
    return build(directory, "programs/gh100/kernel.c", "programs/gh100/test/kernel_check.c");
  }

  private static CubinReader build(Path directory, String... sources)
      throws IOException, InterruptedException {
    Path stubs = SanitizedProgram.stubs();
    List<String> arguments = new ArrayList<>(List.of("-I" + stubs.resolve("lib")));
    for (String source : sources) {
      arguments.add(stubs.resolve(source).toString());
    }
    return new CubinReader(SanitizedProgram.build(directory.resolve("check"), arguments));
  }

  /**
   * @param rest more arguments, as the program wants them
   */
  Result read(Path file, String... rest) throws IOException, InterruptedException {
    return run(List.of(file.toString()), rest);
  }

  /** Reads a file and loads it to addresses of the program's own. */
  Result link(Path file) throws IOException, InterruptedException {
    return program.run("--link", file.toString());
  }

  /** The program, waiting for files. */
  Process serve() throws IOException {
    return program.start("--serve");
  }

  Result fuzz(long seed, int rounds, Path file, String... rest)
      throws IOException, InterruptedException {
    return run(
        List.of("--fuzz", Long.toUnsignedString(seed), Integer.toString(rounds), file.toString()),
        rest);
  }

  private Result run(List<String> first, String... rest) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(first);
    Collections.addAll(arguments, rest);
    return program.run(arguments.toArray(String[]::new));
  }
}

package io.sluice.testbed.workloads.cubin;

import io.sluice.testbed.workloads.Kernels;
import io.sluice.testbed.workloads.asm.Assembler;
import io.sluice.testbed.workloads.asm.AssemblyException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The program that writes cubins, one for each file of kernels: {@code CubinTool DIRECTORY
 * [FILE]...}.
 */
public final class CubinTool {
  private static final int USAGE = 64;
  private static final int WRONG_SOURCE = 65;

  private CubinTool() {}

  /** Writes those of the files, or without any those of {@link Kernels#FILES}. */
  public static void main(String[] arguments) throws IOException {
    System.exit(run(List.of(arguments), System.err));
  }

  static int run(List<String> arguments, PrintStream err) throws IOException {
    if (arguments.isEmpty()) {
      err.println("usage: CubinTool DIRECTORY [FILE]...");
      return USAGE;
    }
    Path directory = Files.createDirectories(Path.of(arguments.getFirst()));
    List<String> sources = arguments.subList(1, arguments.size());
    if (sources.isEmpty()) {
      for (String name : Kernels.FILES) {
        Files.write(directory.resolve(name + ".cubin"), Cubin.write(Kernels.file(name)));
      }
    }
    for (String source : sources) {
      Path path = Path.of(source);
      try {
        byte[] cubin = Cubin.write(Assembler.assemble(Files.readString(path)));
        Files.write(directory.resolve(cubinOf(path)), cubin);
      } catch (AssemblyException e) {
        err.println(source + ": " + e.getMessage());
        return WRONG_SOURCE;
      }
    }
    return 0;
  }

  private static String cubinOf(Path source) {
    String name = String.valueOf(source.getFileName());
    int end = name.lastIndexOf('.');
    return (end > 0 ? name.substring(0, end) : name) + ".cubin";
  }
}

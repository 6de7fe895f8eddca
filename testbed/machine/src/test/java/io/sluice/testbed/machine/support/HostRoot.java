package io.sluice.testbed.machine.support;

import io.sluice.testbed.opencl.Commands;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A root directory with programs of this host and what they need, which a machine has by 9p: for
 * programs that are too large for its image. {@code in-share} runs a command in it.
 */
public final class HostRoot {
  /** Where a machine mounts it, as {@code in-share} wants it. */
  public static final String IN_MACHINE = "/share";

  /** What {@code in-share} and scripts of programs call. */
  private static final List<String> TOOLS =
      List.of(
          "/bin/sh",
          "/bin/cat",
          "/bin/mkdir",
          "/bin/sed",
          "/usr/bin/sort",
          "/usr/bin/env",
          "/usr/bin/setpriv");

  /** Some programs want to know where their user is at home. */
  private static final String USERS = "root:x:0:0:root:/tmp:/bin/sh\n";

  private static final String SUFFIX = ".so";

  private final Path directory;

  /** An empty one, but for the tools of scripts and our driver. */
  public HostRoot(Path directory, OpenClParts parts) throws IOException, InterruptedException {
    this.directory = directory;
    for (String name : List.of("dev", "proc", "sys", "tmp", "run")) {
      Files.createDirectories(directory.resolve(name));
    }
    for (String tool : TOOLS) {
      addProgram(Path.of(tool));
    }
    parts.installIn(directory);
    Path _ = Files.writeString(directory.resolve("etc/passwd"), USERS);
    addLibraries(List.of(Path.of("/usr/bin/clinfo")));
  }

  public Path directory() {
    return directory;
  }

  /** A program, with the libraries that it is linked to. */
  public void addProgram(Path program) throws IOException, InterruptedException {
    copy("-aL", List.of(program));
    addLibraries(List.of(program));
  }

  /** A directory or file, with the libraries that what is in it is linked to. */
  public void addTree(Path tree) throws IOException, InterruptedException {
    copy("-a", List.of(tree));
    List<Path> modules;
    try (Stream<Path> files = Files.walk(tree)) {
      modules = files.filter(file -> file.toString().endsWith(SUFFIX)).toList();
    }
    addLibraries(modules);
  }

  private void addLibraries(List<Path> programs) throws IOException, InterruptedException {
    TreeSet<Path> libraries = new TreeSet<>();
    for (Path program : programs) {
      OpenClParts.libraries(program).forEach(library -> libraries.add(Path.of(library)));
    }
    if (!libraries.isEmpty()) {
      copy("-aL", List.copyOf(libraries));
    }
  }

  private void copy(String how, List<Path> files) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("cp", how, "--parents"));
    files.forEach(file -> command.add(file.toString()));
    command.add(directory.toString());
    Result result = Commands.run(Path.of("/"), Map.of(), command);
    if (result.code() != 0) {
      throw new IOException(result.errors());
    }
  }
}

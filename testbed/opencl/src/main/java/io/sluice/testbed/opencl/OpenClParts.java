package io.sluice.testbed.opencl;

import io.sluice.testbed.opencl.Commands.Result;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The parts that OpenCL in a session takes, built from source: our driver, and the programs of this
 * module, which any OpenCL runs.
 *
 * @param directory where they lie
 */
public record OpenClParts(Path directory) {
  /** Where Debian's loader finds the implementations of this machine. */
  public static final Path NATIVE_VENDORS = Path.of("/etc/OpenCL/vendors");

  /** Where {@link #imageArguments} puts our programs in a machine. */
  public static final String IN_MACHINE = "/opt/opencl/";

  private static final Path CLINFO = Path.of("/usr/bin/clinfo");
  private static final String DRIVER = "libsluice-opencl.so";

  /** A library of {@code ldd}'s: its name and path, or the loader's path alone. */
  private static final Pattern LIBRARY = Pattern.compile("(?:=> |^\\s*)(/\\S+) \\(0x[0-9a-f]+\\)$");

  /** Why this host cannot have them; empty when it can. */
  public static String whyNot() {
    List<String> missing = new ArrayList<>();
    if (!hasImplementation()) {
      missing.add("pocl-opencl-icd, or another implementation of OpenCL");
    }
    if (!Files.exists(Path.of("/usr/include/CL/cl_icd.h"))) {
      missing.add("opencl-c-headers");
    }
    if (Stream.of("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")
        .noneMatch(place -> Files.exists(Path.of(place, "libOpenCL.so")))) {
      missing.add("ocl-icd-opencl-dev");
    }
    for (String program : List.of("gcc", "make", "clinfo")) {
      if (Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
          .noneMatch(place -> Files.isExecutable(Path.of(place, program)))) {
        missing.add(program);
      }
    }
    return missing.isEmpty() ? "" : "not installed here: " + String.join("; ", missing);
  }

  private static boolean hasImplementation() {
    try (Stream<Path> files = Files.list(NATIVE_VENDORS)) {
      return files.anyMatch(file -> file.toString().endsWith(".icd"));
    } catch (IOException _) {
      return false;
    }
  }

  /**
   * Builds them, or what is out of date of them.
   *
   * @param directory where they shall lie
   * @param programs by name; all when there is none
   * @throws IOException with the compiler's words
   */
  public static OpenClParts build(Path directory, String... programs)
      throws IOException, InterruptedException {
    OpenClParts parts = new OpenClParts(directory);
    List<String> targets = new ArrayList<>();
    targets.add("OUT=" + Files.createDirectories(directory.resolve("programs")));
    Stream.of(programs).map(name -> parts.program(name).toString()).forEach(targets::add);
    make(Tree.programs(), targets.toArray(String[]::new));
    make(
        Tree.driver(),
        "OUT=" + Files.createDirectories(directory.resolve("driver")),
        "GENERATED=" + Tree.generated());
    vendors(directory.resolve("vendors"), parts.driver().toString());
    vendors(directory.resolve("machine-vendors"), "/usr/lib/" + DRIVER);
    return parts;
  }

  private static void vendors(Path directory, String driver) throws IOException {
    Path file = Files.createDirectories(directory).resolve("sluice.icd");
    Path _ = Files.writeString(file, driver + "\n");
  }

  /** Runs make there, with variables and targets. */
  static void make(Path place, String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("make", "-s", "-j2", "-C", place.toString()));
    command.addAll(List.of(words));
    Result result = Commands.run(place, Map.of(), command);
    if (result.code() != 0) {
      throw new IOException(String.join(" ", command) + "\n" + result.errors());
    }
  }

  /** Names of the programs that print the same natively and remoted, and of the workloads. */
  public static List<String> programs() throws IOException {
    List<String> names = new ArrayList<>();
    for (String directory : List.of("programs", "workloads")) {
      try (Stream<Path> files = Files.list(Tree.module(directory))) {
        files
            .map(path -> path.getFileName().toString())
            .filter(name -> name.endsWith(".c") && !name.equals("check.c"))
            .map(name -> name.substring(0, name.length() - 2))
            .forEach(names::add);
      }
    }
    names.sort(null);
    return names;
  }

  /** Our driver. */
  Path driver() {
    return directory.resolve("driver").resolve(DRIVER);
  }

  /** The path of a program that was built. */
  public Path program(String name) {
    return directory.resolve("programs").resolve(name);
  }

  /** A directory for the loader that names our driver and nothing else. */
  public Path vendors() {
    return directory.resolve("vendors");
  }

  /** Runs a command with the implementations of this machine. */
  public Result natively(Path work, List<String> command) throws IOException, InterruptedException {
    return Commands.run(work, Map.of("OCL_ICD_VENDORS", NATIVE_VENDORS.toString()), command);
  }

  /**
   * Arguments of image.sh for a machine that has our driver, this host's loader and clinfo with the
   * libraries they need, and programs of ours.
   *
   * @param programs by name
   */
  public List<String> imageArguments(List<String> programs)
      throws IOException, InterruptedException {
    return imageArguments(programs, List.of());
  }

  /**
   * As the other.
   *
   * @param others programs of this host's distribution, which come to {@code /bin}
   */
  public List<String> imageArguments(List<String> programs, List<Path> others)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    TreeSet<String> libraries = new TreeSet<>();
    add(arguments, driver(), "/usr/lib/" + DRIVER);
    add(arguments, directory.resolve("machine-vendors/sluice.icd"), NATIVE_VENDORS + "/sluice.icd");
    add(arguments, CLINFO, "/bin/clinfo");
    libraries.addAll(libraries(CLINFO));
    libraries.addAll(libraries(driver()));
    for (String name : programs) {
      add(arguments, program(name), IN_MACHINE + name);
      libraries.addAll(libraries(program(name)));
    }
    for (Path other : others) {
      add(arguments, other, "/bin/" + other.getFileName());
      libraries.addAll(libraries(other));
    }
    libraries.forEach(library -> add(arguments, Path.of(library), library));
    return arguments;
  }

  private static void add(List<String> arguments, Path file, String inMachine) {
    arguments.addAll(List.of("--add", file + ":" + inMachine));
  }

  /** Puts our driver into a root directory, for the loader that finds it there. */
  public void installIn(Path root) throws IOException {
    Path library = root.resolve("usr/lib").resolve(DRIVER);
    Path vendor = root.resolve(NATIVE_VENDORS.toString().substring(1)).resolve("sluice.icd");
    Files.createDirectories(library.getParent());
    Files.createDirectories(vendor.getParent());
    Path _ = Files.copy(driver(), library);
    Path _ = Files.copy(directory.resolve("machine-vendors/sluice.icd"), vendor);
  }

  /** Paths of the libraries that a program of this host is linked to. */
  public static List<String> libraries(Path program) throws IOException, InterruptedException {
    Result result = Commands.run(Path.of("/"), Map.of(), List.of("ldd", program.toString()));
    return result.output().stream()
        .map(LIBRARY::matcher)
        .filter(Matcher::find)
        .map(match -> match.group(1))
        .toList();
  }
}

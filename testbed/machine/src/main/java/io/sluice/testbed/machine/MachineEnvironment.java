package io.sluice.testbed.machine;

import io.sluice.testbed.workloads.Kernels;
import io.sluice.testbed.workloads.cubin.Cubin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The QEMU root and the scripts of testbed/vm, as the launcher hands them over by the system
 * properties {@code sluice.vm.root} and {@code sluice.vm.scripts}.
 *
 * @param root the root directory that has QEMU, kernel and compilers
 * @param scripts directory of image.sh and qemu.sh
 */
public record MachineEnvironment(Path root, Path scripts) {
  private static final int BUILD_TIMEOUT_SECONDS = 300;

  private static final String PACKED_IMAGE = "image";

  /** Where the guest's programs look for their kernels. */
  private static final String CUBIN_DIRECTORY = "/usr/share/sluice/";

  /** The environment, if the launcher found or made one. */
  public static Optional<MachineEnvironment> find() {
    String root = System.getProperty("sluice.vm.root", "");
    String scripts = System.getProperty("sluice.vm.scripts", "");
    return root.isEmpty() || scripts.isEmpty()
        ? Optional.empty()
        : Optional.of(new MachineEnvironment(Path.of(root), Path.of(scripts)));
  }

  /** Why there is none, for a test that is skipped. */
  public static String absence() {
    return "no machine environment: run ./sluice test, not mvn, to have one made";
  }

  /** Whether it was packed for another machine, so that QEMU sees that one's own root directory. */
  public boolean isPacked() {
    return Files.isDirectory(root.resolve(PACKED_IMAGE));
  }

  /**
   * Builds, or finds cached, the guest image: kernel module, library and programs of
   * guest-driver-stubs, and the kernels of testbed/workloads as cubins. A root that was packed for
   * another machine has its image in it.
   *
   * @return its directory
   */
  public Path image() throws IOException, InterruptedException {
    return isPacked() ? root.resolve(PACKED_IMAGE) : image(List.of());
  }

  /**
   * The guest image with more arguments for image.sh.
   *
   * @throws IOException with the end of what the script said, when it fails
   */
  public Path image(List<String> arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(scripts.resolve("image.sh").toString(), "--root", root.toString()));
    command.addAll(arguments);
    Path directory = Files.createTempDirectory("sluice-image");
    try {
      command.addAll(cubins(directory));
      return run(command, directory.resolve("errors"));
    } finally {
      delete(directory);
    }
  }

  /** Arguments that put the kernels where the guest's programs look for them. */
  private static List<String> cubins(Path directory) throws IOException {
    List<String> arguments = new ArrayList<>();
    for (String name : Kernels.FILES) {
      Path file = directory.resolve(name + ".cubin");
      Files.write(file, Cubin.write(Kernels.file(name)));
      arguments.addAll(List.of("--add", file + ":" + CUBIN_DIRECTORY + file.getFileName()));
    }
    return arguments;
  }

  private static Path run(List<String> command, Path errors)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectError(errors.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    String printed =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (!process.waitFor(BUILD_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("image.sh did not end within " + BUILD_TIMEOUT_SECONDS + " s");
    }
    if (process.exitValue() != 0) {
      throw new IOException(
          "image.sh exited %d: %s".formatted(process.exitValue(), Files.readString(errors)));
    }
    return Path.of(printed);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}

package io.sluice.testbed.opencl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An implementation of OpenCL of another make than the machine's first, of a package of Debian's,
 * that computes on processors as well.
 *
 * @param debianPackage that has it
 * @param library that the loader opens
 * @param variables that it needs to have a device here
 */
public record OtherMake(
    String name, String debianPackage, Path library, Map<String, String> variables) {
  /** Those that are known. Only the second is what applications find once it is installed. */
  public static final List<OtherMake> ALL =
      List.of(
          new OtherMake(
              "oclgrind", "oclgrind", Path.of("/usr/lib/oclgrind/liboclgrind-rt-icd.so"), Map.of()),
          new OtherMake(
              "rusticl",
              "mesa-opencl-icd",
              Path.of("/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1"),
              Map.of("RUSTICL_ENABLE", "llvmpipe")));

  /** Whether this machine has it. */
  public boolean isInstalled() {
    return Files.exists(library);
  }

  /** A new directory for the loader that names this and nothing else. */
  public Path vendors(Path parent) throws IOException {
    Path vendors = Files.createDirectory(parent.resolve(name));
    Path _ = Files.writeString(vendors.resolve(name + ".icd"), library + "\n");
    return vendors;
  }

  @Override
  public String toString() {
    return name;
  }
}

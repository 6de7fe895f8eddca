package io.sluice.testbed.opencl;

import java.nio.file.Files;
import java.nio.file.Path;

/** The places of the source tree that these tests build and run. */
final class Tree {
  private Tree() {}

  /** The C programs of this module. */
  static Path programs() {
    return root().resolve("testbed/opencl/programs");
  }

  /** The OpenCL driver of guests. */
  static Path driver() {
    return root().resolve("guest-driver-stubs/opencl");
  }

  /** The directory of the header that the driver includes; the build of api-opencl writes it. */
  static Path generated() {
    return root().resolve("api-remoting/opencl/target/generated-c");
  }

  /** A directory of this module. */
  static Path module(String name) {
    return root().resolve("testbed/opencl").resolve(name);
  }

  private static Path root() {
    String said = System.getProperty("sluice.home", "");
    if (!said.isEmpty()) {
      return Path.of(said);
    }
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve("testbed/opencl/programs/check.h"))) {
        return at;
      }
    }
    throw new AssertionError("no testbed/opencl above the working directory");
  }
}

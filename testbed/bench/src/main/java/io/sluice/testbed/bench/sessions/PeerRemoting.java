package io.sluice.testbed.bench.sessions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Another remoting of OpenCL, such as PoCL-Remote: a directory with the {@code .icd} file of its
 * driver and, if that needs any, a file {@code environment} of lines {@code VARIABLE=VALUE}. Its
 * server is whoever's who compares.
 */
final class PeerRemoting {
  private static final String ENVIRONMENT = "environment";

  private PeerRemoting() {}

  /** What a program needs in its environment to use it. */
  static Map<String, String> environment(Path peer) throws IOException {
    Map<String, String> variables = new LinkedHashMap<>();
    Path file = peer.resolve(ENVIRONMENT);
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        int at = line.indexOf('=');
        if (at <= 0) {
          throw new IOException(file + " has a line that is not VARIABLE=VALUE: " + line);
        }
        variables.put(line.substring(0, at), line.substring(at + 1));
      }
    }
    variables.put("OCL_ICD_VENDORS", peer.toString());
    return variables;
  }
}

package io.sluice.testbed.bench.migration;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * XXH3 in C, by the libxxhash of this machine, if there is one and a C compiler.
 *
 * @param narrow GB/s of a core, 64 bits a page
 * @param wide likewise, 128 bits
 */
record XxhPeer(double narrow, double wide) {
  private static final String SOURCE = "xxh3_peer.c";
  private static final List<String> DIRECTORIES =
      List.of("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib64");
  private static final int SECONDS = 120;

  /**
   * Compiles and runs it.
   *
   * @param directory for its files
   * @return empty where there is no library or compiler
   */
  static Optional<XxhPeer> run(Path directory, int samples)
      throws IOException, InterruptedException {
    Optional<Path> library = library();
    if (library.isEmpty() || !Files.isExecutable(Path.of("/usr/bin/gcc"))) {
      return Optional.empty();
    }
    Path source = directory.resolve(SOURCE);
    try (InputStream text = XxhPeer.class.getResourceAsStream(SOURCE)) {
      if (text == null) {
        throw new IOException(SOURCE + " is not among our resources");
      }
      long _ = Files.copy(text, source);
    }
    Path program = directory.resolve("xxh3_peer");
    String _ =
        said(
            List.of(
                "gcc",
                "-O2",
                "-o",
                program.toString(),
                source.toString(),
                library.get().toString()));
    String[] rates = said(List.of(program.toString(), Integer.toString(samples))).split(" ");
    return Optional.of(new XxhPeer(Double.parseDouble(rates[0]), Double.parseDouble(rates[1])));
  }

  private static Optional<Path> library() throws IOException {
    for (String directory : DIRECTORIES) {
      if (!Files.isDirectory(Path.of(directory))) {
        continue;
      }
      try (Stream<Path> files = Files.list(Path.of(directory))) {
        Optional<Path> found =
            files.filter(file -> file.toString().contains("/libxxhash.so")).findFirst();
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static String said(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + ": " + said);
    }
    return said;
  }
}

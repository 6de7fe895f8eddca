package io.sluice.testbed.bench.results;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The machine and tree that a recording is of, as they say of themselves. */
public final class ThisMachine {
  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
  private static final Path LOAD = Path.of("/proc/loadavg");
  private static final String MODEL = "model name";

  private ThisMachine() {}

  /** Processors, their model, kernel and Java. */
  public static String description() throws IOException {
    String model =
        Files.readAllLines(PROCESSORS).stream()
            .filter(line -> line.startsWith(MODEL))
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElse("unknown processor");
    return String.format(
        Locale.ROOT,
        "%d x %s, Linux %s, Java %d",
        Runtime.getRuntime().availableProcessors(),
        model,
        System.getProperty("os.version", "?").replaceFirst("^([0-9]+\\.[0-9]+).*", "$1"),
        Runtime.version().feature());
  }

  /** The load average of the last minute. */
  public static String load() throws IOException {
    return "load " + Files.readString(LOAD).split(" ")[0];
  }

  /**
   * The tree's commit, with a + behind it if it has uncommitted changes; "unknown" outside a
   * repository.
   */
  public static String commit(Path home) throws IOException, InterruptedException {
    String described = git(home, "rev-parse", "--short", "HEAD");
    if (described.isEmpty()) {
      return "unknown";
    }
    boolean changed = !git(home, "status", "--porcelain", "--untracked-files=no").isEmpty();
    return changed ? described + "+" : described;
  }

  private static String git(Path home, String... arguments)
      throws IOException, InterruptedException {
    String[] command = new String[arguments.length + 3];
    command[0] = "git";
    command[1] = "-C";
    command[2] = home.toString();
    System.arraycopy(arguments, 0, command, 3, arguments.length);
    Process process;
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException e) {
      return ""; // no git here
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0 ? output.strip() : "";
  }
}

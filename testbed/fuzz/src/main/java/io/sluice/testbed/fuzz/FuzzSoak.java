package io.sluice.testbed.fuzz;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The fuzz targets, each fuzzed for its time in a process of its own. */
public final class FuzzSoak {
  private static final Path HOME = Path.of(System.getProperty("sluice.home", ""));
  private static final long DEFAULT_SECONDS = TimeUnit.HOURS.toSeconds(1);

  /** An input that takes longer is a finding. */
  private static final int INPUT_SECONDS = 60;

  /** The classes whose coverage leads the fuzzer: ours, and the parsers that we call. */
  private static final String LED_BY = "io.sluice.**:org.tomlj.**:picocli.**:tools.jackson.**";

  private static final int USAGE = 64;
  private static final int UNAVAILABLE = 69;

  private FuzzSoak() {}

  /** {@code fuzz [--hours H | --seconds S] [TARGET...]}. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    long seconds = 0;
    List<String> labels = new ArrayList<>();
    List<FuzzTarget> targets = List.of();
    try {
      for (int i = 0; i < arguments.length; i++) {
        switch (arguments[i]) {
          case "--hours" ->
              seconds = (long) (Double.parseDouble(value(arguments, ++i)) * DEFAULT_SECONDS);
          case "--seconds" -> seconds = -Long.parseLong(value(arguments, ++i));
          default -> labels.add(arguments[i]);
        }
      }
      targets = FuzzTarget.of(labels);
    } catch (IllegalArgumentException e) {
      System.err.println("sluice soak: " + e.getMessage());
      System.err.println(
          "usage: soak fuzz [--hours H | --seconds S] [TARGET...]; for H hours in all, 1 if it is"
              + " not said, or S seconds each; targets:");
      for (FuzzTarget target : FuzzTarget.values()) {
        System.err.println("  " + target.label());
      }
      System.exit(USAGE);
    }
    long all = seconds > 0 ? seconds : DEFAULT_SECONDS;
    long each = seconds < 0 ? -seconds : Math.max(1, all / targets.size());
    System.exit(run(targets, each));
  }

  private static String value(String[] arguments, int at) {
    if (at == arguments.length) {
      throw new IllegalArgumentException(arguments[at - 1] + " takes a number");
    }
    return arguments[at];
  }

  private static int run(List<FuzzTarget> targets, long seconds)
      throws IOException, InterruptedException {
    List<String> failed = new ArrayList<>();
    for (FuzzTarget target : targets) {
      Path paths = HOME.resolve(target.module()).resolve("target/fuzz.classpath");
      if (!Files.exists(paths)) {
        System.err.println("sluice soak: " + paths + " is not there; ./sluice soak fuzz makes it");
        return UNAVAILABLE;
      }
      FuzzerOutput output = fuzz(target, Files.readString(paths).strip(), seconds);
      System.out.println(output.text(target.label()));
      String finding = output.finding();
      if (finding != null) {
        failed.add(target.label() + ": " + finding + " " + output.inputs());
      } else if (output.runs() == 0) {
        failed.add(target.label() + ": it did not run; " + log(target) + " says why");
      }
    }
    failed.forEach(text -> System.out.println("soak: FAILED " + text));
    System.out.println(failed.isEmpty() ? "soak: ok" : "soak: " + failed.size() + " failed");
    return failed.isEmpty() ? 0 : 1;
  }

  private static Path directory(FuzzTarget target) {
    return HOME.resolve("target/fuzz").resolve(target.label());
  }

  private static Path log(FuzzTarget target) {
    return directory(target).resolve("log");
  }

  /** All on the class path: what a module hides, its tests see all the same. */
  private static FuzzerOutput fuzz(FuzzTarget target, String libraries, long seconds)
      throws IOException, InterruptedException {
    Path module = HOME.resolve(target.module()).toAbsolutePath();
    String path = module.resolve("target/classes") + ":" + module.resolve("target/test-classes");
    Path directory = Files.createDirectories(directory(target));
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:+EnableDynamicAgentLoading",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Xmx1g",
                "-Dsluice.home=" + HOME.toAbsolutePath(),
                "-cp",
                path + ":" + libraries,
                "com.code_intelligence.jazzer.Jazzer",
                "--instrumentation_includes=" + LED_BY,
                "--target_class=" + target.className(),
                "--target_method=" + target.method(),
                "-timeout=" + INPUT_SECONDS,
                "-max_total_time=" + seconds)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    FuzzerOutput output = new FuzzerOutput();
    try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        var log = Files.newBufferedWriter(log(target))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        output.take(line);
        log.write(line);
        log.newLine();
      }
    }
    int _ = process.waitFor();
    return output;
  }
}

package io.sluice.testbed.bench.sessions;

import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.results.Figure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * R10: lines of code that are written by hand for OpenCL, a function of its header. What the
 * generator writes is not counted, nor what is the same for each API.
 */
public final class CodeBench implements Measurement {
  private static final String ID = "R10";
  private static final double GOAL = 5;

  /** A line of the driver's table. */
  private static final Pattern FUNCTION = Pattern.compile("\\t\\.cl\\w+ = cl\\w+,");

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String title() {
    return "sessions: lines written by hand for a function of OpenCL";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    Path root = Path.of(System.getProperty("sluice.home", "."));
    Path remoting = root.resolve("api-remoting");
    Path driver = root.resolve("guest-driver-stubs/opencl");
    long functions = functions(driver.resolve("dispatch.c"));
    long spec =
        CodeLines.ofText(remoting.resolve("spec/opencl.calls"))
            + CodeLines.ofText(remoting.resolve("spec/opencl.functions"));
    long library = CodeLines.below(driver, ".c", ".h");
    long host = CodeLines.below(remoting.resolve("opencl/src/main/java"), ".java");
    long shared =
        CodeLines.below(remoting.resolve("generator/src/main/java"), ".java")
            + CodeLines.below(remoting.resolve("session/src/main/java"), ".java");
    return List.of(
        Figure.info(ID, "functions that the driver has", functions, ""),
        Figure.info(ID, "their specification", spec, "lines"),
        Figure.info(ID, "the driver, C", library, "lines"),
        Figure.info(ID, "the session host's part, Java", host, "lines"),
        Figure.info(ID, "generator and sessions, the same for each API", shared, "lines"),
        Figure.atMost(
            ID, "a function", (spec + library + host) / (double) functions, "lines", GOAL));
  }

  private static long functions(Path table) throws IOException {
    return Files.readAllLines(table).stream()
        .filter(line -> FUNCTION.matcher(line).matches())
        .count();
  }
}

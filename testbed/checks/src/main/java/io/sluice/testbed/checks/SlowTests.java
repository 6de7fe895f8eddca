package io.sluice.testbed.checks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The list of tests that took longer than 30 seconds, without what is done around them, and do not
 * say why ({@link TakesLong}). No test fails for its time, which on a busy machine says nothing
 * about it. So each line has the part of it in which nothing on the machine was kept waiting, and
 * the machine's load: {@code ./sluice test} fails in the end for what took long though it was not
 * disturbed, and {@code ./sluice test --slow} shows the list of the last run.
 *
 * <p>Found by JUnit as {@link LeakCheck} is.
 */
public final class SlowTests implements BeforeTestExecutionCallback, AfterTestExecutionCallback {
  /** System property: the file that lines are added to; none are without it. */
  static final String FILE = "sluice.slow-tests";

  private static final Path PROC = Path.of("/proc");
  private static final long LIMIT_NS = 30_000_000_000L;
  private static final long NS_PER_S = 1_000_000_000;
  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(SlowTests.class);

  /**
   * The begin of a test.
   *
   * @param disturbedNs {@link Disturbance#totalNs}
   */
  record Begun(long atNs, OptionalLong disturbedNs) {}

  private final LongSupplier clock;
  private final Path proc;
  private final Disturbance disturbance;
  private final String file;

  /** As JUnit makes it. */
  public SlowTests() {
    this(System::nanoTime, PROC, System.getProperty(FILE, ""));
  }

  SlowTests(LongSupplier clock, Path proc, String file) {
    this.clock = clock;
    this.proc = proc;
    disturbance = new Disturbance(proc);
    this.file = file;
  }

  @Override
  public void beforeTestExecution(ExtensionContext context) {
    context.getStore(SPACE).put(FILE, begin());
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    Begun begun = context.getStore(SPACE).get(FILE, Begun.class);
    if (begun != null && !file.isEmpty()) {
      end(begun, context.getRequiredTestMethod(), context.getRequiredTestClass());
    }
  }

  Begun begin() {
    return new Begun(clock.getAsLong(), disturbance.totalNs());
  }

  void end(Begun begun, AnnotatedElement test, Class<?> of) {
    long tookNs = clock.getAsLong() - begun.atNs();
    if (tookNs <= LIMIT_NS
        || test.isAnnotationPresent(TakesLong.class)
        || of.isAnnotationPresent(TakesLong.class)) {
      return;
    }
    try {
      String load = Files.readString(proc.resolve("loadavg")).split(" ", 2)[0];
      String line =
          String.format(
              "%d s, %d s undisturbed, load %s: %s%n",
              tookNs / NS_PER_S, undisturbedNs(begun, tookNs) / NS_PER_S, load, test);
      Path list = Path.of(file);
      Path directory = list.getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      Files.writeString(list, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** None where the kernel does not say. */
  private long undisturbedNs(Begun begun, long tookNs) {
    OptionalLong now = disturbance.totalNs();
    if (now.isEmpty() || begun.disturbedNs().isEmpty()) {
      return 0;
    }
    return Math.max(0, tookNs - (now.getAsLong() - begun.disturbedNs().getAsLong()));
  }
}

package io.sluice.testbed.checks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The list of tests that took longer than 30 seconds, without what is done around them, and do not
 * say why ({@link TakesLong}). No test fails for its time, which on a busy machine says nothing
 * about it: each line has the machine's load, and {@code ./sluice test --slow} shows the list of
 * the last run.
 *
 * <p>Found by JUnit as {@link LeakCheck} is.
 */
public final class SlowTests implements BeforeTestExecutionCallback, AfterTestExecutionCallback {
  /** System property: the file that lines are added to; none are without it. */
  static final String FILE = "sluice.slow-tests";

  private static final Path LOAD = Path.of("/proc/loadavg");
  private static final long LIMIT_NS = 30_000_000_000L;
  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(SlowTests.class);

  private final LongSupplier clock;
  private final String file;

  /** As JUnit makes it. */
  public SlowTests() {
    this(System::nanoTime, System.getProperty(FILE, ""));
  }

  SlowTests(LongSupplier clock, String file) {
    this.clock = clock;
    this.file = file;
  }

  @Override
  public void beforeTestExecution(ExtensionContext context) {
    context.getStore(SPACE).put(FILE, clock.getAsLong());
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    Long begun = context.getStore(SPACE).get(FILE, Long.class);
    if (begun != null && !file.isEmpty()) {
      note(
          clock.getAsLong() - begun,
          context.getRequiredTestMethod(),
          context.getRequiredTestClass());
    }
  }

  void note(long tookNs, AnnotatedElement test, Class<?> of) {
    if (tookNs <= LIMIT_NS
        || test.isAnnotationPresent(TakesLong.class)
        || of.isAnnotationPresent(TakesLong.class)) {
      return;
    }
    try {
      String load = Files.readString(LOAD).split(" ", 2)[0];
      String line = tookNs / 1_000_000_000 + " s, load " + load + ": " + test + "\n";
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
}

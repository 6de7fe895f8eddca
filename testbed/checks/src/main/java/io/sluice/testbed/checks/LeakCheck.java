package io.sluice.testbed.checks;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * The check that a test leaves nothing of {@link Held} which it did not find, nor its class as a
 * whole; else it fails. What fields of the test instance open counts as the test's own. Threads of
 * the code under test get a moment to let go of theirs.
 *
 * <p>JUnit finds it through {@code META-INF/services} and puts it around every test class of a
 * module that has this one on its test path: there is nothing to annotate.
 */
public final class LeakCheck
    implements BeforeAllCallback,
        TestInstancePreConstructCallback,
        BeforeEachCallback,
        AfterEachCallback,
        AfterAllCallback {
  /** JUnit configuration parameter: how long threads of the code under test get; 35,000. */
  static final String GRACE_MS = "sluice.leaks.grace-ms";

  /**
   * JUnit tag of classes that are not checked, for a library of theirs pools connections as long as
   * the process lives.
   */
  public static final String KEEPS_CONNECTIONS = "keeps-connections";

  /** Longer than RMI keeps a connection that it does not use: 15 s, and as long until it looks. */
  private static final long DEFAULT_GRACE_MS = 35_000;

  private static final long STEP_MS = 5;

  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(LeakCheck.class);
  private static final String CLASS = "class";
  private static final String TEST = "test";
  private static final String BEGUN = "begun";

  @Override
  public void beforeAll(ExtensionContext context) {
    context.getStore(SPACE).put(CLASS, Held.now());
  }

  @Override
  public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
    return ExtensionContextScope.TEST_METHOD;
  }

  @Override
  public void preConstructTestInstance(
      TestInstanceFactoryContext factory, ExtensionContext context) {
    // Of nested classes the outermost instance is made first.
    context.getStore(SPACE).getOrComputeIfAbsent(TEST, _ -> Held.now(), Held.class);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (context.getTestInstanceLifecycle().orElse(Lifecycle.PER_METHOD) == Lifecycle.PER_CLASS) {
      context.getStore(SPACE).put(TEST, Held.now());
    }
    begun(context).addLast(Held.now());
  }

  /** What was held as each test of a context began: a fuzz test has all its inputs within one. */
  @SuppressWarnings("unchecked")
  private static Deque<Held> begun(ExtensionContext context) {
    return context
        .getStore(SPACE)
        .getOrComputeIfAbsent(BEGUN, _ -> new ArrayDeque<>(), Deque.class);
  }

  @Override
  public void afterEach(ExtensionContext context) throws InterruptedException {
    Deque<Held> begun = begun(context);
    Held before = begun.pollLast();
    if (before == null || begun.isEmpty()) {
      check(context, TEST, "the test");
    } else {
      check(context, before, "the test with this input");
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws InterruptedException {
    check(context, CLASS, "the test class, outside of its tests,");
  }

  private static void check(ExtensionContext context, String key, String who)
      throws InterruptedException {
    check(context, context.getStore(SPACE).get(key, Held.class), who);
  }

  private static void check(ExtensionContext context, Held before, String who)
      throws InterruptedException {
    if (context.getTags().contains(KEEPS_CONNECTIONS)) {
      return;
    }
    long graceMs =
        context.getConfigurationParameter(GRACE_MS, Long::valueOf).orElse(DEFAULT_GRACE_MS);
    Held leaked = Held.now().beyond(before);
    for (long waitedMs = 0; !leaked.isEmpty() && waitedMs < graceMs; waitedMs += STEP_MS) {
      Thread.sleep(STEP_MS);
      leaked = Held.now().beyond(before);
    }
    if (!leaked.isEmpty()) {
      throw new AssertionError(who + " leaks: " + leaked);
    }
  }
}

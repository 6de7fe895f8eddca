package io.sluice.testbed.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs test classes that ask for nothing and leak in one place or another. */
final class LeakCheckTest {
  private static final List<FileInputStream> left = new ArrayList<>();

  private static FileInputStream open() {
    try {
      FileInputStream file = new FileInputStream("/dev/zero");
      left.add(file);
      return file;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() throws IOException {
    for (FileInputStream file : left) {
      file.close();
    }
    left.clear();
  }

  static final class LeaksInATest {
    @Test
    void leaks() {
      open();
    }

    @Test
    void doesNot() {
      assertThat(left).isNotNull();
    }
  }

  @Tag(LeakCheck.KEEPS_CONNECTIONS)
  static final class Keeps {
    @Test
    void keeps() {
      open();
    }
  }

  static final class LeaksInAField {
    final FileInputStream field = open();

    @Test
    void leaks() {
      assertThat(field).isNotNull();
    }
  }

  static final class LeaksInTheClass {
    @BeforeAll
    static void leak() {
      open();
    }

    @Test
    void doesNot() {
      assertThat(left).isNotEmpty();
    }
  }

  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  static final class LeaksInATestOfASharedInstance {
    final FileInputStream shared = open();

    @Test
    void leaks() {
      open();
    }

    @AfterAll
    void close() throws IOException {
      shared.close();
    }
  }

  static final class Closes {
    final FileInputStream field = open();

    @Test
    void doesNot() throws IOException {
      open().close();
    }

    @AfterEach
    void close() throws IOException {
      field.close();
    }
  }

  @Test
  void run_leakInATest_failsThatTestOnly() {
    TestExecutionSummary summary = run(LeaksInATest.class);

    assertThat(summary.getTestsFailedCount()).isEqualTo(1);
    assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
    assertThat(messages(summary).getFirst()).contains("the test leaks", "/dev/zero");
  }

  @Test
  void run_classThatKeepsConnections_isNotChecked() {
    TestExecutionSummary summary = run(Keeps.class);

    assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
    assertThat(summary.getFailures()).isEmpty();
  }

  @Test
  void run_leakInAField_failsTheTest() {
    assertThat(run(LeaksInAField.class).getTestsFailedCount()).isEqualTo(1);
  }

  @Test
  void run_leakInTheClass_failsTheClass() {
    TestExecutionSummary summary = run(LeaksInTheClass.class);

    assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
    assertThat(messages(summary)).singleElement().asString().contains("the test class");
  }

  @Test
  void run_leakInATestOfASharedInstance_failsTestAndClass() {
    TestExecutionSummary summary = run(LeaksInATestOfASharedInstance.class);

    assertThat(summary.getTestsFailedCount()).isEqualTo(1);
    assertThat(messages(summary)).hasSize(2);
  }

  @Test
  void run_everythingClosed_passes() {
    TestExecutionSummary summary = run(Closes.class);

    assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
    assertThat(summary.getFailures()).isEmpty();
  }

  private static List<String> messages(TestExecutionSummary summary) {
    return summary.getFailures().stream()
        .map(failure -> String.valueOf(failure.getException().getMessage()))
        .toList();
  }

  private static TestExecutionSummary run(Class<?> tests) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(tests))
                .configurationParameter(LeakCheck.GRACE_MS, "20")
                .build(),
            listener);
    return listener.getSummary();
  }
}

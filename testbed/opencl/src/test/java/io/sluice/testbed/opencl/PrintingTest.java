package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.opencl.Commands.Result;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Applications of one guest whose kernels print at the same time. */
@TestInstance(Lifecycle.PER_CLASS)
class PrintingTest {
  private static final int APPLICATIONS = 4;

  private OpenClEnvironment environment;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    environment = OpenClEnvironment.create(directory);
  }

  @AfterAll
  void stop() throws Exception {
    if (environment != null) {
      environment.close();
    }
  }

  private static List<String> ofKernels(Result result) {
    return result.output().stream().filter(line -> line.startsWith("item ")).toList();
  }

  private List<String> command(int number) {
    return List.of(environment.program("printing"), Integer.toString(number));
  }

  @Test
  void applications_whoseKernelsPrintAtTheSameTime_eachHaveTheirOwnText() throws Exception {
    List<Future<Result>> running = new ArrayList<>();
    try (var runners = Executors.newCachedThreadPool()) {
      for (int i = 1; i <= APPLICATIONS; i++) {
        List<String> command = command(i);
        running.add(runners.submit(() -> environment.remoted(command)));
      }
    }

    for (int i = 1; i <= APPLICATIONS; i++) {
      Result natively = environment.natively(command(i));
      Result here = running.get(i - 1).get();
      assertThat(here.code()).as(here.errors() + environment.hostLog()).isZero();
      assertThat(ofKernels(here))
          .isNotEmpty()
          .containsExactlyElementsOf(ofKernels(natively))
          .anyMatch(line -> line.startsWith("item 0 ") && !line.endsWith("0"));
    }
  }
}

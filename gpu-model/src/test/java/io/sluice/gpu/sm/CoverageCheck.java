package io.sluice.gpu.sm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test that has not run what its {@link Covers} names. */
final class CoverageCheck implements BeforeTestExecutionCallback, AfterTestExecutionCallback {
  @Override
  public void beforeTestExecution(ExtensionContext context) {
    OneInstruction.forgetChecked();
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      return;
    }
    Covers covers = context.getRequiredTestMethod().getAnnotation(Covers.class);
    assertThat(OneInstruction.checked()).as("forms that ran").containsAll(List.of(covers.value()));
  }
}

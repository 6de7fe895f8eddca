package io.sluice.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import javax.management.OperationsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables of options as an operator types them into jconsole. */
final class OptionsTextTest {
  @Test
  void parse_options_areByTheirNames() throws Exception {
    assertThat(OptionsText.parse(" detach=last , bandwidth = 100MiB,"))
        .containsOnlyKeys("bandwidth", "detach")
        .containsEntry("bandwidth", "100MiB")
        .containsEntry("detach", "last");
    assertThat(OptionsText.parse("")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"detach", "=last", "a=1,b"})
  void parse_noOption_isRefused(String text) {
    assertThatThrownBy(() -> OptionsText.parse(text))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-MIG-053");
  }
}

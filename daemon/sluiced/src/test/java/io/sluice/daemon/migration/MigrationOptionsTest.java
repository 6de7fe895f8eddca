package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.Description;
import io.sluice.management.MigrationsMXBean;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class MigrationOptionsTest {
  @Test
  void known_eachOption_isDescribedToJmxClients() throws Exception {
    String description =
        Objects.requireNonNull(
                MigrationsMXBean.class
                    .getMethod("start", String.class, String.class, Map.class)
                    .getParameters()[2]
                    .getAnnotation(Description.class))
            .value();
    for (String option : MigrationOptions.KNOWN) {
      Pattern named = Pattern.compile("[.:,] " + Pattern.quote(option) + "[:,]");
      assertThat(description).as(option).containsPattern(named);
    }
  }
}

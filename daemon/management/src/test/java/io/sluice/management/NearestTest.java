package io.sluice.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class NearestTest {
  private static final List<String> NAMES = List.of("web-01", "web-02", "ml-training", "db");

  @Test
  void to_nothingNear_isEmpty() {
    assertThat(Nearest.to("mailserver", NAMES)).isEmpty();
    assertThat(Nearest.to("x", List.of())).isEmpty();
  }

  @Test
  void to_aSlip_findsWhatWasMeant() {
    assertThat(Nearest.to("wbe-02", NAMES)).contains("web-02");
    assertThat(Nearest.to("ml-trainig", NAMES)).contains("ml-training");
    assertThat(Nearest.to("web-1", NAMES)).contains("web-01");
  }
}

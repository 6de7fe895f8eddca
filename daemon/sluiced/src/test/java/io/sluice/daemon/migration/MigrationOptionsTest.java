package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.management.Description;
import io.sluice.management.MigrationsMXBean;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.management.OperationsException;
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

  private static Optional<HostRoute.StayingSessions> staying(Map<String, String> options)
      throws OperationsException {
    return MigrationOptions.linkRequest(options, 0).staying();
  }

  @Test
  void linkRequest_sessions_moveUnlessTheyAreToStay() throws Exception {
    assertThat(staying(Map.of())).isEmpty();
    assertThat(staying(Map.of("sessions", "move"))).isEmpty();
    assertThat(staying(Map.of("sessions", "stay")))
        .contains(new HostRoute.StayingSessions(Optional.empty()));
    assertThat(staying(Map.of("sessions-at", "kvm-a:7443")))
        .contains(new HostRoute.StayingSessions(Optional.of("kvm-a:7443")));
  }

  @Test
  void linkRequest_sessionsThatCannotBe_isRefused() {
    for (Map<String, String> options :
        List.of(
            Map.of("sessions", "go"),
            Map.of("sessions", "stay", "sessions-at", "kvm-a"),
            Map.of("sessions", "move", "sessions-at", "kvm-a:7443"))) {
      assertThatThrownBy(() -> staying(options)).isInstanceOf(OperationsException.class);
    }
  }
}

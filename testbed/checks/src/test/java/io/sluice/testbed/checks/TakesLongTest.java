package io.sluice.testbed.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.commons.support.AnnotationSupport;

/** The time after which JUnit ends a test, as it finds it. */
final class TakesLongTest {
  private static final Duration LONG = Duration.ofMinutes(20);

  static class Usual {
    void test() {}

    @TakesLong("it boots a machine")
    void excused() {}

    @TakesLong("it boots a machine")
    @Timeout(60)
    void limited() {}
  }

  @TakesLong("each boots a machine")
  static class Excused {}

  static class Inheriting extends Excused {}

  @TakesLong("each boots a machine")
  @Timeout(60)
  static class Limited {}

  @Test
  void timeout_ofAUsualTest_isTheDefault() throws Exception {
    assertThat(timeout(Usual.class)).isEmpty();
    assertThat(timeout(Usual.class.getDeclaredMethod("test"))).isEmpty();
  }

  @Test
  void timeout_ofTestOrClassThatSaysWhy_isLong() throws Exception {
    assertThat(timeout(Usual.class.getDeclaredMethod("excused"))).contains(LONG);
    assertThat(timeout(Excused.class)).contains(LONG);
    assertThat(timeout(Inheriting.class)).contains(LONG);
  }

  @Test
  void timeout_ofItsOwn_counts() throws Exception {
    Duration own = Duration.ofSeconds(60);
    assertThat(timeout(Usual.class.getDeclaredMethod("limited"))).contains(own);
    assertThat(timeout(Limited.class)).contains(own);
  }

  private static Optional<Duration> timeout(AnnotatedElement of) {
    return AnnotationSupport.findAnnotation(of, Timeout.class)
        .map(found -> Duration.of(found.value(), found.unit().toChronoUnit()));
  }
}

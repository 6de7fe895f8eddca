package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Files that sessions wait in, and those in which none does. */
final class WaitingFilesTest {
  private final WaitingFiles files = new WaitingFiles(() -> 7);

  @Test
  void file_ofNoSession_isNotWaitedIn() {
    assertThat(files.has(new UUID(0, 1))).isFalse();
  }

  @Test
  void file_whileItsSessionWaits_isWaitedInAndNotAfterwards() {
    AtomicBoolean waits = new AtomicBoolean(true);
    UUID one = files.add(waits::get);
    UUID other = files.add(() -> true);
    assertThat(one).isNotEqualTo(other);
    assertThat(files.has(one)).isTrue();

    waits.set(false);
    assertThat(files.has(one)).isFalse();
    waits.set(true);
    assertThat(files.has(one)).as("it was forgotten").isFalse();
    assertThat(files.has(other)).isTrue();
  }
}

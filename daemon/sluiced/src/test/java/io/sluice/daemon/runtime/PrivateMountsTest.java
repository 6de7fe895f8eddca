package io.sluice.daemon.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PrivateMountsTest {
  /** Of a service with PrivateTmp under systemd 257. */
  private static final List<String> OF_A_SERVICE =
      List.of(
          "36 35 98:0 / / ro,relatime master:1 - ext4 /dev/root ro",
          "84 36 0:29 /systemd-private-9f6c-sluiced.service-q1/tmp /tmp rw shared:1 - tmpfs tmpfs rw",
          "85 36 98:0 /var/tmp/systemd-private-9f6c-sluiced.service-q2/tmp /var/tmp rw - ext4 /dev/root rw",
          "86 36 98:0 /var/lib/sluice /var/lib/sluice rw - ext4 /dev/root rw",
          "");

  @Test
  void of_fileInAPrivateDirectory_isFound() {
    PrivateMounts mounts = PrivateMounts.of(OF_A_SERVICE);

    assertThat(mounts.of(Path.of("/tmp/web.sluice"))).hasValue(Path.of("/tmp"));
    assertThat(mounts.of(Path.of("/var/tmp/a/b"))).hasValue(Path.of("/var/tmp"));
  }

  @Test
  void of_fileElsewhere_isNot() {
    PrivateMounts mounts = PrivateMounts.of(OF_A_SERVICE);

    assertThat(mounts.of(Path.of("/var/lib/sluice/checkpoints/a"))).isEmpty();
    assertThat(mounts.of(Path.of("/tmpfile"))).isEmpty();
  }

  @Test
  void ofThisProcess_noService_hasNone() {
    assertThat(PrivateMounts.of(List.of("36 35 98:0 / /tmp rw - tmpfs tmpfs rw")).points())
        .isEmpty();
    assertThat(PrivateMounts.ofThisProcess().of(Path.of("/nowhere/file"))).isEmpty();
  }
}

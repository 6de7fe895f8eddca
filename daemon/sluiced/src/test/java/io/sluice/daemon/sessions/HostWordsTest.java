package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.daemon.sessions.HostRig.FakeProcess;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

/** The words of a host that writes all it can. */
final class HostWordsTest {
  private long nowNs;
  private long parkedNs;

  private void park(long ns) {
    nowNs += ns;
    parkedNs += ns;
  }

  private void read(int bytes) {
    InputStream words = new ByteArrayInputStream(new byte[bytes]);
    new HostWords("a", () -> nowNs, () -> new LinkPace(() -> nowNs, this::park))
        .read(
            new FakeProcess(1) {
              @Override
              public InputStream getErrorStream() {
                return words;
              }
            });
  }

  @Test
  void read_hostThatWritesAllItCan_isReadAtItsPace() {
    int bytes = 20 << 20;
    read(bytes);
    assertThat(parkedNs).isGreaterThan(bytes * LinkPace.BYTE_NS - LinkPace.AHEAD_NS);
  }

  @Test
  void read_hostThatSaysWhyItEnds_isNotMadeToWait() {
    read(1 << 20);
    assertThat(parkedNs).isZero();
  }
}

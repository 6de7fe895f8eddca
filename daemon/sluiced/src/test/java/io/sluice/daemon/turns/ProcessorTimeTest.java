package io.sluice.daemon.turns;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process' time, whatever it calls itself. */
final class ProcessorTimeTest {
  @TempDir private Path dir;

  @Test
  void ofNs_ownProcess_isWhatTheKernelTells() {
    ProcessHandle self = ProcessHandle.current();
    Duration before = self.info().totalCpuDuration().orElseThrow();

    long ns = ProcessorTime.ofNs(self.pid());

    assertThat(ns).isGreaterThanOrEqualTo(before.toNanos());
    assertThat(ns).isLessThanOrEqualTo(self.info().totalCpuDuration().orElseThrow().toNanos());
  }

  @Test
  void readNs_nameThatLooksLikeFields_isSkipped() throws IOException {
    String stat =
        "7 (a) S 1 1 1 1 1 1 1 1 1 1 99 99 \u00ff) S 1 7 7 0 -1 0 1 2 3 4 150 50 0 0 20\n";
    Path file = Files.write(dir.resolve("stat"), stat.getBytes(StandardCharsets.ISO_8859_1));

    assertThat(ProcessorTime.readNs(file)).isEqualTo(Duration.ofSeconds(2).toNanos());
  }

  @Test
  void readNs_processThatIsGone_isNone() {
    assertThat(ProcessorTime.readNs(dir.resolve("none"))).isZero();
  }
}

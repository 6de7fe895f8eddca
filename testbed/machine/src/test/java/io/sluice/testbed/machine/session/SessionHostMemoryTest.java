package io.sluice.testbed.machine.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.SessionHostStatus;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.opencl.OpenClParts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A guest whose programs would take its session host, and so the machine, all memory. */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
@TakesLong("a compiler fills 1 GiB of memory")
final class SessionHostMemoryTest {
  private static final String HOSTILE = "hostile";
  private static final String OTHER = "other";
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir private Path directory;

  @Test
  void build_thatTakesAllMemory_endsItsOwnHostAlone() throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    OpenClParts parts =
        OpenClParts.build(Files.createDirectory(directory.resolve("parts")), "bomb", "matrix");
    try (DaemonProcess daemon =
        DaemonProcess.startWithOpenCl(
            Files.createDirectory(directory.resolve("daemon")),
            List.of(HOSTILE, OTHER),
            "heap = \"64MiB\"\nmemory-limit = \"64MiB\"\nprocess-memory = \"1GiB\"\n")) {
      long hostiles = serving(daemon, HOSTILE).starts();
      SessionHostStatus others = serving(daemon, OTHER);
      assertThat(Path.of("/proc", Long.toString(others.pid()), "oom_score_adj")).hasContent("1000");
      assertThat(limit(others.pid())).isEqualTo(Long.toString(1L << 30));

      Path bombed = directory.resolve("bombed");
      Process bomb = run(parts, daemon, HOSTILE, bombed, "bomb");
      await().atMost(PATIENCE).until(() -> Files.readAllLines(bombed).contains("builds"));
      right(parts, daemon, OTHER);

      assertThat(bomb.onExit().get(PATIENCE.toMinutes(), TimeUnit.MINUTES)).isNotNull();
      assertThat(Files.readAllLines(bombed))
          .anyMatch(line -> line.startsWith("build: "))
          .doesNotContain("build: CL_SUCCESS");
      assertThat(host(daemon, OTHER).starts()).isEqualTo(others.starts());
      await().atMost(PATIENCE).until(() -> serving(daemon, HOSTILE).sessions() == 0);
      assertThat(host(daemon, HOSTILE).starts()).isBetween(hostiles, hostiles + 1);
      right(parts, daemon, HOSTILE);
    }
  }

  /** {@code RLIMIT_DATA} of a process, as the kernel tells it. */
  private static String limit(long pid) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "limits"))) {
      return lines
          .filter(line -> line.startsWith("Max data size"))
          .map(line -> line.split(" {2,}")[1])
          .findFirst()
          .orElseThrow();
    }
  }

  private void right(OpenClParts parts, DaemonProcess daemon, String guest) throws Exception {
    Path printed = directory.resolve("right-" + guest);
    Process process = run(parts, daemon, guest, printed, "matrix", "64", "20");
    int code = process.onExit().get(PATIENCE.toMinutes(), TimeUnit.MINUTES).exitValue();
    assertThat(code).as(guest).isZero();
    assertThat(Files.readAllLines(printed)).contains("verified: right");
  }

  private static SessionHostStatus host(DaemonProcess daemon, String guest) {
    return Objects.requireNonNull(daemon.connection().sessions().getHosts().get(guest));
  }

  private static SessionHostStatus serving(DaemonProcess daemon, String guest) {
    await()
        .atMost(PATIENCE)
        .until(() -> host(daemon, guest).state().equals(SessionHostStatus.SERVING));
    return host(daemon, guest);
  }

  private static Process run(
      OpenClParts parts, DaemonProcess daemon, String guest, Path output, String... command)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                Stream.concat(
                        Stream.of(parts.program(command[0]).toString()), Stream.of(command).skip(1))
                    .toList())
            .redirectOutput(output.toFile())
            .redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "OCL_ICD_VENDORS",
                parts.vendors().toString(),
                "SLUICE_API_SOCKET",
                daemon.socket(guest) + ".api"));
    return builder.start();
  }
}

package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.local.LocalConnectException;
import io.sluice.management.local.LocalConnection;
import io.sluice.testbed.checks.LeakCheck;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metrics as Prometheus gets them: a real daemon with the JMX exporter and the rules we ship. */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class MetricsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Path PACKAGING =
      Path.of(Objects.requireNonNull(System.getProperty("sluice.home")), "daemon/packaging");
  private static final Path RULES = PACKAGING.resolve("metrics/sluice-jmx.yml");
  private static final Path DASHBOARD = PACKAGING.resolve("metrics/sluice-grafana.json");
  private static final Path PAGE = PACKAGING.resolve("../../docs/metrics.md");
  private static final Pattern RULE = Pattern.compile("(?m)^    name: (sluice_[a-z_]+)$");
  private static final Pattern NAME = Pattern.compile("\\bsluice_[a-z_]+\\b");
  private static final Pattern EXPRESSION =
      Pattern.compile("\"expr\": *\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(sluice_[a-z_]+)` \\|");

  /** Of guests that have sessions or programs, for which a host needs more than the daemon. */
  private static final Pattern NOT_HERE = Pattern.compile("sluice_guest_(session|cuda).*");

  private static final Pattern SAMPLE =
      Pattern.compile(
          "sluice_[a-z_]+(\\{[a-z]+=\"[A-Za-z0-9._-]*\"(,[a-z]+=\"[A-Za-z0-9._-]*\")*})? [0-9.E-]+");

  private static final Set<String> LABELS =
      Set.of("guest", "gpu", "state", "phase", "channel", "command", "table");

  @TempDir private Path dir;

  @Test
  void scrape_guestThatWorks_tellsWhatTheRulesName() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Process daemon = start(port);
    try {
      await().atMost(PATIENCE).until(() -> answers(daemon));
      verify(port);
    } finally {
      daemon.destroy();
      daemon.waitFor();
    }
  }

  private void verify(int port) throws Exception {
    RealKernel kernel = RealKernel.create();
    try (AttachedDevice device = AttachedDevice.attach(kernel, dir.resolve("run/web-01.sock"));
        Space space = device.newSpace();
        Buffer buffer = device.allocateVideo(1 << 20);
        ClientChannel channel = space.newChannel()) {
      channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().reference(7)));
      refuseAMove();

      String page = scrape(port);

      List<String> samples = page.lines().filter(line -> line.startsWith("sluice_")).toList();
      assertThat(samples).doesNotHaveDuplicates().allMatch(SAMPLE.asMatchPredicate());
      assertThat(samples)
          .contains(
              "sluice_guest_video_memory_bytes{guest=\"web-01\"} 1048576.0",
              "sluice_guest_channels{guest=\"web-01\"} 1.0",
              "sluice_guest_table_entries{guest=\"web-01\",table=\"spaces\"} 1.0",
              "sluice_guest_table_entries_limit{guest=\"web-01\",table=\"spaces\"} 64.0",
              "sluice_guest_state{guest=\"web-01\",state=\"running\"} 1.0",
              "sluice_guest_state{guest=\"ml-02\",state=\"waiting\"} 1.0",
              "sluice_gpu_guests{gpu=\"embedded\"} 1.0")
          .anyMatch(sample -> sample.startsWith("sluice_migration_phase{guest=\"web-01\","));
      assertThat(labels(samples)).isSubsetOf(LABELS);
      assertThat(names(samples)).isEqualTo(rules(NOT_HERE));
      assertThat(buffer.sizeBytes()).isEqualTo(1 << 20);
    }
  }

  /** To itself, where somebody is attached: a migration that there was. */
  private void refuseAMove() throws Exception {
    try (LocalConnection connection = LocalConnection.open(dir.resolve("run/control"))) {
      connection
          .migrations()
          .start("web-01", "unix:" + dir.resolve("run/migration.sock"), Map.of());
      await()
          .atMost(PATIENCE)
          .until(() ->
              Optional.ofNullable(connection.migrations().getMigrations().get("web-01"))
                  .filter(MigrationStatusView::over)
                  .isPresent());
    }
  }

  @Test
  void dashboard_expressions_nameWhatTheRulesDo() throws IOException {
    Set<String> used = new TreeSet<>();
    EXPRESSION
        .matcher(Files.readString(DASHBOARD))
        .results()
        .forEach(expression ->
            NAME.matcher(expression.group(1)).results().forEach(name -> used.add(name.group())));
    assertThat(used).hasSizeGreaterThan(15);
    assertThat(rules(Pattern.compile("none"))).containsAll(used);
  }

  @Test
  void page_table_isOfTheRules() throws IOException {
    Set<String> told =
        ROW.matcher(Files.readString(PAGE))
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(told).isEqualTo(rules(Pattern.compile("none")));
  }

  private static Set<String> rules(Pattern without) throws IOException {
    return RULE.matcher(Files.readString(RULES))
        .results()
        .map(rule -> rule.group(1))
        .filter(name -> !without.matcher(name).matches())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> names(List<String> samples) {
    return samples.stream()
        .map(sample -> sample.split("[{ ]", 2)[0])
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> labels(List<String> samples) {
    return samples.stream()
        .flatMap(sample -> Pattern.compile("([a-z]+)=").matcher(sample).results())
        .map(label -> label.group(1))
        .collect(Collectors.toSet());
  }

  /** As the launchers do, with what programs.sh says of agents. */
  private Process start(int port) throws Exception {
    Path agent = Path.of("target/exporter/jmx_prometheus_javaagent.jar").toAbsolutePath();
    String options = "-javaagent:" + agent + "=127.0.0.1:" + port + ":" + RULES.toRealPath();
    Path config =
        Files.writeString(
            dir.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%s"
            state-dir = "%s"
            [gpu.embedded]
            vram = "64MiB"
            [[guest]]
            name = "web-01"
            [[guest]]
            name = "ml-02"
            """
                .formatted(dir.resolve("run"), dir.resolve("state")));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(agentOptions(options));
    command.addAll(
        List.of(
            options,
            "--illegal-native-access=deny",
            "--enable-native-access=io.sluice.abi,com.github.luben.zstd_jni,io.netty.common,io.netty.tcnative.classes.openssl",
            "--module-path",
            System.getProperty("jdk.module.path"),
            "--module",
            "io.sluice.daemon/io.sluice.daemon.Sluiced",
            "--config",
            config.toString()));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(dir.resolve("log").toFile())
        .start();
  }

  private static List<String> agentOptions(String options) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            "/bin/sh", "-euc", ". \"$0\"; agent_options", PACKAGING + "/programs.sh");
    builder.environment().put("SLUICE_JAVA_OPTS", options);
    Process process = builder.start();
    String told;
    try (InputStream out = process.getInputStream()) {
      told = new String(out.readAllBytes(), StandardCharsets.UTF_8);
    }
    assertThat(process.waitFor()).isZero();
    return Arrays.stream(told.split("\\s+")).filter(option -> !option.isEmpty()).toList();
  }

  private boolean answers(Process daemon) throws IOException {
    assertThat(daemon.isAlive()).as(Files.readString(dir.resolve("log"))).isTrue();
    try (LocalConnection connection = LocalConnection.open(dir.resolve("run/control"))) {
      return connection.daemon().getPid() == daemon.pid();
    } catch (LocalConnectException _) {
      return false;
    }
  }

  private static String scrape(int port) throws IOException {
    URI address = URI.create("http://127.0.0.1:" + port + "/metrics");
    try (InputStream page = address.toURL().openConnection(Proxy.NO_PROXY).getInputStream()) {
      return new String(page.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}

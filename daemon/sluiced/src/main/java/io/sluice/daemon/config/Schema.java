package io.sluice.daemon.config;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.sluice.abi.pscnv.PscnvLimits;
import io.sluice.channel.SlotLimits;
import io.sluice.gpu.GpuConfig;
import io.sluice.management.Quantities;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.vdevice.LogRate;
import io.sluice.vdevice.dma.MapLimits;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/** Every key there is. docs/configuration.md is checked against it. */
final class Schema {
  static final String DAEMON = "daemon";
  static final String LOG = "log";
  static final String GPU = "gpu";
  static final String GUEST = "guest";
  static final String MIGRATION = "migration";
  static final String SESSIONS = "sessions";

  /** The software GPU is the GPU of this name. */
  static final String EMBEDDED = "embedded";

  private static final long KIB = 1L << 10;
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  /** A process has 128 TiB of addresses, and memory of guests is mapped up to two times. */
  private static final long MAX_SHARED = 56L << 40;

  /** Of the objects of a guest's sessions, and of a session host's process. */
  static final long MOST_SESSION_MEMORY = 64L << 40;

  /** Each takes a thread of the daemon, and descriptors. */
  private static final int MOST_CUDA_PROGRAMS = 1024;

  static final Key<Path> RUN_DIR = new Key<>("run-dir", ValueType.PATH, "/run/sluice");
  static final Key<Path> STATE_DIR = new Key<>("state-dir", ValueType.PATH, "/var/lib/sluice");
  static final Key<Path> CONTROL_SOCKET = new Key<>("control-socket", ValueType.PATH, "");
  static final Key<String> CONTROL_GROUP = new Key<>("control-group", ValueType.GROUP, "");
  static final Key<String> GUEST_GROUP = new Key<>("guest-group", ValueType.GROUP, "");

  static final Key<Long> SHARED_MEMORY =
      new Key<>("shared-memory", ValueType.size(GIB, MAX_SHARED, 4 * KIB), "32TiB");

  static final Key<String> LOG_LEVEL =
      new Key<>("level", ValueType.oneOf("error", "warn", "info", "debug", "trace"), "info");

  static final Key<String> LOG_FORMAT =
      new Key<>("format", ValueType.oneOf("logfmt", "json"), "logfmt");

  static final Key<Integer> LOG_GUEST_LINES =
      new Key<>(
          "guest-lines", ValueType.number(1, 100_000), Integer.toString(LogRate.DEFAULT.burst()));
  static final Key<Duration> LOG_GUEST_INTERVAL =
      new Key<>(
          "guest-interval",
          ValueType.duration(Duration.ofMillis(1), Duration.ofHours(1)),
          Quantities.formatDuration(LogRate.DEFAULT.interval()));

  static final Key<Long> VRAM =
      new Key<>(
          "vram",
          ValueType.size(16 * MIB, 64 * GIB, 128 * KIB),
          Quantities.formatSize(GpuConfig.GTX480_VRAM_BYTES));
  static final Key<Duration> SPIN =
      new Key<>("spin", ValueType.duration(Duration.ZERO, Duration.ofMillis(100)), "100us");
  static final Key<Duration> INTERRUPT_SPIN =
      new Key<>("interrupt-spin", ValueType.duration(Duration.ZERO, Duration.ofMillis(100)), "0us");
  static final Key<Integer> EXCESS_LIMIT =
      new Key<>("excess-limit", ValueType.number(1, 1_000_000), "3");
  static final Key<Long> GRID_HEAP =
      new Key<>(
          "grid-heap",
          ValueType.size(MIB, 64 * GIB, MIB),
          Quantities.formatSize(GpuConfig.GRID_HEAP_BYTES));
  static final Key<Path> DEVICE = new Key<>("device", ValueType.PATH, "");
  static final Key<Long> STAGING =
      new Key<>("staging", ValueType.size(0, 64 * GIB, 32 * MIB), "1GiB");

  static final Key<String> GUEST_NAME = new Key<>("name", ValueType.GUEST_NAME, "");
  static final Key<String> GUEST_GPU = new Key<>("gpu", ValueType.GUEST_NAME, "");
  static final Key<Path> GUEST_SOCKET = new Key<>("socket", ValueType.PATH, "");
  static final Key<Path> GUEST_QMP = new Key<>("qmp", ValueType.PATH, "");
  static final Key<UUID> GUEST_UUID = new Key<>("uuid", ValueType.UUID_TEXT, "");
  static final Key<Long> GUEST_VRAM_LIMIT =
      new Key<>("vram-limit", ValueType.size(4 * KIB, 1024 * GIB, 4 * KIB), "");
  static final Key<Long> GUEST_VRAM_MIN =
      new Key<>("vram-min", ValueType.size(0, 1024 * GIB, 4 * KIB), "0B");
  static final Key<Integer> GUEST_WEIGHT =
      new Key<>("weight", ValueType.number(1, Quota.MAX_WEIGHT), "1");
  static final Key<BeyondShare> GUEST_BEYOND_SHARE =
      new Key<>(
          "beyond-share",
          new ValueType<>("out-of-memory or system-memory", BeyondShare::of),
          BeyondShare.OUT_OF_MEMORY.text());
  static final Key<Duration> GUEST_KILL_TIMEOUT =
      new Key<>(
          "kill-timeout",
          ValueType.duration(Quota.MIN_KILL_TIMEOUT, Quota.MAX_KILL_TIMEOUT),
          Quantities.formatDuration(Quota.DEFAULT.killTimeout()));
  static final Key<Integer> GUEST_CHANNEL_LIMIT =
      new Key<>(
          "channel-limit",
          ValueType.number(1, PscnvLimits.MAX_CID),
          Integer.toString(SlotLimits.DEFAULT.channels()));
  static final Key<Integer> GUEST_SPACE_LIMIT =
      new Key<>(
          "address-space-limit",
          ValueType.number(1, PscnvLimits.MAX_VID),
          Integer.toString(SlotLimits.DEFAULT.addressSpaces()));

  static final Key<Long> GUEST_SHARED_LIMIT =
      new Key<>("shared-memory-limit", ValueType.size(MIB, MAX_SHARED, 4 * KIB), "");
  static final Key<Integer> GUEST_MAP_LIMIT =
      new Key<>(
          "map-limit",
          ValueType.number(1, MapLimits.MAX_MAPS),
          Integer.toString(MapLimits.MAX_MAPS));

  static final Key<InetSocketAddress> LISTEN = new Key<>("listen", ValueType.ADDRESS, "");
  static final Key<Path> CERTIFICATE = new Key<>("certificate", ValueType.PATH, "");
  static final Key<Path> PRIVATE_KEY = new Key<>("key", ValueType.PATH, "");
  static final Key<Path> AUTHORITY = new Key<>("authority", ValueType.PATH, "");
  static final Key<String> COMPRESS =
      new Key<>("compress", ValueType.oneOf("none", "zstd"), "none");

  static final Key<Boolean> GUEST_OPENCL = new Key<>("opencl", ValueType.FLAG, "false");
  static final Key<Boolean> GUEST_CUDA = new Key<>("cuda", ValueType.FLAG, "false");
  static final Key<Integer> GUEST_CUDA_PROGRAMS =
      new Key<>(
          "cuda-programs",
          ValueType.number(1, MOST_CUDA_PROGRAMS),
          Integer.toString(ProgramSettings.CUDA_PROGRAMS));
  static final Key<Long> GUEST_CUDA_HOST_MEMORY =
      new Key<>(
          "cuda-host-memory",
          ValueType.size(64 * MIB, 64L << 40, 4 * KIB),
          Quantities.formatSize(ProgramSettings.CUDA_HOST_BYTES));

  static final Key<String> SANDBOX =
      new Key<>("sandbox", ValueType.oneOf("required", "best-effort"), "required");
  static final Key<Path> CACHE_DIR = new Key<>("cache-dir", ValueType.PATH, "");
  static final Key<Long> CACHE_LIMIT =
      new Key<>("cache-limit", ValueType.size(MIB, 64L << 40, 4 * KIB), "1GiB");
  static final Key<Long> HEAP =
      new Key<>("heap", ValueType.size(32 * MIB, 64 * GIB, MIB), "256MiB");
  static final Key<Integer> SESSION_LIMIT =
      new Key<>("session-limit", ValueType.number(1, SessionLimits.MAX_SESSIONS), "64");
  static final Key<Long> SESSION_MEMORY =
      new Key<>("memory-limit", ValueType.size(MIB, MOST_SESSION_MEMORY, 4 * KIB), "4GiB");
  static final Key<Long> SESSION_PROCESS =
      new Key<>("process-memory", ValueType.size(512 * MIB, MOST_SESSION_MEMORY, 4 * KIB), "");
  static final Key<ImmutableList<Path>> SESSION_DEVICES = new Key<>("devices", ValueType.PATHS, "");
  static final Key<ImmutableList<Path>> SESSION_IMPLEMENTATIONS =
      new Key<>("implementations", ValueType.PATHS, "");
  static final Key<Path> SESSION_JAVA = new Key<>("java", ValueType.PATH, "");
  static final Key<ImmutableList<Path>> SESSION_MODULES =
      new Key<>("module-path", ValueType.PATHS, "");

  static final Key<ImmutableSet<String>> ACCEPT_FROM =
      new Key<>("accept-from", ValueType.HOSTS, "");
  static final Key<Integer> FOREIGN_GUESTS =
      new Key<>("foreign-guest-limit", ValueType.number(1, 64), "4");
  static final Key<Integer> FOREIGN_SESSIONS =
      new Key<>("foreign-session-limit", ValueType.number(1, SessionLimits.MAX_SESSIONS), "16");
  static final Key<Long> FOREIGN_MEMORY =
      new Key<>("foreign-memory-limit", ValueType.size(MIB, 64L << 40, 4 * KIB), "1GiB");

  static final KeySection SESSION_KEYS =
      new KeySection(
          "[sessions]",
          ImmutableList.of(
              SANDBOX,
              CACHE_DIR,
              CACHE_LIMIT,
              HEAP,
              SESSION_LIMIT,
              SESSION_MEMORY,
              SESSION_PROCESS,
              SESSION_DEVICES,
              SESSION_IMPLEMENTATIONS,
              SESSION_JAVA,
              SESSION_MODULES,
              ACCEPT_FROM,
              FOREIGN_GUESTS,
              FOREIGN_SESSIONS,
              FOREIGN_MEMORY));
  static final KeySection MIGRATION_KEYS =
      new KeySection(
          "[migration]", ImmutableList.of(LISTEN, CERTIFICATE, PRIVATE_KEY, AUTHORITY, COMPRESS));
  static final KeySection DAEMON_KEYS =
      new KeySection(
          "[daemon]",
          ImmutableList.of(
              RUN_DIR, STATE_DIR, CONTROL_SOCKET, CONTROL_GROUP, GUEST_GROUP, SHARED_MEMORY));
  static final KeySection LOG_KEYS =
      new KeySection(
          "[log]", ImmutableList.of(LOG_LEVEL, LOG_FORMAT, LOG_GUEST_LINES, LOG_GUEST_INTERVAL));
  static final KeySection EMBEDDED_KEYS =
      new KeySection(
          "[gpu.embedded]", ImmutableList.of(VRAM, SPIN, INTERRUPT_SPIN, EXCESS_LIMIT, GRID_HEAP));
  static final KeySection DEVICE_KEYS =
      new KeySection("[gpu.NAME]", ImmutableList.of(DEVICE, INTERRUPT_SPIN, STAGING));
  static final KeySection GUEST_KEYS =
      new KeySection(
          "[[guest]]",
          ImmutableList.of(
              GUEST_NAME,
              GUEST_GPU,
              GUEST_SOCKET,
              GUEST_QMP,
              GUEST_UUID,
              GUEST_VRAM_MIN,
              GUEST_VRAM_LIMIT,
              GUEST_WEIGHT,
              GUEST_BEYOND_SHARE,
              GUEST_KILL_TIMEOUT,
              GUEST_CHANNEL_LIMIT,
              GUEST_SPACE_LIMIT,
              GUEST_SHARED_LIMIT,
              GUEST_MAP_LIMIT,
              GUEST_OPENCL,
              GUEST_CUDA,
              GUEST_CUDA_PROGRAMS,
              GUEST_CUDA_HOST_MEMORY));

  static final ImmutableList<KeySection> SECTIONS =
      ImmutableList.of(
          DAEMON_KEYS,
          LOG_KEYS,
          MIGRATION_KEYS,
          SESSION_KEYS,
          EMBEDDED_KEYS,
          DEVICE_KEYS,
          GUEST_KEYS);

  static final ImmutableList<String> TOP_LEVEL =
      ImmutableList.of(DAEMON, GPU, GUEST, LOG, MIGRATION, SESSIONS);

  private Schema() {}

  /** The keys of a GPU by its name. */
  static KeySection gpu(String name) {
    return name.equals(EMBEDDED) ? EMBEDDED_KEYS : DEVICE_KEYS;
  }
}

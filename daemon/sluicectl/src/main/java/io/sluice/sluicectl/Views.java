package io.sluice.sluicectl;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.sluice.management.ChannelStatus;
import io.sluice.management.CheckpointView;
import io.sluice.management.CudaProgramStatus;
import io.sluice.management.CudaStatus;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.GpuStatus;
import io.sluice.management.GuestCounters;
import io.sluice.management.GuestStatus;
import io.sluice.management.HostCheckView;
import io.sluice.management.MigrationBlocker;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.Quantities;
import io.sluice.management.QuotaStatus;
import io.sluice.management.ReloadedSetting;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionStatus;
import io.sluice.management.Setting;
import io.sluice.management.TableStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** The columns of each kind of thing. */
final class Views {
  /**
   * A channel with the guest it belongs to.
   *
   * @param guest name of the guest
   * @param status of the channel
   */
  record ChannelRow(String guest, ChannelStatus status) {}

  static final Listing<GuestStatus> GUESTS =
      new Listing<>(
          "guests",
          List.of(
              Column.both("name", GuestStatus::name),
              Column.programs("uuid", GuestStatus::uuid),
              Column.both("state", GuestStatus::state),
              Column.both("gpu", GuestStatus::gpu),
              Column.both("model", GuestStatus::model),
              Column.programs("origin", GuestStatus::origin),
              Column.programs("socket", GuestStatus::socketPath),
              Column.people("channels", g -> g.channels() + "/" + g.maxChannels()),
              Column.programs("channel-count", GuestStatus::channels),
              Column.programs("channel-limit", GuestStatus::maxChannels),
              Column.people("memory", g -> share(g.memoryUsedBytes(), g.memoryLimitBytes())),
              Column.programs("memory-used-bytes", GuestStatus::memoryUsedBytes),
              Column.programs("memory-limit-bytes", GuestStatus::memoryLimitBytes),
              Column.people("client", Views::client),
              Column.programs("client-name", GuestStatus::clientName),
              Column.programs("client-pid", GuestStatus::clientPid),
              Column.programs("client-uid", GuestStatus::clientUid)));

  /** One row, each column asked for. */
  static final Listing<DaemonMXBean> DAEMON =
      new Listing<>(
          "daemon",
          List.of(
              Column.both("state", DaemonMXBean::getState),
              Column.both("version", DaemonMXBean::getVersion),
              Column.both("pid", DaemonMXBean::getPid),
              Column.both("user", DaemonMXBean::getUser),
              Column.both("start-time", d -> Instant.ofEpochMilli(d.getStartTimeMs()).toString()),
              Column.both("uptime-ms", DaemonMXBean::getUptimeMs),
              Column.both("config-file", DaemonMXBean::getConfigFile),
              Column.both("run-dir", DaemonMXBean::getRunDir),
              Column.both("log-level", DaemonMXBean::getLogLevel),
              Column.both("guest-count", d -> d.getGuests().size())));

  static final Listing<ChannelRow> CHANNELS =
      new Listing<>(
          "channels",
          List.of(
              Column.both("guest", ChannelRow::guest),
              Column.both("id", c -> c.status().id()),
              Column.both("state", c -> c.status().state()),
              Column.people("work", Views::work),
              Column.programs("drained", c -> c.status().drained()),
              Column.programs("waiting", c -> c.status().waiting()),
              Column.both("entries", c -> c.status().entries()),
              Column.people("busy", c -> duration(c.status().busyNs())),
              Column.programs("busy-ns", c -> c.status().busyNs()),
              Column.programs("instructions", c -> c.status().instructions()),
              Column.programs("interpreted", c -> c.status().interpreted()),
              Column.both("error", c -> c.status().error()),
              Column.programs("fault-address", c -> c.status().faultAddress())));

  /** For people, below the guest they belong to. */
  static final List<Column<ChannelRow>> CHANNELS_OF_ONE =
      CHANNELS.columns().stream().filter(c -> c.shown() && !c.id().equals("guest")).toList();

  static final Listing<SessionStatus> SESSIONS =
      new Listing<>(
          "sessions",
          List.of(
              Column.both("guest", SessionStatus::guest),
              Column.both("session", SessionStatus::number),
              Column.people("application", Views::application),
              Column.programs("command", SessionStatus::command),
              Column.programs("pid", SessionStatus::pid),
              Column.programs("uid", SessionStatus::uid),
              Column.both("api", SessionStatus::api),
              Column.both("device", SessionStatus::device),
              Column.both("host", SessionStatus::host),
              Column.people(
                  "objects",
                  s -> Long.toString(s.objects().values().stream().mapToLong(n -> n).sum())),
              Column.people("memory", s -> amount(s.memoryBytes())),
              Column.programs("memory-bytes", SessionStatus::memoryBytes),
              Column.both("calls", SessionStatus::calls),
              Column.people("device time", Views::deviceTime),
              Column.programs("device-ms", SessionStatus::deviceMs),
              Column.people("since", s -> Instant.ofEpochMilli(s.sinceMs()).toString()),
              Column.programs("since-ms", SessionStatus::sinceMs),
              new Column<>("tied-by", s -> String.join(", ", ties(s)), Views::ties, true)));

  static final Listing<SessionHostStatus> SESSION_HOSTS =
      new Listing<>(
          "sessionHosts",
          List.of(
              Column.both("guest", SessionHostStatus::guest),
              Column.both("state", SessionHostStatus::state),
              Column.both("pid", SessionHostStatus::pid),
              Column.people("sessions", h -> h.sessions() + "/" + h.sessionLimit()),
              Column.programs("session-count", SessionHostStatus::sessions),
              Column.programs("session-limit", SessionHostStatus::sessionLimit),
              Column.people("memory-limit", h -> Quantities.formatSize(h.memoryLimitBytes())),
              Column.programs("memory-limit-bytes", SessionHostStatus::memoryLimitBytes),
              Column.both("sandbox", SessionHostStatus::sandbox),
              Column.both("starts", SessionHostStatus::starts),
              Column.programs("socket", SessionHostStatus::socketPath),
              Column.programs("devices", SessionHostStatus::devices),
              Column.programs("reason", SessionHostStatus::reason)));

  static final Listing<CudaProgramStatus> PROGRAMS =
      new Listing<>(
          "programs",
          List.of(
              Column.both("guest", CudaProgramStatus::guest),
              Column.both("program", CudaProgramStatus::number),
              Column.both("gpu", CudaProgramStatus::gpu),
              Column.both("command", CudaProgramStatus::command),
              Column.both("pid", CudaProgramStatus::pid),
              Column.both("uid", CudaProgramStatus::uid),
              Column.both("state", CudaProgramStatus::state),
              Column.programs("files", CudaProgramStatus::files),
              Column.both("channels", CudaProgramStatus::channels),
              Column.people("video-memory", p -> amount(p.videoBytes())),
              Column.programs("video-bytes", CudaProgramStatus::videoBytes),
              Column.people("host-memory", p -> amount(p.hostBytes())),
              Column.programs("host-bytes", CudaProgramStatus::hostBytes),
              Column.people("evicted", p -> amount(p.evictedBytes())),
              Column.programs("evicted-bytes", CudaProgramStatus::evictedBytes),
              Column.both("calls", CudaProgramStatus::calls),
              Column.both("refused", CudaProgramStatus::refused)));

  /** The programs of a guest, all of them together. */
  static final Listing<CudaStatus> CUDA =
      new Listing<>(
          "cuda",
          List.of(
              Column.both("socket", CudaStatus::socketPath),
              Column.both("programs", CudaStatus::programs),
              Column.both("program-limit", CudaStatus::programLimit),
              Column.both("turned-away", CudaStatus::turnedAway),
              Column.both("video-bytes", CudaStatus::videoBytes),
              Column.both("video-limit-bytes", CudaStatus::videoLimitBytes),
              Column.both("host-bytes", CudaStatus::hostBytes),
              Column.both("host-limit-bytes", CudaStatus::hostLimitBytes),
              Column.both("heap-bytes", CudaStatus::heapBytes),
              Column.both("heap-limit-bytes", CudaStatus::heapLimitBytes)));

  static final Listing<TableStatus> TABLES =
      new Listing<>(
          "tables",
          List.of(
              Column.both("used", TableStatus::used), Column.both("limit", TableStatus::limit)));

  static final Listing<GuestCounters> COUNTERS =
      new Listing<>(
          "counters",
          List.of(
              Column.both("attachments", GuestCounters::attachments),
              Column.both("attachments-refused", GuestCounters::attachmentsRefused),
              Column.both("messages", GuestCounters::messages),
              Column.both("messages-refused", GuestCounters::messagesRefused),
              Column.both("messages-by-command", c -> new TreeMap<>(c.messagesByCommand())),
              Column.both("hypercalls", GuestCounters::hypercalls),
              Column.both("hypercalls-refused", GuestCounters::hypercallsRefused),
              Column.both("interrupts", GuestCounters::interrupts),
              Column.both("events-lost", GuestCounters::eventsLost),
              Column.both("dma-maps", GuestCounters::dmaMaps),
              Column.both("dma-maps-limit", GuestCounters::dmaMapsLimit),
              Column.both("shared-bytes", GuestCounters::sharedBytes),
              Column.both("shared-bytes-limit", GuestCounters::sharedBytesLimit),
              Column.both("table-heap-bytes", GuestCounters::tableHeapBytes),
              Column.both("table-heap-limit", GuestCounters::tableHeapLimit),
              Column.both("grid-heap-bytes", GuestCounters::gridHeapBytes),
              Column.both("grid-heap-limit", GuestCounters::gridHeapLimit),
              Column.both("programs", GuestCounters::programs),
              Column.both("programs-limit", GuestCounters::programsLimit),
              Column.both("program-bytes", GuestCounters::programBytes),
              Column.both("program-bytes-limit", GuestCounters::programBytesLimit),
              Column.both("programs-interpreted", GuestCounters::programsInterpreted),
              Column.both("connections-left", GuestCounters::connectionsLeft),
              Column.both("connections-at-once", GuestCounters::connectionsAtOnce),
              Column.both("connection-interval-ms", GuestCounters::connectionIntervalMs),
              Column.both("maps-left", GuestCounters::mapsLeft),
              Column.both("maps-at-once", GuestCounters::mapsAtOnce),
              Column.both("map-interval-ms", GuestCounters::mapIntervalMs),
              Column.both("descriptors-waiting", GuestCounters::descriptorsWaiting),
              Column.both("log-lines-left-out", GuestCounters::logLinesLeftOut),
              Column.both("log-lines-at-once", GuestCounters::logLinesAtOnce),
              Column.both("log-interval-ms", GuestCounters::logIntervalMs)));

  static final Listing<GpuStatus> GPUS =
      new Listing<>(
          "gpus",
          List.of(
              Column.both("gpu", GpuStatus::name),
              Column.both("model", GpuStatus::model),
              Column.both("guests", GpuStatus::guests),
              Column.both("channels", GpuStatus::channels),
              Column.people("memory", g -> share(g.vramBytes() - g.vramFreeBytes(), g.vramBytes())),
              Column.programs("vram-bytes", GpuStatus::vramBytes),
              Column.programs("vram-free-bytes", GpuStatus::vramFreeBytes),
              Column.programs("capabilities", GpuStatus::capabilities)));

  static final Listing<QuotaStatus> QUOTAS =
      new Listing<>(
          "quotas",
          List.of(
              Column.both("guest", QuotaStatus::guest),
              Column.both("gpu", QuotaStatus::gpu),
              Column.people("min", q -> Quantities.formatSize(q.minimumBytes())),
              Column.programs("minimum-bytes", QuotaStatus::minimumBytes),
              Column.both("weight", QuotaStatus::weight),
              Column.people("limit", q -> Quantities.formatSize(q.limitBytes())),
              Column.programs("limit-bytes", QuotaStatus::limitBytes),
              Column.people("held", Views::held),
              Column.programs("held-bytes", QuotaStatus::heldBytes),
              Column.programs("share-bytes", QuotaStatus::shareBytes),
              Column.people("evicted", q -> amount(q.evictedBytes())),
              Column.programs("evicted-bytes", QuotaStatus::evictedBytes),
              Column.both("beyond-share", QuotaStatus::beyondShare),
              Column.people(
                  "kill-timeout",
                  q -> Quantities.formatDuration(Duration.ofMillis(q.killTimeoutMs()))),
              Column.programs("kill-timeout-ms", QuotaStatus::killTimeoutMs),
              Column.programs("changed", QuotaStatus::changed),
              Column.programs("uses-gpu", QuotaStatus::usesGpu),
              Column.programs("evictions", QuotaStatus::evictions),
              Column.programs("returns", QuotaStatus::returns),
              Column.programs("refusals", QuotaStatus::refusals),
              Column.programs("kills", QuotaStatus::kills),
              Column.programs("kills-put-off", QuotaStatus::killsPutOff),
              Column.programs("gpu-ns", QuotaStatus::gpuNs),
              Column.programs("wait-ns", QuotaStatus::waitNs)));

  /** For people, below the GPU they are of. */
  static final List<Column<QuotaStatus>> QUOTAS_OF_ONE =
      QUOTAS.columns().stream().filter(c -> c.shown() && !c.id().equals("gpu")).toList();

  /**
   * The interrupts of a guest.
   *
   * @param guest its name
   * @param counters of it
   * @param waiting channels that wait for something
   */
  record GuestInterrupts(String guest, GuestCounters counters, int waiting) {}

  static final Listing<GuestInterrupts> INTERRUPTS =
      new Listing<>(
          "interrupts",
          List.of(
              Column.both("guest", GuestInterrupts::guest),
              Column.both("interrupts", i -> i.counters().interrupts()),
              Column.both("events-lost", i -> i.counters().eventsLost()),
              Column.both("hypercalls", i -> i.counters().hypercalls()),
              Column.both("messages", i -> i.counters().messages()),
              Column.both("channels-waiting", GuestInterrupts::waiting)));

  static final Listing<TopRow> TOP =
      new Listing<>(
          "guests",
          List.of(
              Column.both("guest", r -> r.guest().name()),
              Column.both("gpu", r -> r.guest().gpu()),
              Column.both("state", r -> r.guest().state()),
              Column.both("channels", r -> r.guest().channels()),
              Column.people("memory", r -> held(r.quota())),
              Column.programs("held-bytes", r -> r.quota().heldBytes()),
              Column.programs("share-bytes", r -> r.quota().shareBytes()),
              Column.people("evicted", r -> amount(r.quota().evictedBytes())),
              Column.programs("evicted-bytes", r -> r.quota().evictedBytes()),
              Column.people("gpu-time", r -> percent(r.gpuPercent())),
              Column.programs("gpu-percent", TopRow::gpuPercent),
              Column.people("waits", r -> percent(r.waitPercent())),
              Column.programs("wait-percent", TopRow::waitPercent),
              Column.both("kills", r -> r.quota().kills()),
              Column.both("evictions", r -> r.quota().evictions()),
              Column.programs("returns", r -> r.quota().returns()),
              Column.programs("refusals", r -> r.quota().refusals()),
              Column.programs("kills-put-off", r -> r.quota().killsPutOff()),
              Column.programs("weight", r -> r.quota().weight()),
              Column.programs("gpu-ns", r -> r.quota().gpuNs()),
              Column.programs("wait-ns", r -> r.quota().waitNs()),
              Column.both("sessions", r -> r.sessions().number()),
              Column.people("session-memory", r -> amount(r.sessions().memoryBytes())),
              Column.programs("session-memory-bytes", r -> r.sessions().memoryBytes()),
              Column.people("device-time", r -> percent(r.sessions().devicePercent())),
              Column.programs("device-percent", r -> r.sessions().devicePercent())));

  static final Listing<MigrationStatusView> MIGRATIONS =
      new Listing<>(
          "migrations",
          List.of(
              Column.both("guest", MigrationStatusView::guest),
              Column.both("kind", MigrationStatusView::kind),
              Column.both("direction", MigrationStatusView::direction),
              Column.both("phase", MigrationStatusView::phase),
              Column.both("peer", MigrationStatusView::peer),
              Column.people("machine-paused", m -> duration(m.machinePausedNs())),
              Column.people("gpu-paused", m -> duration(m.gpuPausedNs())),
              Column.people("elapsed", m -> duration(m.elapsedNs())),
              Column.people("sent", m -> amount(m.bytesSent())),
              Column.both("reason", MigrationStatusView::reason),
              Column.programs("id", MigrationStatusView::id),
              Column.programs("remedy", MigrationStatusView::remedy),
              Column.programs("bytes-total", MigrationStatusView::bytesTotal),
              Column.programs("bytes-sent", MigrationStatusView::bytesSent),
              Column.programs("bytes-left", MigrationStatusView::bytesLeft),
              Column.programs("machine-bytes-total", MigrationStatusView::machineBytesTotal),
              Column.programs("machine-bytes-sent", MigrationStatusView::machineBytesSent),
              Column.programs("machine-bytes-left", MigrationStatusView::machineBytesLeft),
              Column.programs("bytes-retransmitted", MigrationStatusView::bytesRetransmitted),
              Column.programs("rate-bytes-per-second", MigrationStatusView::rateBytesPerSecond),
              Column.programs("pass", MigrationStatusView::pass),
              Column.programs("pages-sent", MigrationStatusView::pagesSent),
              Column.programs("pause-pages", MigrationStatusView::pausePages),
              Column.programs("expected-drain-ns", MigrationStatusView::expectedDrainNs),
              Column.programs("machine-paused-ns", MigrationStatusView::machinePausedNs),
              Column.programs("gpu-paused-ns", MigrationStatusView::gpuPausedNs),
              Column.programs("elapsed-ns", MigrationStatusView::elapsedNs),
              Column.programs("over", MigrationStatusView::over),
              Column.programs("undecided", MigrationStatusView::undecided)));

  static final Listing<MigrationBlocker> BLOCKERS =
      new Listing<>(
          "blockers",
          List.of(
              Column.both("code", MigrationBlocker::code),
              Column.both("what", MigrationBlocker::what),
              Column.both("remedy", MigrationBlocker::remedy)));

  static final Listing<HostCheckView> CHECKS =
      new Listing<>(
          "checks",
          List.of(
              Column.both("subject", HostCheckView::subject),
              Column.both("result", HostCheckView::result),
              Column.both("found", HostCheckView::found),
              Column.both("remedy", HostCheckView::remedy)));

  static final Listing<CheckpointView> CHECKPOINTS =
      new Listing<>(
          "checkpoints",
          List.of(
              Column.people("name", c -> String.valueOf(Path.of(c.file()).getFileName())),
              Column.programs("file", CheckpointView::file),
              Column.both("kind", CheckpointView::kind),
              Column.both("guest", CheckpointView::guest),
              Column.both("state", CheckpointView::state),
              Column.people("size", c -> amount(c.sizeBytes())),
              Column.programs("size-bytes", CheckpointView::sizeBytes),
              Column.people("video-memory", c -> amount(c.videoBytes())),
              Column.programs("video-bytes", CheckpointView::videoBytes),
              Column.people("written", c -> second(c.writtenMs())),
              Column.programs("written-ms", CheckpointView::writtenMs)));

  static final Listing<ReloadedSetting> RELOADED =
      new Listing<>(
          "changes",
          List.of(
              Column.both("setting", ReloadedSetting::setting),
              Column.both("before", ReloadedSetting::before),
              Column.both("after", ReloadedSetting::after),
              Column.both("effect", ReloadedSetting::effect),
              Column.both("reason", ReloadedSetting::reason)));

  static final Listing<Setting> SETTINGS =
      new Listing<>(
          "settings",
          List.of(
              Column.both("key", Setting::key),
              Column.both("value", Setting::value),
              Column.both("source", Setting::source)));

  private static final long KIB = 1L << 10;
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final long US = 1_000;
  private static final long MS = 1_000_000;
  private static final long S = 1_000_000_000;

  private Views() {}

  static String client(GuestStatus guest) {
    if (!guest.hasClient()) {
      return "";
    }
    return guest.clientPid() == 0
        ? "of another pid namespace"
        : guest.clientName() + ", pid " + guest.clientPid();
  }

  private static String percent(double value) {
    return String.format(Locale.ROOT, "%.1f %%", value);
  }

  private static String held(QuotaStatus quota) {
    return quota.shareBytes() == 0 ? "" : share(quota.heldBytes(), quota.shareBytes());
  }

  private static String work(ChannelRow channel) {
    if (channel.status().waiting()) {
      return "waits";
    }
    return channel.status().drained() ? "idle" : "busy";
  }

  /** Names alone. */
  private static List<String> ties(SessionStatus session) {
    return session.ties().keySet().stream().sorted().toList();
  }

  /** {@code clinfo, pid 4121}. */
  static String application(SessionStatus session) {
    return session.command() + ", pid " + session.pid();
  }

  /** {@code 12.3 s}. */
  static String deviceTime(SessionStatus session) {
    return String.format(Locale.ROOT, "%.1f s", session.deviceMs() / 1000.0);
  }

  /**
   * {@code 1.2/2.0 GiB}: both in the unit of the second; {@code 32.0 MiB/2.0 GiB} when that would
   * show nothing of the first.
   */
  static String share(long usedBytes, long limitBytes) {
    long unit = unit(limitBytes);
    String limit = String.format(Locale.ROOT, "%.1f %s", (double) limitBytes / unit, name(unit));
    if (usedBytes == 0) {
      return "0/" + limit;
    }
    boolean shows = usedBytes >= unit / 10;
    return (shows
            ? String.format(Locale.ROOT, "%.1f", (double) usedBytes / unit)
            : amount(usedBytes))
        + "/"
        + limit;
  }

  /** {@code 1.2 GiB}; empty for nothing. */
  static String amount(long bytes) {
    long unit = unit(bytes);
    return bytes == 0
        ? ""
        : String.format(Locale.ROOT, "%.1f %s", (double) bytes / unit, name(unit));
  }

  private static long unit(long bytes) {
    return bytes >= GIB ? GIB : bytes >= MIB ? MIB : KIB;
  }

  private static String name(long unit) {
    return unit == GIB ? "GiB" : unit == MIB ? "MiB" : "KiB";
  }

  /** {@code 2026-09-21T14:15:00Z}. */
  static String second(long ms) {
    return Instant.ofEpochMilli(ms).truncatedTo(SECONDS).toString();
  }

  static String duration(long ns) {
    if (ns < MS) {
      return String.format(Locale.ROOT, "%.1f us", (double) ns / US);
    }
    return ns < S
        ? String.format(Locale.ROOT, "%.1f ms", (double) ns / MS)
        : String.format(Locale.ROOT, "%.1f s", (double) ns / S);
  }

  /** {@code 3 d 4 h}, {@code 4 h 12 min}, {@code 12 min 5 s}, {@code 5 s}. */
  static String uptime(long ms) {
    long s = ms / 1000;
    if (s < 60) {
      return s + " s";
    }
    if (s < 3600) {
      return s / 60 + " min " + s % 60 + " s";
    }
    if (s < 86_400) {
      return s / 3600 + " h " + s / 60 % 60 + " min";
    }
    return s / 86_400 + " d " + s / 3600 % 24 + " h";
  }
}

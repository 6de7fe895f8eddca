package io.sluice.daemon.config;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.sluice.channel.SlotLimits;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.daemon.config.Draft.GuestDraft;
import io.sluice.daemon.config.Draft.Raw;
import io.sluice.management.Nearest;
import io.sluice.management.Quantities;
import io.sluice.management.Setting;
import io.sluice.management.local.SocketFile;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.InvalidQuotaException;
import io.sluice.quota.Quota;
import io.sluice.vdevice.LogRate;
import io.sluice.vdevice.dma.MapLimits;
import java.io.File;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The resolver of what was written to values: it fills in defaults, and checks what keys say about
 * each other. An error leaves a default in place, so that the next one is found too.
 */
final class Resolver {
  private static final Path NOWHERE = Path.of("/");

  private final Draft draft;
  private final ImmutableList.Builder<Setting> settings = ImmutableList.builder();

  /** What is taken already, and by what. */
  private final Map<Path, String> sockets = new HashMap<>();

  private final Map<UUID, String> uuids = new HashMap<>();
  private final Map<String, Origin> guestNames = new HashMap<>();

  /** Minimums of the guests of a GPU so far. */
  private final Map<String, Long> reserved = new HashMap<>();

  Resolver(Draft draft) {
    this.draft = draft;
  }

  DaemonConfig resolve(@Nullable Path file) {
    Map<String, Raw> daemon = draft.section(Schema.DAEMON);
    Path runDir = value(Schema.DAEMON, daemon, Schema.RUN_DIR).orElse(NOWHERE);
    Path stateDir = value(Schema.DAEMON, daemon, Schema.STATE_DIR).orElse(NOWHERE);
    Path control =
        value(Schema.DAEMON, daemon, Schema.CONTROL_SOCKET, runDir.resolve("control").toString())
            .orElse(NOWHERE);
    claimSocket(
        control, "control-socket of the daemon", origin(daemon, Schema.CONTROL_SOCKET.name()));
    claimSocket(
        DaemonConfig.migrationSocket(runDir), "migration socket of the daemon", Origin.DEFAULT);
    String controlGroup = value(Schema.DAEMON, daemon, Schema.CONTROL_GROUP).orElse("");
    String guestGroup = value(Schema.DAEMON, daemon, Schema.GUEST_GROUP).orElse("");
    long sharedBytes =
        value(Schema.DAEMON, daemon, Schema.SHARED_MEMORY).orElseThrow(Resolver::badDefault);
    Map<String, Raw> log = draft.section(Schema.LOG);
    String level = value(Schema.LOG, log, Schema.LOG_LEVEL).orElse("info");
    String format = value(Schema.LOG, log, Schema.LOG_FORMAT).orElse("logfmt");
    LogRate rate =
        new LogRate(
            value(Schema.LOG, log, Schema.LOG_GUEST_LINES).orElseThrow(Resolver::badDefault),
            value(Schema.LOG, log, Schema.LOG_GUEST_INTERVAL).orElseThrow(Resolver::badDefault));
    ImmutableList<GpuSettings> gpus = gpus();
    ImmutableList<GuestSettings> guests = guests(gpus, runDir, guestGroup, true);
    return new DaemonConfig(
        file,
        runDir,
        stateDir,
        control,
        controlGroup,
        guestGroup,
        sharedBytes,
        level,
        format,
        rate,
        gpus,
        guests,
        wire(),
        sessionHosts(stateDir),
        settings.build());
  }

  /**
   * Guests created at run time, as the state file has them: the same rules, and nothing of theirs
   * may be taken by the configuration. One whose name the configuration has meanwhile is left out.
   * Whether their minimums fit shows later, beside the quotas that count by then.
   */
  ImmutableList<GuestSettings> created(DaemonConfig config) {
    sockets.put(config.controlSocket(), "control-socket of the daemon");
    sockets.put(config.migrationSocket(), "migration socket of the daemon");
    for (GuestSettings guest : config.guests()) {
      sockets.put(guest.socket(), "socket of guest \"" + guest.name() + "\"");
      uuids.put(guest.uuid(), guest.name());
    }
    draft
        .guests()
        .removeIf(guest -> {
          Raw name = guest.values().get(Schema.GUEST_NAME.name());
          return name != null
              && config.guests().stream().anyMatch(g -> g.name().equals(name.text()));
        });
    return guests(config.gpus(), config.runDir(), config.guestGroup(), false);
  }

  /** Quotas changed at run time, as the state file has them. Whether they fit shows later. */
  ImmutableMap<String, Quota> changedQuotas() {
    Map<String, Quota> quotas = new LinkedHashMap<>();
    for (GuestDraft guest : draft.guests()) {
      Raw name = guest.values().get(Schema.GUEST_NAME.name());
      if (name == null) {
        draft.error(ConfigCode.CONFLICT, guest.origin(), "[[guest]] without a name", "add name");
      } else if (quotas.putIfAbsent(name.text(), quotaOf(Schema.GUEST + "." + name, guest))
          != null) {
        draft.error(
            ConfigCode.CONFLICT,
            guest.origin(),
            "a second quota of guest \"" + name.text() + "\"",
            "remove one");
      }
    }
    return ImmutableMap.copyOf(quotas);
  }

  /** The three files belong together, and listening needs them. */
  private @Nullable WireSettings wire() {
    Map<String, Raw> values = draft.section(Schema.MIGRATION);
    Optional<InetSocketAddress> listen = value(Schema.MIGRATION, values, Schema.LISTEN, "");
    Optional<Path> certificate = value(Schema.MIGRATION, values, Schema.CERTIFICATE, "");
    Optional<Path> key = value(Schema.MIGRATION, values, Schema.PRIVATE_KEY, "");
    Optional<Path> authority = value(Schema.MIGRATION, values, Schema.AUTHORITY, "");
    if (certificate.isPresent() && key.isPresent() && authority.isPresent()) {
      String compress =
          value(Schema.MIGRATION, values, Schema.COMPRESS).orElseThrow(Resolver::badDefault);
      return new WireSettings(
          listen.orElse(null),
          certificate.get(),
          key.get(),
          authority.get(),
          compress.equals("zstd"));
    }
    if (!values.isEmpty()) {
      draft.error(
          ConfigCode.CONFLICT,
          draft.beginning(Schema.MIGRATION),
          "[migration] lacks a certificate",
          "add certificate, key and authority: docs/migration.md, \"Certificates\"");
    }
    return null;
  }

  /** What runs the hosts is what runs the daemon, unless said otherwise. */
  private SessionHostSettings sessionHosts(Path stateDir) {
    Map<String, Raw> values = draft.section(Schema.SESSIONS);
    long heap = value(Schema.SESSIONS, values, Schema.HEAP).orElseThrow(Resolver::badDefault);
    long memory =
        value(Schema.SESSIONS, values, Schema.SESSION_MEMORY).orElseThrow(Resolver::badDefault);
    String process =
        Quantities.formatSize(
            Math.min(
                heap + memory + SessionHostSettings.LIBRARY_BYTES, Schema.MOST_SESSION_MEMORY));
    return new SessionHostSettings(
        value(Schema.SESSIONS, values, Schema.SANDBOX).orElse("required").equals("required"),
        value(Schema.SESSIONS, values, Schema.CACHE_DIR, stateDir.resolve("sessions").toString())
            .orElse(NOWHERE),
        value(Schema.SESSIONS, values, Schema.CACHE_LIMIT).orElseThrow(Resolver::badDefault),
        heap,
        value(Schema.SESSIONS, values, Schema.SESSION_LIMIT).orElseThrow(Resolver::badDefault),
        memory,
        value(Schema.SESSIONS, values, Schema.SESSION_PROCESS, process)
            .orElse(SessionHostSettings.LIBRARY_BYTES),
        value(Schema.SESSIONS, values, Schema.SESSION_DEVICES).orElse(ImmutableList.of()),
        value(Schema.SESSIONS, values, Schema.SESSION_IMPLEMENTATIONS).orElse(ImmutableList.of()),
        value(
                Schema.SESSIONS,
                values,
                Schema.SESSION_JAVA,
                Path.of(System.getProperty("java.home"), "bin", "java").toString())
            .orElse(NOWHERE),
        value(Schema.SESSIONS, values, Schema.SESSION_MODULES).orElseGet(Resolver::ownModules),
        foreign(values));
  }

  /** Sessions of other hosts come by the port at which migrations do. */
  private ForeignSettings foreign(Map<String, Raw> values) {
    ImmutableSet<String> from =
        value(Schema.SESSIONS, values, Schema.ACCEPT_FROM).orElse(ImmutableSet.of());
    if (!from.isEmpty() && !draft.section(Schema.MIGRATION).containsKey(Schema.LISTEN.name())) {
      draft.error(
          ConfigCode.CONFLICT,
          draft.beginning(Schema.SESSIONS),
          "[sessions] accept-from without [migration] listen",
          "add listen, or remove accept-from");
    }
    return new ForeignSettings(
        from,
        value(Schema.SESSIONS, values, Schema.FOREIGN_GUESTS).orElseThrow(Resolver::badDefault),
        value(Schema.SESSIONS, values, Schema.FOREIGN_SESSIONS).orElseThrow(Resolver::badDefault),
        value(Schema.SESSIONS, values, Schema.FOREIGN_MEMORY).orElseThrow(Resolver::badDefault));
  }

  private static ImmutableList<Path> ownModules() {
    return Splitter.on(File.pathSeparator)
        .omitEmptyStrings()
        .splitToStream(System.getProperty("jdk.module.path", ""))
        .map(entry -> Path.of(entry).toAbsolutePath())
        .collect(ImmutableList.toImmutableList());
  }

  private ImmutableList<GpuSettings> gpus() {
    List<String> names = draft.gpuNames();
    if (names.isEmpty()) {
      return ImmutableList.of(embedded());
    }
    if (names.size() > DaemonConfig.MAX_GPUS) {
      draft.error(
          ConfigCode.CONFLICT,
          new Origin("gpu"),
          names.size() + " GPUs, one daemon serves " + DaemonConfig.MAX_GPUS,
          "");
    }
    ImmutableList.Builder<GpuSettings> gpus = ImmutableList.builder();
    for (String name : names) {
      gpus.add(name.equals(Schema.EMBEDDED) ? embedded() : device(name));
    }
    return gpus.build();
  }

  private GpuSettings embedded() {
    String section = Schema.GPU + "." + Schema.EMBEDDED;
    Map<String, Raw> values = draft.section(section);
    return new GpuSettings.Embedded(
        value(section, values, Schema.VRAM).orElseThrow(Resolver::badDefault),
        value(section, values, Schema.SPIN).orElseThrow(Resolver::badDefault),
        value(section, values, Schema.INTERRUPT_SPIN).orElseThrow(Resolver::badDefault),
        value(section, values, Schema.EXCESS_LIMIT).orElseThrow(Resolver::badDefault),
        value(section, values, Schema.GRID_HEAP).orElseThrow(Resolver::badDefault));
  }

  private GpuSettings device(String name) {
    String section = Schema.GPU + "." + name;
    Map<String, Raw> values = draft.section(section);
    Origin where = draft.beginning(section);
    if (ValueType.GUEST_NAME.parse().apply(name).isEmpty()) {
      draft.error(
          ConfigCode.VALUE,
          where,
          "\"" + name + "\" is no name for a GPU",
          "write " + ValueType.GUEST_NAME.expects());
    }
    if (!values.containsKey(Schema.DEVICE.name())) {
      Optional<String> slip = Nearest.to(name, List.of(Schema.EMBEDDED));
      draft.error(
          ConfigCode.CONFLICT,
          where,
          "[gpu." + name + "] has no device",
          slip.map(s -> "did you mean [gpu." + s + "]?")
              .orElse("write device = \"/dev/dri/card0\""));
    }
    return new GpuSettings.Device(
        name,
        value(section, values, Schema.DEVICE).orElse(NOWHERE),
        value(section, values, Schema.INTERRUPT_SPIN).orElseThrow(Resolver::badDefault),
        value(section, values, Schema.STAGING).orElseThrow(Resolver::badDefault));
  }

  /**
   * @param together whether their minimums are to fit together
   */
  private ImmutableList<GuestSettings> guests(
      ImmutableList<GpuSettings> gpus, Path runDir, String guestGroup, boolean together) {
    if (draft.guests().size() > DaemonConfig.MAX_GUESTS) {
      draft.error(
          ConfigCode.CONFLICT,
          draft.guests().get(DaemonConfig.MAX_GUESTS).origin(),
          draft.guests().size() + " guests, one daemon serves " + DaemonConfig.MAX_GUESTS,
          "");
    }
    ImmutableList.Builder<GuestSettings> guests = ImmutableList.builder();
    for (GuestDraft guest : draft.guests()) {
      if (!together) {
        reserved.clear();
      }
      guest(guest, gpus, runDir, guestGroup).ifPresent(guests::add);
    }
    return guests.build();
  }

  private Optional<GuestSettings> guest(
      GuestDraft guest, ImmutableList<GpuSettings> gpus, Path runDir, String guestGroup) {
    Raw written = guest.values().get(Schema.GUEST_NAME.name());
    if (written == null) {
      draft.error(ConfigCode.CONFLICT, guest.origin(), "[[guest]] without a name", "add name");
      return Optional.empty();
    }
    String name = written.text();
    String section = Schema.GUEST + "." + name;
    if (value(section, guest.values(), Schema.GUEST_NAME).isEmpty()) {
      return Optional.empty();
    }
    Origin first = guestNames.putIfAbsent(name, guest.origin());
    if (first != null) {
      draft.error(
          ConfigCode.CONFLICT,
          guest.origin(),
          "a second guest \"" + name + "\"; the first is at " + first,
          "rename one");
      return Optional.empty();
    }
    String gpu = gpuOf(section, guest, gpus);
    Path socket =
        value(
                section,
                guest.values(),
                Schema.GUEST_SOCKET,
                GuestSettings.defaultSocket(runDir, name).toString())
            .orElse(NOWHERE);
    claimSocket(
        socket,
        "socket of guest \"" + name + "\"",
        origin(guest.values(), Schema.GUEST_SOCKET.name()).orElse(guest.origin()));
    Path qmp =
        value(
                section,
                guest.values(),
                Schema.GUEST_QMP,
                GuestSettings.defaultQmp(runDir, guestGroup, name).toString())
            .orElse(NOWHERE);
    UUID uuid = uuidOf(section, guest, name);
    Quota quota = quotaOf(section, guest);
    checkQuota(guest, name, quota, gpu, gpus);
    SlotLimits slots = slotsOf(section, guest);
    MapLimits maps = mapsOf(section, guest);
    ProgramSettings programs = programsOf(section, guest);
    GuestSettings settings =
        new GuestSettings(name, uuid, gpu, socket, qmp, quota, slots, maps, programs);
    if (programs.openCl()) {
      claimSocket(
          settings.apiSocket(),
          "session socket of guest \"" + name + "\"",
          origin(guest.values(), Schema.GUEST_OPENCL.name()).orElse(guest.origin()));
    }
    if (programs.cuda()) {
      checkCuda(guest, name, gpu, gpus);
      claimSocket(
          settings.cudaSocket(),
          "CUDA socket of guest \"" + name + "\"",
          origin(guest.values(), Schema.GUEST_CUDA.name()).orElse(guest.origin()));
    }
    return Optional.of(settings);
  }

  private ProgramSettings programsOf(String section, GuestDraft guest) {
    Map<String, Raw> values = guest.values();
    return new ProgramSettings(
        value(section, values, Schema.GUEST_OPENCL).orElseThrow(Resolver::badDefault),
        value(section, values, Schema.GUEST_CUDA).orElseThrow(Resolver::badDefault),
        value(section, values, Schema.GUEST_CUDA_PROGRAMS).orElseThrow(Resolver::badDefault),
        value(section, values, Schema.GUEST_CUDA_HOST_MEMORY).orElseThrow(Resolver::badDefault));
  }

  /** CUDA programs speak to NVIDIA's driver, through whichever card it is. */
  private void checkCuda(
      GuestDraft guest, String name, String gpu, ImmutableList<GpuSettings> gpus) {
    boolean served =
        gpus.stream()
            .anyMatch(each ->
                each instanceof GpuSettings.Device card
                    && card.name().equals(gpu)
                    && NvidiaGpu.isNode(card.device()));
    if (!served) {
      draft.error(
          ConfigCode.CONFLICT,
          origin(guest.values(), Schema.GUEST_CUDA.name()).orElse(guest.origin()),
          "cuda of guest \"" + name + "\", whose GPU " + gpu + " is none of NVIDIA's driver",
          "give it one with device = \"/dev/nvidia0\", or remove cuda");
    }
  }

  private MapLimits mapsOf(String section, GuestDraft guest) {
    Map<String, Raw> values = guest.values();
    return new MapLimits(
        value(section, values, Schema.GUEST_SHARED_LIMIT, "").orElse(GuestSettings.HOST_MEMORY),
        value(section, values, Schema.GUEST_MAP_LIMIT).orElseThrow(Resolver::badDefault));
  }

  private SlotLimits slotsOf(String section, GuestDraft guest) {
    Map<String, Raw> values = guest.values();
    return new SlotLimits(
        value(section, values, Schema.GUEST_CHANNEL_LIMIT).orElseThrow(Resolver::badDefault),
        value(section, values, Schema.GUEST_SPACE_LIMIT).orElseThrow(Resolver::badDefault));
  }

  private Quota quotaOf(String section, GuestDraft guest) {
    Map<String, Raw> values = guest.values();
    long minimum = value(section, values, Schema.GUEST_VRAM_MIN).orElseThrow(Resolver::badDefault);
    int weight = value(section, values, Schema.GUEST_WEIGHT).orElseThrow(Resolver::badDefault);
    long limit = value(section, values, Schema.GUEST_VRAM_LIMIT, "").orElse(Quota.NO_LIMIT);
    BeyondShare beyondShare =
        value(section, values, Schema.GUEST_BEYOND_SHARE).orElseThrow(Resolver::badDefault);
    Duration killTimeout =
        value(section, values, Schema.GUEST_KILL_TIMEOUT).orElseThrow(Resolver::badDefault);
    try {
      return new Quota(minimum, weight, limit, beyondShare, killTimeout);
    } catch (InvalidQuotaException e) {
      // Each value by itself is right: its key says so.
      draft.error(
          ConfigCode.CONFLICT,
          origin(values, Schema.GUEST_VRAM_MIN.name()).orElse(guest.origin()),
          "vram-min "
              + Quantities.formatSize(minimum)
              + " is more than the vram-limit "
              + Quantities.formatSize(limit),
          "lower one or raise the other");
      return Quota.DEFAULT;
    }
  }

  private String gpuOf(String section, GuestDraft guest, ImmutableList<GpuSettings> gpus) {
    ImmutableList<String> names =
        gpus.stream().map(GpuSettings::name).collect(ImmutableList.toImmutableList());
    Optional<String> written =
        value(section, guest.values(), Schema.GUEST_GPU, names.size() == 1 ? names.get(0) : "");
    if (written.isEmpty()) {
      if (!guest.values().containsKey(Schema.GUEST_GPU.name())) {
        draft.error(
            ConfigCode.CONFLICT,
            guest.origin(),
            "[[guest]] does not say which GPU",
            "add gpu, one of " + String.join(", ", names));
      }
      return names.get(0);
    }
    String gpu = written.get();
    if (!names.contains(gpu)) {
      draft.unknownKey(
          origin(guest.values(), Schema.GUEST_GPU.name()).orElse(guest.origin()),
          "GPU",
          gpu,
          names);
    }
    return gpu;
  }

  private UUID uuidOf(String section, GuestDraft guest, String name) {
    UUID uuid =
        value(
                section,
                guest.values(),
                Schema.GUEST_UUID,
                GuestSettings.derivedUuid(name).toString())
            .orElseGet(() -> GuestSettings.derivedUuid(name));
    String owner = uuids.putIfAbsent(uuid, name);
    if (owner != null) {
      draft.error(
          ConfigCode.CONFLICT,
          origin(guest.values(), Schema.GUEST_UUID.name()).orElse(guest.origin()),
          "guests \"" + owner + "\" and \"" + name + "\" have one uuid",
          "give each its own");
    }
    return uuid;
  }

  /** Only of the software GPU is the size known before it is opened; the daemon checks the rest. */
  private void checkQuota(
      GuestDraft guest, String name, Quota quota, String gpu, ImmutableList<GpuSettings> gpus) {
    for (GpuSettings settings : gpus) {
      if (settings instanceof GpuSettings.Embedded embedded && embedded.name().equals(gpu)) {
        checkQuota(guest, name, quota, embedded);
      }
    }
  }

  private void checkQuota(GuestDraft guest, String name, Quota quota, GpuSettings.Embedded gpu) {
    String size = Quantities.formatSize(gpu.vramBytes()) + " of GPU " + gpu.name();
    if (quota.hasLimit() && quota.limitBytes() > gpu.vramBytes()) {
      draft.error(
          ConfigCode.CONFLICT,
          origin(guest.values(), Schema.GUEST_VRAM_LIMIT.name()).orElse(guest.origin()),
          "vram-limit " + Quantities.formatSize(quota.limitBytes()) + " is more than the " + size,
          "");
    }
    long left = gpu.vramBytes() - reserved.getOrDefault(gpu.name(), 0L);
    if (quota.minimumBytes() > left) {
      draft.error(
          ConfigCode.CONFLICT,
          origin(guest.values(), Schema.GUEST_VRAM_MIN.name()).orElse(guest.origin()),
          "vram-min "
              + Quantities.formatSize(quota.minimumBytes())
              + " of guest \""
              + name
              + "\" does not fit: the guests before it leave "
              + Quantities.formatSize(left)
              + " of the "
              + size,
          "lower one of them");
      return;
    }
    reserved.merge(gpu.name(), quota.minimumBytes(), Long::sum);
  }

  private void claimSocket(Path path, String owner, Optional<Origin> where) {
    claimSocket(path, owner, where.orElse(Origin.DEFAULT));
  }

  private void claimSocket(Path path, String owner, Origin where) {
    int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > SocketFile.MAX_PATH_BYTES) {
      draft.error(
          ConfigCode.VALUE,
          where,
          owner + " has a path of " + bytes + " bytes: " + path,
          "the kernel takes " + SocketFile.MAX_PATH_BYTES);
    }
    String other = sockets.putIfAbsent(path, owner);
    if (other != null) {
      draft.error(
          ConfigCode.CONFLICT, where, owner + " is also that of the " + other + ": " + path, "");
    }
  }

  // ---- one value ----

  private <T> Optional<T> value(String section, Map<String, Raw> values, Key<T> key) {
    return value(section, values, key, key.fallback());
  }

  /**
   * The value of a key, the fallback without one, empty without either or when it is wrong.
   *
   * @param fallback as it would be written; empty for none
   */
  private <T> Optional<T> value(
      String section, Map<String, Raw> values, Key<T> key, String fallback) {
    Raw raw = values.get(key.name());
    String text = raw == null ? fallback : raw.text();
    Origin where = raw == null ? Origin.DEFAULT : raw.origin();
    settings.add(new Setting(section + "." + key.name(), text, where.text()));
    if (raw == null && fallback.isEmpty()) {
      return Optional.empty();
    }
    Optional<T> value = key.type().parse().apply(text);
    if (value.isEmpty()) {
      draft.error(
          ConfigCode.VALUE,
          where,
          "\"" + text + "\" is no value of " + key.name(),
          "it takes " + key.type().expects());
      if (!key.fallback().isEmpty()) {
        return key.type().parse().apply(key.fallback());
      }
    }
    return value;
  }

  private static Optional<Origin> origin(Map<String, Raw> values, String key) {
    return Optional.ofNullable(values.get(key)).map(Raw::origin);
  }

  private static AssertionError badDefault() {
    return new AssertionError("a default is not a value of its key");
  }
}

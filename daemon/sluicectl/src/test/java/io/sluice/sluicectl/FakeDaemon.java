package io.sluice.sluicectl;

import io.sluice.management.ChannelStatus;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.ErrorCode;
import io.sluice.management.GpuStatus;
import io.sluice.management.GuestCounters;
import io.sluice.management.GuestMXBean;
import io.sluice.management.GuestStatus;
import io.sluice.management.HostCheckView;
import io.sluice.management.Problem;
import io.sluice.management.QuotaStatus;
import io.sluice.management.ReloadedSetting;
import io.sluice.management.Setting;
import io.sluice.management.TableStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import javax.management.NotificationBroadcasterSupport;
import javax.management.NotificationFilter;
import javax.management.NotificationListener;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/** A daemon that always looks the same, and remembers what it was asked to do. */
final class FakeDaemon extends NotificationBroadcasterSupport implements DaemonMXBean {
  private final List<String> asked = new ArrayList<>();
  private final Map<String, GuestStatus> guests = new TreeMap<>();
  private final CountDownLatch listening = new CountDownLatch(1);
  private String logLevel = "info";

  FakeDaemon() {
    put(
        new GuestStatus(
            "web-01",
            "5c1f2a0e-7b1d-4f61-9a3c-2f6d0f0e8a11",
            GuestStatus.RUNNING,
            "embedded",
            "gf100",
            GuestStatus.FROM_CONFIGURATION,
            "/run/sluice/web-01.sock",
            4121,
            64055,
            "qemu-system-x86",
            2,
            127,
            1_288_490_189L,
            2L << 30));
    put(
        new GuestStatus(
            "ml-02",
            "9d2b3c70-04be-4c0f-8f33-5b2a1c9e7d42",
            GuestStatus.WAITING,
            "embedded",
            "gf100",
            GuestStatus.CREATED,
            "/run/sluice/ml-02.sock",
            0,
            -1,
            "",
            0,
            127,
            0,
            512L << 20));
  }

  private void put(GuestStatus guest) {
    guests.put(guest.name(), guest);
  }

  @Override
  public void addNotificationListener(
      NotificationListener listener,
      @Nullable NotificationFilter filter,
      @Nullable Object handback) {
    super.addNotificationListener(listener, filter, handback);
    listening.countDown();
  }

  /** Waits until somebody listens to its notifications. */
  void awaitListener() throws InterruptedException {
    listening.await();
  }

  /** What it was asked to do, in order. */
  List<String> asked() {
    return asked;
  }

  @Override
  public String getVersion() {
    return "1.2.3";
  }

  @Override
  public long getPid() {
    return 812;
  }

  @Override
  public String getUser() {
    return "sluice";
  }

  @Override
  public String getState() {
    return "running";
  }

  @Override
  public long getStartTimeMs() {
    return 1_767_323_045_000L;
  }

  @Override
  public long getUptimeMs() {
    return 273_600_000;
  }

  @Override
  public String getConfigFile() {
    return "/etc/sluice/sluice.toml";
  }

  @Override
  public String getRunDir() {
    return "/run/sluice";
  }

  @Override
  public String getLogLevel() {
    return logLevel;
  }

  @Override
  public void setLogLevel(String level) throws OperationsException {
    if (level.equals("loud")) {
      throw Problem.of(
              ErrorCode.LOG_LEVEL, "cannot set the log level to \"loud\"", "no such level", "")
          .exception();
    }
    logLevel = level;
  }

  @Override
  public Map<String, GpuStatus> getGpus() {
    return Map.of(
        "embedded",
        new GpuStatus(
            "embedded", "gf100", 1536L << 20, 300L << 20, 1, 2, List.of("kill", "suspend")));
  }

  @Override
  public Map<String, GuestStatus> getGuests() {
    return guests;
  }

  @Override
  public Map<String, QuotaStatus> getQuotas() {
    return new TreeMap<>(
        Map.of(
            "ml-02",
            new QuotaStatus(
                "ml-02",
                "embedded",
                0,
                1,
                512L << 20,
                "out-of-memory",
                2000,
                false,
                false,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0),
            "web-01",
            new QuotaStatus(
                "web-01",
                "embedded",
                64L << 20,
                3,
                1536L << 20,
                "system-memory",
                500,
                true,
                true,
                1152L << 20,
                1_100_000_000,
                40L << 20,
                12,
                7,
                5,
                2,
                31,
                83_500_000_000L,
                1_200_000_000)));
  }

  @Override
  public void setQuota(
      String guest,
      @Nullable Long minimumBytes,
      @Nullable Integer weight,
      @Nullable Long limitBytes,
      @Nullable String beyondShare,
      @Nullable Long killTimeoutMs)
      throws OperationsException {
    asked.add(
        "quota "
            + String.join(
                " ",
                guest,
                String.valueOf(minimumBytes),
                String.valueOf(weight),
                String.valueOf(limitBytes),
                String.valueOf(beyondShare),
                String.valueOf(killTimeoutMs)));
    if (minimumBytes != null && minimumBytes > 1L << 30) {
      throw Problem.of(
              ErrorCode.QUOTA_MINIMUM,
              "cannot change the quota of guest \"" + guest + "\"",
              "the minimums of the other guests leave 512MiB of 1536MiB on embedded, 2GiB requested",
              "ask for a minimum of 512MiB or less, or lower another guest's: sluicectl quota show")
          .exception();
    }
  }

  @Override
  public void resetQuota(String guest) {
    asked.add("quota-reset " + guest);
  }

  @Override
  public List<Setting> getConfiguration() {
    return List.of(
        new Setting("daemon.run-dir", "/run/sluice", "default"),
        new Setting("daemon.control-group", "", "default"),
        new Setting("gpu.embedded.vram", "1536MiB", "/etc/sluice/sluice.toml:4:1"));
  }

  @Override
  public List<ReloadedSetting> reload() {
    return List.of(
        new ReloadedSetting("log.level", "info", "debug", ReloadedSetting.NOW, ""),
        new ReloadedSetting(
            "gpu.embedded.vram",
            "1536MiB",
            "2GiB",
            ReloadedSetting.NEXT_START,
            "it is read at the start alone"),
        new ReloadedSetting(
            "guest.web-01.weight",
            "1",
            "3",
            ReloadedSetting.FAILED,
            "there is no guest \"web-01\""));
  }

  @Override
  public List<HostCheckView> checkHost() {
    return List.of(
        new HostCheckView("configuration", HostCheckView.OK, "/etc/sluice/sluice.toml", ""),
        new HostCheckView("kvm", HostCheckView.WARNING, "there is no /dev/kvm", "load kvm_amd"),
        new HostCheckView(
            "guest-group libvirt-qemu",
            HostCheckView.FAILURE,
            "there is no such group",
            "make it"));
  }

  @Override
  public void cloneGuest(String guest, String name, String qmpPath) throws OperationsException {
    asked.add("clone of " + guest + ", monitor '" + qmpPath + "'");
    createGuest(name, "", 0, "");
  }

  @Override
  public void createGuest(String name, String gpu, long vramLimitBytes) throws OperationsException {
    createGuest(name, gpu, vramLimitBytes, "");
  }

  @Override
  public void createGuest(String name, String gpu, long vramLimitBytes, String qmpPath)
      throws OperationsException {
    createGuest(name, gpu, qmpPath, null, null, vramLimitBytes, null, null);
  }

  @Override
  public void createGuest(
      String name,
      String gpu,
      String qmpPath,
      @Nullable Long minimumBytes,
      @Nullable Integer weight,
      @Nullable Long limitBytes,
      @Nullable String beyondShare,
      @Nullable Long killTimeoutMs)
      throws OperationsException {
    long vramLimitBytes = limitBytes == null ? 0 : limitBytes;
    if (minimumBytes != null || weight != null || beyondShare != null || killTimeoutMs != null) {
      asked.add(
          "quota of %s: %s %s %s %s"
              .formatted(name, minimumBytes, weight, beyondShare, killTimeoutMs));
    }
    if (!qmpPath.isEmpty()) {
      asked.add("monitor of " + name + " at " + qmpPath);
    }
    asked.add("create " + name + " on '" + gpu + "' with " + vramLimitBytes);
    switch (name) {
      case "full" ->
          throw Problem.of(
                  ErrorCode.GUEST_VRAM,
                  "cannot create guest \"full\"",
                  "GPU \"embedded\" has 1536MiB of video memory, 5GiB requested",
                  "choose a smaller limit, or none")
              .exception();
      case "web-01" ->
          throw Problem.of(
                  ErrorCode.GUEST_EXISTS,
                  "cannot create guest \"web-01\"",
                  "there is a guest of that name",
                  "choose another name")
              .exception();
      case "late" ->
          throw Problem.of(
                  ErrorCode.DAEMON_STOPPING,
                  "cannot create guest \"late\"",
                  "the daemon is stopping",
                  "retry when it is back")
              .exception();
      case "bug" -> throw new IllegalStateException("a bug of the daemon");
      default -> {
        GuestStatus like = guests.values().iterator().next();
        put(
            new GuestStatus(
                name,
                "11111111-2222-3333-4444-555555555555",
                GuestStatus.WAITING,
                like.gpu(),
                like.model(),
                GuestStatus.CREATED,
                "/run/sluice/" + name + ".sock",
                0,
                -1,
                "",
                0,
                127,
                0,
                vramLimitBytes));
      }
    }
  }

  @Override
  public void destroyGuest(String name, boolean force) {
    asked.add("destroy " + name + (force ? " forced" : ""));
  }

  @Override
  public void shutdown(boolean force) throws OperationsException {
    if (!force) {
      throw Problem.of(
              ErrorCode.STOP_REFUSED,
              "cannot stop the daemon",
              "GPUs are in use: web-01 (qemu-system-x86, pid 4121)",
              "stop those first, or retry with --force: they lose their GPU")
          .exception();
    }
    shutdown();
  }

  @Override
  public void shutdown() {
    asked.add("shutdown");
  }

  /** Guest web-01. */
  record FakeGuest(GuestStatus status, List<String> asked) implements GuestMXBean {
    @Override
    public String getName() {
      return status.name();
    }

    @Override
    public String getUuid() {
      return status.uuid();
    }

    @Override
    public String getState() {
      return status.state();
    }

    @Override
    public String getGpu() {
      return status.gpu();
    }

    @Override
    public String getQmpPath() {
      return "/run/sluice/" + status.name() + ".qmp";
    }

    @Override
    public String getSocketPath() {
      return Path.of(status.socketPath()).toString();
    }

    @Override
    public int getClientPid() {
      return status.clientPid();
    }

    @Override
    public int getClientUid() {
      return status.clientUid();
    }

    @Override
    public String getClientName() {
      return status.clientName();
    }

    @Override
    public long getMemoryUsedBytes() {
      return status.memoryUsedBytes();
    }

    @Override
    public long getMemoryLimitBytes() {
      return status.memoryLimitBytes();
    }

    @Override
    public int getMaxChannels() {
      return status.maxChannels();
    }

    @Override
    public Map<Integer, ChannelStatus> getChannels() {
      return new TreeMap<>(
          Map.of(
              1,
              new ChannelStatus(1, "running", "", 0, false, true, 1204, 83_500_000, 5_000, 20),
              7,
              new ChannelStatus(
                  7, "dead", "page-fault", 0x2000_0000L, true, false, 3, 4_100, 0, 0)));
    }

    @Override
    public Map<String, TableStatus> getTables() {
      return Map.of(
          "buffers", new TableStatus(41, 131_072),
          "extents", new TableStatus(812, 524_288),
          "handles", new TableStatus(40, 65_535),
          "mappings", new TableStatus(57, 131_072),
          "regions", new TableStatus(9, 4095),
          "spaces", new TableStatus(3, 127));
    }

    @Override
    public void killChannel(int id) throws OperationsException {
      if (!getChannels().containsKey(id)) {
        throw Problem.of(
                ErrorCode.CHANNEL_UNKNOWN,
                "cannot end channel " + id + " of guest \"" + status.name() + "\"",
                "it has no such channel",
                "sluicectl channel list " + status.name() + " shows those it has")
            .exception();
      }
      asked.add("kill " + status.name() + " " + id);
    }

    @Override
    public void detach() {
      asked.add("detach " + status.name());
    }

    @Override
    public void suspend() {
      asked.add("suspend " + status.name());
    }

    @Override
    public void resume() {
      asked.add("resume " + status.name());
    }

    @Override
    public GuestCounters getCounters() {
      return new GuestCounters(
          2,
          1,
          140,
          3,
          Map.of("version", 2L, "dma_map", 18L, "set_irqs", 6L),
          63,
          0,
          4012,
          0,
          9,
          4094,
          2L << 30,
          8L << 30,
          1L << 20,
          129L << 20,
          12L << 20,
          64L << 20,
          3,
          64,
          1L << 20,
          8L << 20,
          2,
          63,
          64,
          50,
          8188,
          8188,
          2,
          0,
          12,
          64,
          1000);
    }
  }
}

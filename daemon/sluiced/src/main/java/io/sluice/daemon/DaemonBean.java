package io.sluice.daemon;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.sys.HostLimits;
import io.sluice.daemon.check.GuestCheck;
import io.sluice.daemon.check.HostCheck;
import io.sluice.daemon.gpu.GpuHost;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.daemon.guest.GuestTable;
import io.sluice.daemon.guest.QuotaChange;
import io.sluice.daemon.reload.ConfigReload;
import io.sluice.daemon.runtime.Audit;
import io.sluice.daemon.runtime.DaemonEvent;
import io.sluice.daemon.runtime.LogLevels;
import io.sluice.daemon.runtime.Version;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.ErrorCode;
import io.sluice.management.EventFields;
import io.sluice.management.GpuStatus;
import io.sluice.management.GuestStatus;
import io.sluice.management.HostCheckView;
import io.sluice.management.NotificationTypes;
import io.sluice.management.ObjectNames;
import io.sluice.management.Problem;
import io.sluice.management.Quantities;
import io.sluice.management.QuotaStatus;
import io.sluice.management.ReloadedSetting;
import io.sluice.management.Setting;
import io.sluice.quota.Quota;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/** The daemon as JMX shows it. Operations that change something are logged with who asked. */
final class DaemonBean extends NotificationBroadcasterSupport implements DaemonMXBean {
  private static final RuntimeMXBean RUNTIME = ManagementFactory.getRuntimeMXBean();

  private final ConfigReload configuration;
  private final Supplier<HostLimits> limits;
  private final ImmutableMap<String, GpuHost> gpus;
  private final GuestTable guests;
  private final Runnable stop;
  private final AtomicLong sequence = new AtomicLong();
  private volatile boolean stopping;

  /**
   * @param limits of this process
   * @param stop asks whoever owns the daemon to close it; returns at once
   */
  DaemonBean(
      ConfigReload configuration,
      Supplier<HostLimits> limits,
      ImmutableMap<String, GpuHost> gpus,
      GuestTable guests,
      Runnable stop) {
    super(NotificationTypes.infos());
    this.configuration = configuration;
    this.limits = limits;
    this.gpus = gpus;
    this.guests = guests;
    this.stop = stop;
  }

  /** The daemon begins to stop. */
  void setStopping() {
    stopping = true;
  }

  /** Sends a notification. */
  void notify(DaemonEvent event) {
    Notification notification =
        new Notification(
            event.type(), ObjectNames.DAEMON, sequence.incrementAndGet(), event.message());
    if (!event.fields().isEmpty()) {
      notification.setUserData(EventFields.of(event.type(), event.fields()));
    }
    sendNotification(notification);
  }

  @Override
  public String getVersion() {
    return Version.get();
  }

  @Override
  public long getPid() {
    return RUNTIME.getPid();
  }

  @Override
  public String getUser() {
    return System.getProperty("user.name", "");
  }

  @Override
  public String getState() {
    return stopping ? "stopping" : "running";
  }

  @Override
  public long getStartTimeMs() {
    return RUNTIME.getStartTime();
  }

  @Override
  public long getUptimeMs() {
    return RUNTIME.getUptime();
  }

  @Override
  public String getConfigFile() {
    Path file = configuration.running().file();
    return file == null ? "" : file.toString();
  }

  @Override
  public String getRunDir() {
    return configuration.running().runDir().toString();
  }

  @Override
  public String getLogLevel() {
    return LogLevels.get();
  }

  @Override
  public void setLogLevel(String level) throws OperationsException {
    String before = LogLevels.get();
    LogLevels.set(level);
    Audit.of("log-level").addKeyValue("from", before).addKeyValue("to", level).log("log level set");
  }

  @Override
  public Map<String, GpuStatus> getGpus() {
    Map<String, GpuStatus> statuses = new TreeMap<>();
    gpus.forEach((name, gpu) -> statuses.put(name, status(gpu)));
    return statuses;
  }

  private GpuStatus status(GpuHost gpu) {
    int attached = 0;
    int channels = 0;
    long used = 0;
    for (GuestHost host : guests.all().values()) {
      if (host.gpu() == gpu) {
        GuestStatus guest = host.status();
        attached += host.isAttached() ? 1 : 0;
        channels += guest.channels();
        used += guest.memoryUsedBytes();
      }
    }
    long total = gpu.gpu().info().vramBytes();
    return new GpuStatus(
        gpu.name(),
        gpu.gpu().info().model(),
        total,
        total - used,
        attached,
        channels,
        gpu.gpu().capabilities().stream()
            .map(capability -> capability.name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .toList());
  }

  @Override
  public Map<String, GuestStatus> getGuests() {
    Map<String, GuestStatus> statuses = new TreeMap<>();
    guests.all().forEach((name, guest) -> statuses.put(name, guest.status()));
    return statuses;
  }

  @Override
  public Map<String, QuotaStatus> getQuotas() {
    Map<String, QuotaStatus> quotas = new TreeMap<>();
    guests.all().forEach((name, guest) -> quotas.put(name, guest.quota()));
    return quotas;
  }

  @Override
  public List<Setting> getConfiguration() {
    return configuration.running().settings();
  }

  @Override
  public List<ReloadedSetting> reload() throws OperationsException {
    List<ReloadedSetting> found =
        configuration.reload((guest, quota) -> quotaChanged("quota-reload", guest, quota));
    for (ReloadedSetting each : found) {
      Audit.of("reload")
          .addKeyValue("setting", each.setting())
          .addKeyValue("before", each.before())
          .addKeyValue("after", each.after())
          .addKeyValue("effect", each.effect())
          .addKeyValue("reason", each.reason())
          .log("configuration reloaded");
    }
    return found;
  }

  @Override
  public List<HostCheckView> checkHost() {
    List<HostCheckView> all =
        new ArrayList<>(HostCheck.of(configuration.running(), limits.get()).run());
    all.addAll(GuestCheck.look(guests.all().values()));
    return all;
  }

  @Override
  public void createGuest(String name, String gpu, long vramLimitBytes) throws OperationsException {
    createGuest(name, gpu, vramLimitBytes, "");
  }

  @Override
  public void createGuest(String name, String gpu, long vramLimitBytes, String qmpPath)
      throws OperationsException {
    createGuest(
        name, gpu, qmpPath, null, null, vramLimitBytes == 0 ? null : vramLimitBytes, null, null);
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
    guests.create(
        name,
        gpu,
        qmpPath,
        new QuotaChange(minimumBytes, weight, limitBytes, beyondShare, killTimeoutMs));
    Audit.of("guest-create").addKeyValue("guest", name).log("guest created");
  }

  @Override
  public void cloneGuest(String guest, String name, String qmpPath) throws OperationsException {
    guests.copy(guest, name, qmpPath);
    Audit.of("guest-clone").addKeyValue("guest", name).addKeyValue("of", guest).log("guest cloned");
  }

  @Override
  public void destroyGuest(String name, boolean force) throws OperationsException {
    guests.destroy(
        name,
        force,
        () ->
            Audit.of("guest-destroy")
                .addKeyValue("guest", name)
                .addKeyValue("force", force)
                .log("guest destroyed"));
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
    quotaChanged(
        "quota-set",
        guest,
        guests.setQuota(
            guest, new QuotaChange(minimumBytes, weight, limitBytes, beyondShare, killTimeoutMs)));
    awaitHeld(guest);
  }

  @Override
  public void resetQuota(String guest) throws OperationsException {
    quotaChanged("quota-reset", guest, guests.resetQuota(guest));
    awaitHeld(guest);
  }

  /** Tells of it while memory moves. */
  private void quotaChanged(String event, String guest, Quota quota) {
    GuestHost host = guests.all().get(guest);
    if (host == null) {
      return; // destroyed meanwhile
    }
    long cardBytes = host.gpu().gpu().info().vramBytes();
    String now =
        String.format(
            Locale.ROOT,
            "minimum %s, weight %d, limit %s, beyond share %s, kill-timeout %d ms",
            Quantities.formatSize(quota.minimumBytes()),
            quota.weight(),
            Quantities.formatSize(quota.limitOn(cardBytes)),
            quota.beyondShare().text(),
            quota.killTimeout().toMillis());
    Audit.of(event).addKeyValue("guest", guest).addKeyValue("quota", now).log("quota changed");
    notify(
        new DaemonEvent(
            NotificationTypes.QUOTA_CHANGED,
            guest + ": " + now,
            ImmutableMap.of(
                "guest",
                guest,
                "minimumBytes",
                quota.minimumBytes(),
                "weight",
                quota.weight(),
                "limitBytes",
                quota.limitOn(cardBytes),
                "beyondShare",
                quota.beyondShare().text(),
                "killTimeoutMs",
                quota.killTimeout().toMillis())));
  }

  /** Memory has moved where the guest's quota wants it. */
  private void awaitHeld(String guest) {
    GuestHost host = guests.all().get(guest);
    if (host != null) {
      host.gpu().shares().awaitHeld();
    }
  }

  @Override
  public void shutdown(boolean force) throws OperationsException {
    List<String> users =
        guests.all().values().stream().flatMap(guest -> guest.users().stream()).toList();
    if (!users.isEmpty() && !force) {
      throw Problem.of(
              ErrorCode.STOP_REFUSED,
              "cannot stop the daemon",
              "GPUs are in use: " + String.join(", ", users),
              "stop those first, or retry with --force: they lose their GPU")
          .exception();
    }
    shutdown();
  }

  @Override
  public void shutdown() {
    Audit.of("shutdown").log("stop asked for");
    stop.run();
  }
}

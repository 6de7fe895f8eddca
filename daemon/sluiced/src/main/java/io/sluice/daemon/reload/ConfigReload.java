package io.sluice.daemon.reload;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.SluiceException;
import io.sluice.daemon.config.ConfigException;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.config.LiveKeys;
import io.sluice.daemon.config.WireSettings;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.daemon.guest.GuestTable;
import io.sluice.daemon.migration.Migrations;
import io.sluice.daemon.runtime.CauseText;
import io.sluice.daemon.runtime.LogLevels;
import io.sluice.management.ErrorCode;
import io.sluice.management.GuestStatus;
import io.sluice.management.Problem;
import io.sluice.management.ReloadedSetting;
import io.sluice.migrate.wire.TlsFiles;
import io.sluice.quota.Quota;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import javax.management.OperationsException;

/**
 * The configuration of a daemon that serves: what it runs on, and how that is read anew. A wrong
 * one is refused as a whole. Of a right one each difference takes effect by itself, so that one
 * that cannot keeps no other from it.
 */
public final class ConfigReload {
  /** The place that the configuration is read from. */
  @FunctionalInterface
  public interface ConfigSource {
    /** Reads all of it again. */
    DaemonConfig read() throws ConfigException;
  }

  private final ConfigSource source;
  private final GuestTable guests;
  private final Supplier<Optional<Migrations>> migrations;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile DaemonConfig running;

  /**
   * @param running what the daemon was started with
   * @param migrations whose certificates are read anew; empty while the daemon starts
   */
  public ConfigReload(
      DaemonConfig running,
      ConfigSource source,
      GuestTable guests,
      Supplier<Optional<Migrations>> migrations) {
    this.running = running;
    this.source = source;
    this.guests = guests;
    this.migrations = migrations;
  }

  /** The configuration with the settings that are in effect. */
  public DaemonConfig running() {
    return running;
  }

  /**
   * Reads the configuration anew.
   *
   * @param onQuota told of each guest that has another quota now
   * @return every difference, and what has become of it
   * @throws OperationsException when it is wrong; nothing has changed then
   */
  public List<ReloadedSetting> reload(BiConsumer<String, Quota> onQuota)
      throws OperationsException {
    lock.lock();
    try {
      DaemonConfig wanted = read();
      SettingsDiff diff = new SettingsDiff(running.settings(), wanted.settings());
      certificates(diff, wanted);
      guests(diff, wanted, onQuota);
      if (diff.differs(LiveKeys.LOG_LEVEL)) {
        LogLevels.set(wanted.logLevel());
        diff.now(LiveKeys.LOG_LEVEL);
      }
      running = running.showing(diff.inEffect());
      return diff.report();
    } finally {
      lock.unlock();
    }
  }

  private DaemonConfig read() throws OperationsException {
    try {
      return source.read();
    } catch (ConfigException e) {
      int more = e.errors().size() - 1;
      throw Problem.of(
              ErrorCode.DAEMON_CONFIG,
              "the configuration is not reloaded, nothing has changed",
              e.errors().get(0) + (more == 0 ? "" : ", and " + more + " more"),
              "mend it: sluiced --check-config shows every error")
          .exception();
    }
  }

  /** Their contents may be new where their names are not. */
  @GuardedBy("lock")
  private void certificates(SettingsDiff diff, DaemonConfig wanted) {
    WireSettings wire = wanted.wire();
    Migrations moving = migrations.get().orElse(null);
    if (wire == null || moving == null) {
      return;
    }
    try {
      Optional<TlsFiles.Validity> valid = moving.renew(wire.compress());
      if (valid.isPresent()) {
        diff.now(LiveKeys.COMPRESS);
        diff.add(
            new ReloadedSetting(
                LiveKeys.CERTIFICATE,
                "",
                "read anew, valid until " + valid.get().until(),
                ReloadedSetting.NOW,
                ""));
      }
    } catch (SluiceException e) {
      diff.failed(LiveKeys.COMPRESS, "the certificates cannot be used");
      diff.add(
          new ReloadedSetting(
              LiveKeys.CERTIFICATE, "", "", ReloadedSetting.FAILED, CauseText.of(e)));
    }
  }

  /** Those that go make room for those that come, and lower minimums for higher ones. */
  @GuardedBy("lock")
  private void guests(SettingsDiff diff, DaemonConfig wanted, BiConsumer<String, Quota> onQuota) {
    Map<String, GuestSettings> named = new TreeMap<>();
    wanted.guests().forEach(guest -> named.put(guest.name(), guest));
    for (GuestHost served : ImmutableList.copyOf(guests.all().values())) {
      String name = served.settings().name();
      if (served.origin().equals(GuestStatus.FROM_CONFIGURATION) && !named.containsKey(name)) {
        retire(diff, name);
      }
    }
    List<GuestSettings> ordered = new ArrayList<>(named.values());
    ordered.sort(Comparator.comparingLong(this::growth));
    for (GuestSettings guest : ordered) {
      GuestHost served = guests.all().get(guest.name());
      if (served == null) {
        serve(diff, wanted, guest);
      } else if (served.origin().equals(GuestStatus.CREATED)) {
        diff.whole(
            guest.name(),
            ReloadedSetting.NEXT_START,
            "a guest of this name was created at run time");
      } else if (diff.differsIn(LiveKeys.quota(guest.name()))) {
        reconfigure(diff, guest, onQuota);
      }
    }
  }

  /** How much more it always gets. */
  private long growth(GuestSettings wanted) {
    GuestHost served = guests.all().get(wanted.name());
    long before = served == null ? 0 : served.quota().minimumBytes();
    return wanted.quota().minimumBytes() - before;
  }

  private void retire(SettingsDiff diff, String name) {
    try {
      boolean gone = guests.retire(name);
      diff.whole(
          name,
          gone ? ReloadedSetting.NOW : ReloadedSetting.NEXT_START,
          gone ? "" : "its GPU is in use");
    } catch (OperationsException e) {
      diff.whole(name, ReloadedSetting.FAILED, reason(e));
    }
  }

  private void serve(SettingsDiff diff, DaemonConfig wanted, GuestSettings guest) {
    Optional<String> obstacle = obstacle(wanted, guest);
    if (obstacle.isPresent()) {
      diff.whole(guest.name(), ReloadedSetting.NEXT_START, obstacle.get());
      return;
    }
    try {
      guests.serve(guest, GuestStatus.FROM_CONFIGURATION);
      diff.whole(guest.name(), ReloadedSetting.NOW, "");
    } catch (OperationsException e) {
      diff.whole(guest.name(), ReloadedSetting.FAILED, reason(e));
    }
  }

  /** What a guest needs that only a start brings. */
  private Optional<String> obstacle(DaemonConfig wanted, GuestSettings guest) {
    if (running.gpus().stream().noneMatch(gpu -> gpu.name().equals(guest.gpu()))) {
      return Optional.of("its GPU is opened at the start");
    }
    if (guests.all().size() >= DaemonConfig.MAX_GUESTS) {
      return Optional.of(
          "there are " + DaemonConfig.MAX_GUESTS + " with those that stay or were created");
    }
    if (!wanted.runDir().equals(running.runDir())) {
      return Optional.of("the directory of its socket waits for it, too");
    }
    return Optional.empty();
  }

  private void reconfigure(
      SettingsDiff diff, GuestSettings guest, BiConsumer<String, Quota> onQuota) {
    try {
      boolean taken = guests.reconfigure(guest.name(), guest.quota());
      if (taken) {
        onQuota.accept(guest.name(), guest.quota());
      }
      for (String key : LiveKeys.quota(guest.name())) {
        if (taken) {
          diff.now(key);
        } else {
          diff.kept(key, "sluicectl quota set has changed it: see sluicectl quota reset");
        }
      }
    } catch (OperationsException e) {
      LiveKeys.quota(guest.name()).forEach(key -> diff.failed(key, reason(e)));
    }
  }

  private static String reason(OperationsException e) {
    return Problem.parse(e.getMessage()).map(Problem::cause).orElseGet(e::getMessage);
  }
}

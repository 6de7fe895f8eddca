package io.sluice.daemon.guest;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.channel.SlotLimits;
import io.sluice.daemon.config.CreatedGuests;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.config.ProgramSettings;
import io.sluice.daemon.config.QuotaStore;
import io.sluice.daemon.gpu.GpuHost;
import io.sluice.daemon.gpu.GpuShares;
import io.sluice.management.ErrorCode;
import io.sluice.management.GuestStatus;
import io.sluice.management.Nearest;
import io.sluice.management.Problem;
import io.sluice.quota.Quota;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.management.OperationsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The guests that are served. What changes the table excludes each other; looking waits for
 * nothing, and nothing but what needs the same name waits for the end of a guest.
 */
public final class GuestTable {
  private static final Logger LOG = LoggerFactory.getLogger(GuestTable.class);

  /** The observer, told of guests that come and go: of one name in order. */
  public interface Observer {
    /** The guest is served. Under the table's lock. */
    void onCreated(GuestHost guest);

    /** The guest is gone. */
    void onDestroyed(GuestHost guest);
  }

  private final DaemonConfig config;
  private final GuestChecks checks;
  private final ImmutableMap<String, GpuHost> gpus;
  private final CreatedGuests store;
  private final QuotaStore quotas;
  private final ChangeRate quotaChanges;
  private final Supplier<UUID> uuids;
  private final GuestHost.Surroundings surroundings;
  private final Observer observer;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile ImmutableSortedMap<String, GuestHost> guests = ImmutableSortedMap.of();

  @GuardedBy("lock")
  private boolean closed;

  /** Guests that are in the table no more, and have not ended yet: their names are not free. */
  @GuardedBy("lock")
  private final Set<String> leaving = new HashSet<>();

  private final Condition someLeft = lock.newCondition();

  /**
   * @param quotas those of them that were changed at run time
   * @param quotaChanges limits how often that is done
   * @param uuids identities for guests that are created
   */
  public GuestTable(
      DaemonConfig config,
      ImmutableMap<String, GpuHost> gpus,
      CreatedGuests store,
      QuotaStore quotas,
      ChangeRate quotaChanges,
      Supplier<UUID> uuids,
      GuestHost.Surroundings surroundings,
      Observer observer) {
    this.config = config;
    checks = new GuestChecks(config);
    this.gpus = gpus;
    this.store = store;
    this.quotas = quotas;
    this.quotaChanges = quotaChanges;
    this.uuids = uuids;
    this.surroundings = surroundings;
    this.observer = observer;
  }

  /** All guests by name. */
  public ImmutableSortedMap<String, GuestHost> all() {
    return guests;
  }

  /** Begins to serve a guest that the configuration or the store has. */
  public void serve(GuestSettings settings, String origin) throws OperationsException {
    lock.lock();
    try {
      String failed = "cannot serve guest \"" + settings.name() + "\"";
      checkOpen(failed);
      checkGone(failed, settings.name());
      start(failed, settings, origin);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Creates a guest at run time and remembers it.
   *
   * @param quota what is other than usual
   */
  public void create(String name, String gpuName, String qmpPath, QuotaChange quota)
      throws OperationsException {
    lock.lock();
    try {
      String failed = "cannot create guest \"" + name + "\"";
      checkOpen(failed);
      checkName(failed, name);
      GpuHost gpu = gpu(failed, gpuName);
      GuestSettings settings =
          new GuestSettings(
              name,
              uuids.get(),
              gpu.name(),
              socket(failed, name),
              qmp(failed, name, qmpPath),
              quota.isNone()
                  ? Quota.DEFAULT
                  : quota.applyTo(Quota.DEFAULT, failed, gpu.gpu().info().vramBytes()),
              SlotLimits.DEFAULT,
              GuestSettings.DEFAULT_MAPS,
              ProgramSettings.NONE);
      begin(failed, settings);
    } finally {
      lock.unlock();
    }
  }

  /** Creates a guest with what another one may have, its quota as it is now, and remembers it. */
  public void copy(String source, String name, String qmpPath) throws OperationsException {
    lock.lock();
    try {
      String failed = "cannot clone guest \"" + source + "\"";
      checkOpen(failed);
      GuestSettings known = find(failed, source).settings();
      checkName(failed, name);
      begin(
          failed,
          known.of(
              name,
              uuids.get(),
              socket(failed, name),
              qmp(failed, name, qmpPath),
              quotas.of(known)));
    } finally {
      lock.unlock();
    }
  }

  private Path socket(String failed, String name) throws OperationsException {
    Path socket = GuestSettings.defaultSocket(config.runDir(), name);
    checks.requireUnreserved(failed, name, socket);
    return socket;
  }

  private Path qmp(String failed, String name, String path) throws OperationsException {
    return path.isEmpty()
        ? GuestSettings.defaultQmp(config.runDir(), config.guestGroup(), name)
        : checks.monitor(failed, path);
  }

  @GuardedBy("lock")
  private void begin(String failed, GuestSettings settings) throws OperationsException {
    forgetQuota(settings.name()); // of a guest that had the name before
    GuestHost guest = start(failed, settings, GuestStatus.CREATED);
    try {
      store.save(created());
    } catch (IOException e) {
      takeOut(guest);
      List<String> _ = GuestEnd.of(guest, observer);
      free(guest);
      throw Problem.of(
              ErrorCode.GUEST_STATE,
              failed,
              "it cannot be remembered in " + store.file() + ": " + e.getMessage(),
              "check daemon.state-dir")
          .exception();
    }
  }

  /**
   * Destroys a guest that was created at run time, and forgets it.
   *
   * @param destroyed runs once it is gone, whatever is left of it
   */
  public void destroy(String name, boolean force, Runnable destroyed) throws OperationsException {
    GuestHost guest = takeOut(name, force);
    List<String> left = GuestEnd.of(guest, observer);
    lock.lock();
    try {
      destroyed.run();
      forgetQuota(name);
      store.save(created());
      guest.forget();
      GuestEnd.require(name, left);
    } catch (IOException e) {
      throw Problem.of(
              ErrorCode.GUEST_STATE,
              "guest \"" + name + "\" is destroyed, and will be back after a restart",
              store.file() + " cannot be written: " + e.getMessage(),
              "check daemon.state-dir")
          .exception();
    } finally {
      free(guest);
      lock.unlock();
    }
  }

  /** Takes a guest that may be destroyed out of the table. */
  private GuestHost takeOut(String name, boolean force) throws OperationsException {
    lock.lock();
    try {
      String failed = "cannot destroy guest \"" + name + "\"";
      checkOpen(failed);
      GuestHost guest = find(failed, name);
      if (!guest.origin().equals(GuestStatus.CREATED)) {
        throw Problem.of(
                ErrorCode.GUEST_CONFIGURED,
                failed,
                "it stands in the configuration",
                "remove its [[guest]], then sluicectl daemon reload")
            .exception();
      }
      Optional<String> users = guest.users();
      if (users.isPresent() && !force) {
        throw Problem.of(
                ErrorCode.GUEST_ATTACHED,
                failed,
                "its GPU is in use: " + users.get(),
                "stop the machine or the programs first, or retry with --force")
            .exception();
      }
      takeOut(guest);
      return guest;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void takeOut(GuestHost guest) {
    String name = guest.settings().name();
    TreeMap<String, GuestHost> changed = new TreeMap<>(guests);
    changed.remove(name);
    guests = ImmutableSortedMap.copyOf(changed);
    leaving.add(name);
  }

  /** A guest that was taken out has ended: its name is free. */
  private void free(GuestHost guest) {
    lock.lock();
    try {
      leaving.remove(guest.settings().name());
      someLeft.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Changes a guest's quota and keeps it over restarts; it is this then. */
  public Quota setQuota(String name, QuotaChange change) throws OperationsException {
    lock.lock();
    try {
      String failed = "cannot change the quota of guest \"" + name + "\"";
      checkOpen(failed);
      GuestHost guest = find(failed, name);
      Quota before = quotas.of(guest.settings());
      long cardBytes = guest.gpu().gpu().info().vramBytes();
      return changeQuota(failed, guest, before, change.applyTo(before, failed, cardBytes));
    } finally {
      lock.unlock();
    }
  }

  /** Gives a guest the quota it was made with; it is this then. */
  public Quota resetQuota(String name) throws OperationsException {
    lock.lock();
    try {
      String failed = "cannot reset the quota of guest \"" + name + "\"";
      checkOpen(failed);
      GuestHost guest = find(failed, name);
      Quota before = quotas.of(guest.settings());
      return changeQuota(failed, guest, before, quotas.configured(guest.settings()));
    } finally {
      lock.unlock();
    }
  }

  /**
   * The configuration was read anew and has a guest that is served: its quota is this from now on,
   * unless an operator has changed it, whose word stands.
   *
   * @return whether the guest has that quota now
   * @throws OperationsException when it does not fit; nothing has changed then
   */
  public boolean reconfigure(String name, Quota wanted) throws OperationsException {
    lock.lock();
    try {
      String failed = "cannot change the quota of guest \"" + name + "\"";
      checkOpen(failed);
      GuestHost guest = find(failed, name);
      boolean stands = quotas.isChanged(name);
      if (!stands) {
        guest.gpu().shares().set(failed, name, wanted);
      }
      quotas.configure(name, wanted);
      return !stands;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The configuration was read anew and lacks a guest.
   *
   * @return whether it is gone; one whose GPU is in use stays until the next start
   */
  public boolean retire(String name) throws OperationsException {
    GuestHost guest;
    lock.lock();
    try {
      String failed = "cannot remove guest \"" + name + "\"";
      checkOpen(failed);
      guest = find(failed, name);
      if (guest.users().isPresent()) {
        return false;
      }
      takeOut(guest);
    } finally {
      lock.unlock();
    }
    List<String> left = GuestEnd.of(guest, observer);
    lock.lock();
    try {
      forgetQuota(name);
      guest.forget();
      GuestEnd.require(name, left);
      return true;
    } finally {
      free(guest);
      lock.unlock();
    }
  }

  /** When this throws nothing has changed. */
  private Quota changeQuota(String failed, GuestHost guest, Quota before, Quota wanted)
      throws OperationsException {
    if (wanted.equals(before)) {
      return wanted;
    }
    if (!quotaChanges.take()) {
      throw Problem.of(
              ErrorCode.QUOTA_RATE,
              failed,
              "more than " + ChangeRate.PER_SECOND + " changes a second",
              "retry later")
          .exception();
    }
    GpuShares shares = guest.gpu().shares();
    shares.set(failed, guest.settings().name(), wanted);
    try {
      quotas.put(guest.settings(), wanted);
      return wanted;
    } catch (IOException e) {
      shares.set(failed, guest.settings().name(), before);
      throw Problem.of(
              ErrorCode.QUOTA_STATE,
              failed,
              "it cannot be remembered in " + quotas.file() + ": " + e.getMessage(),
              "check daemon.state-dir")
          .exception();
    }
  }

  private void forgetQuota(String guest) {
    try {
      quotas.forget(guest);
    } catch (IOException e) {
      LOG.atWarn()
          .addKeyValue("guest", guest)
          .addKeyValue("file", quotas.file())
          .setCause(e)
          .log("the quota of a guest that is destroyed is left behind");
    }
  }

  /** Ends all guests; none can be created any more. */
  public void close() {
    List<GuestHost> last;
    lock.lock();
    try {
      closed = true;
      last = new ArrayList<>(guests.values());
    } finally {
      lock.unlock();
    }
    last.sort(Comparator.comparing((GuestHost guest) -> guest.settings().name()).reversed());
    last.forEach(this::end);
    lock.lock();
    try {
      while (!leaving.isEmpty()) { // those that others end
        someLeft.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void end(GuestHost guest) {
    lock.lock();
    try {
      takeOut(guest);
    } finally {
      lock.unlock();
    }
    List<String> _ = GuestEnd.of(guest, observer);
    free(guest);
  }

  private GuestHost start(String failed, GuestSettings settings, String origin)
      throws OperationsException {
    GpuHost gpu = gpu(failed, settings.gpu());
    if (settings.quota().hasLimit()) {
      GuestChecks.requireLimit(failed, settings.quota().limitBytes(), gpu);
    }
    gpu.shares().set(failed, settings.name(), quotas.of(settings));
    GuestHost guest = startHost(settings, origin, gpu);
    TreeMap<String, GuestHost> changed = new TreeMap<>(guests);
    changed.put(settings.name(), guest);
    guests = ImmutableSortedMap.copyOf(changed);
    gpu.slots().admit(settings.name(), settings.slots());
    observer.onCreated(guest);
    return guest;
  }

  private GuestHost startHost(GuestSettings settings, String origin, GpuHost gpu)
      throws OperationsException {
    boolean complete = false;
    try {
      GuestHost guest = GuestHost.start(settings, origin, gpu, this::gpu, surroundings);
      complete = true;
      return guest;
    } finally {
      if (!complete) {
        gpu.shares().remove(settings.name());
      }
    }
  }

  private List<GuestSettings> created() {
    return guests.values().stream()
        .filter(guest -> guest.origin().equals(GuestStatus.CREATED))
        .map(GuestHost::settings)
        .toList();
  }

  // ---- refusals ----

  @GuardedBy("lock")
  private void checkOpen(String failed) throws OperationsException {
    if (closed) {
      throw Problem.of(
              ErrorCode.DAEMON_STOPPING, failed, "the daemon is stopping", "retry when it is back")
          .exception();
    }
  }

  @GuardedBy("lock")
  private void checkName(String failed, String name) throws OperationsException {
    if (!GuestSettings.isName(name)) {
      throw Problem.of(
              ErrorCode.GUEST_NAME,
              failed,
              "\"" + name + "\" is not a name",
              "use " + GuestSettings.nameRule())
          .exception();
    }
    if (guests.containsKey(name)) {
      throw Problem.of(
              ErrorCode.GUEST_EXISTS,
              failed,
              "there is a guest of that name",
              "choose another name, or see sluicectl guest show " + name)
          .exception();
    }
    checkGone(failed, name);
    int all = guests.size() + leaving.size();
    if (all >= DaemonConfig.MAX_GUESTS) {
      throw Problem.of(
              ErrorCode.GUEST_LIMIT,
              failed,
              "there are " + all + " guests, as many as a daemon serves",
              "destroy one that is not needed")
          .exception();
    }
  }

  @GuardedBy("lock")
  private void checkGone(String failed, String name) throws OperationsException {
    if (leaving.contains(name)) {
      throw Problem.of(
              ErrorCode.GUEST_EXISTS,
              failed,
              "a guest of that name is being destroyed",
              "retry when it is gone")
          .exception();
    }
  }

  private GuestHost find(String failed, String name) throws OperationsException {
    GuestHost guest = guests.get(name);
    if (guest == null) {
      throw unknown(ErrorCode.GUEST_UNKNOWN, failed, "guest", name, guests.keySet().asList())
          .exception();
    }
    return guest;
  }

  private GpuHost gpu(String failed, String name) throws OperationsException {
    if (name.isEmpty()) {
      if (gpus.size() != 1) {
        throw Problem.of(
                ErrorCode.GPU_AMBIGUOUS,
                failed,
                "there are " + gpus.size() + " GPUs",
                "say which with --gpu, one of " + String.join(", ", gpus.keySet()))
            .exception();
      }
      return gpus.values().asList().get(0);
    }
    GpuHost gpu = gpus.get(name);
    if (gpu == null) {
      throw unknown(ErrorCode.GPU_UNKNOWN, failed, "GPU", name, gpus.keySet().asList()).exception();
    }
    return gpu;
  }

  private static Problem unknown(
      ErrorCode code, String failed, String kind, String name, List<String> known) {
    Optional<String> near = Nearest.to(name, known);
    String fix =
        near.map(n -> "did you mean \"" + n + "\"?")
            .orElse(known.isEmpty() ? "there is none" : "there are " + String.join(", ", known));
    return Problem.of(code, failed, "there is no " + kind + " \"" + name + "\"", fix);
  }
}

package io.sluice.daemon;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.sandbox.RealSandboxKernel;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.ConfigException;
import io.sluice.daemon.config.CreatedGuests;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.GpuSettings;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.config.QuotaStore;
import io.sluice.daemon.gpu.GpuHost;
import io.sluice.daemon.guest.ChangeRate;
import io.sluice.daemon.guest.GuestBean;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.daemon.guest.GuestTable;
import io.sluice.daemon.guest.MonitorAccess;
import io.sluice.daemon.guest.TableHeap;
import io.sluice.daemon.migration.AuditedMigrations;
import io.sluice.daemon.migration.Migrations;
import io.sluice.daemon.migration.PhaseEvents;
import io.sluice.daemon.relay.CudaPrograms;
import io.sluice.daemon.reload.ConfigReload;
import io.sluice.daemon.runtime.Audit;
import io.sluice.daemon.runtime.CauseText;
import io.sluice.daemon.runtime.DaemonEvent;
import io.sluice.daemon.runtime.OwnPlaces;
import io.sluice.daemon.runtime.RefusedCallers;
import io.sluice.daemon.runtime.Threads;
import io.sluice.daemon.runtime.Version;
import io.sluice.daemon.sessions.SessionHosts;
import io.sluice.daemon.sessions.SessionRoute;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.DescribedBean;
import io.sluice.management.ErrorCode;
import io.sluice.management.GuestMXBean;
import io.sluice.management.GuestStatus;
import io.sluice.management.MigrationsMXBean;
import io.sluice.management.NotificationTypes;
import io.sluice.management.ObjectNames;
import io.sluice.management.Problem;
import io.sluice.management.ProgramsMXBean;
import io.sluice.management.SessionsMXBean;
import io.sluice.management.local.LocalConnectorServer;
import io.sluice.management.local.PeerPolicy;
import io.sluice.migrate.vfio.ClientTransfers;
import io.sluice.vdevice.DeviceHost;
import io.sluice.vdevice.dma.MapBudget;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running daemon: the composition root. What {@code sluiced} runs, and what demos, benches and
 * tests start in their own process.
 *
 * <p>Parts are started in the order in which they depend on each other and closed in the opposite
 * order, also when one of them does not start.
 */
public final class SluicedInstance implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SluicedInstance.class);
  private static final Duration THREAD_PATIENCE = Duration.ofSeconds(5);
  private static final String RUN_DIR_MODE = "rwxr-xr-x";
  private static final String STATE_DIR_MODE = "rwx------";

  private final DaemonConfig config;
  private final ConfigReload.ConfigSource source;
  private final Kernel kernel;
  private final MBeanServer beans;
  private final Threads threads = new Threads();
  private final Deque<Part> parts = new ArrayDeque<>();
  private final List<GpuHost> gpus = new ArrayList<>();
  private final Map<GpuHost, Long> turnsSeen = new HashMap<>();
  private final CountDownLatch stopAsked = new CountDownLatch(1);
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Something to be closed. */
  @FunctionalInterface
  private interface Part {
    void close() throws Exception;
  }

  private SluicedInstance(
      DaemonConfig config, ConfigReload.ConfigSource source, Kernel kernel, MBeanServer beans) {
    this.config = config;
    this.source = source;
    this.kernel = kernel;
    this.beans = beans;
  }

  /**
   * Starts a daemon with the real kernel and an MBean server of its own.
   *
   * @throws OperationsException when it does not start; its message is a {@link Problem}
   * @throws ConfigException when the guests that were created at run time cannot be read
   */
  public static SluicedInstance start(DaemonConfig config)
      throws OperationsException, ConfigException {
    return start(config, RealKernel.create(), MBeanServerFactory.newMBeanServer());
  }

  /**
   * Starts a daemon whose configuration has no file.
   *
   * @param beans where its MXBeans are registered, and what the control socket serves
   * @throws OperationsException when it does not start; its message is a {@link Problem}
   * @throws ConfigException when the guests that were created at run time cannot be read
   */
  public static SluicedInstance start(DaemonConfig config, Kernel kernel, MBeanServer beans)
      throws OperationsException, ConfigException {
    return start(config, () -> config, kernel, beans);
  }

  /**
   * Starts a daemon.
   *
   * @param source where the configuration is read anew
   * @param beans where its MXBeans are registered, and what the control socket serves
   * @throws OperationsException when it does not start; its message is a {@link Problem}
   * @throws ConfigException when the guests that were created at run time cannot be read
   */
  public static SluicedInstance start(
      DaemonConfig config, ConfigReload.ConfigSource source, Kernel kernel, MBeanServer beans)
      throws OperationsException, ConfigException {
    SluicedInstance instance = new SluicedInstance(config, source, kernel, beans);
    boolean started = false;
    try {
      instance.compose();
      started = true;
      return instance;
    } finally {
      if (!started) {
        instance.closeParts();
      }
    }
  }

  private void compose() throws OperationsException, ConfigException {
    directory(config.runDir(), RUN_DIR_MODE);
    directory(config.stateDir(), STATE_DIR_MODE);
    directory(config.stateDir().resolve(OwnPlaces.CHECKPOINTS), STATE_DIR_MODE);
    requireAlone();
    Optional<GroupPrincipal> guestGroup = group(config.guestGroup(), "guest-group");
    if (guestGroup.isPresent()) {
      monitors(guestGroup.get());
    }
    Announcer announcer = new Announcer();
    ImmutableMap<String, GpuHost> gpus = openGpus(announcer);
    CreatedGuests store = new CreatedGuests(config.stateDir());
    List<GuestSettings> created = store.load(config);
    QuotaStore quotas = new QuotaStore(config.stateDir());
    quotas.load();
    SessionHosts sessions = sessions(announcer, quotas);
    CudaPrograms programs = programs(announcer);
    GuestTable table =
        new GuestTable(
            config,
            gpus,
            store,
            quotas,
            new ChangeRate(System::nanoTime),
            UUID::randomUUID,
            new GuestHost.Surroundings(
                new DeviceHost(
                    kernel,
                    threads,
                    System::nanoTime,
                    new MapBudget(kernel.hostLimits(), config.sharedBytes()),
                    config.guestLog()),
                guestGroup,
                new ClientTransfers(
                    announcer::requireStaying, kernel, System::nanoTime, SecureRandom::new),
                announcer::tell,
                announcer::requireStaying,
                sessions,
                programs,
                TableHeap.ofThisProcess()),
            announcer);
    ConfigReload configuration =
        new ConfigReload(config, source, table, () -> Optional.ofNullable(announcer.migrations));
    DaemonBean bean =
        new DaemonBean(configuration, kernel::hostLimits, gpus, table, stopAsked::countDown);
    announcer.bean = bean;
    register(bean, DaemonMXBean.class, ObjectNames.DAEMON);
    parts.push(table::close);
    for (GuestSettings guest : config.guests()) {
      table.serve(guest, GuestStatus.FROM_CONFIGURATION);
    }
    for (GuestSettings guest : created) {
      table.serve(guest, GuestStatus.CREATED);
    }
    Migrations migrations =
        new Migrations(
            table,
            config,
            new Migrations.Surroundings(
                kernel,
                threads,
                System::nanoTime,
                InstantSource.system(),
                SecureRandom::new,
                change -> announcer.tell(PhaseEvents.of(change)),
                sessions.door()));
    sessions.setRoute(new SessionRoute(Migrations::leadsTo, migrations::joinSession));
    announcer.migrations = migrations;
    parts.push(migrations::close);
    migrations.start();
    register(new AuditedMigrations(migrations), MigrationsMXBean.class, ObjectNames.MIGRATIONS);
    register(sessions, SessionsMXBean.class, ObjectNames.SESSIONS);
    register(programs, ProgramsMXBean.class, ObjectNames.PROGRAMS);
    startControl();
    migrations.lookForLeftMachines();
    parts.push(() -> announceStop(bean, table));
    LOG.atInfo()
        .addKeyValue("event", "started")
        .addKeyValue("version", Version.get())
        .addKeyValue("gpus", String.join(",", gpus.keySet()))
        .addKeyValue("guests", table.all().size())
        .addKeyValue("control", config.controlSocket())
        .log("serving");
  }

  private SessionHosts sessions(Announcer announcer, QuotaStore quotas) throws OperationsException {
    SessionHosts sessions =
        new SessionHosts(
            config,
            kernel,
            new RealSandboxKernel(kernel),
            threads,
            System::nanoTime,
            group(config.guestGroup(), "guest-group"),
            quotas::of,
            announcer::tell,
            (deed, what) -> Audit.of(deed).addKeyValue("sessions", what).log("sessions changed"));
    parts.push(sessions::close);
    return sessions;
  }

  private CudaPrograms programs(Announcer announcer) throws OperationsException {
    return new CudaPrograms(
        new CudaPrograms.Surroundings(
            kernel,
            threads,
            System::nanoTime,
            group(config.guestGroup(), "guest-group"),
            announcer::tell,
            (deed, what) -> Audit.of(deed).addKeyValue("program", what).log("program changed")));
  }

  private ImmutableMap<String, GpuHost> openGpus(Announcer announcer) throws OperationsException {
    ImmutableMap.Builder<String, GpuHost> gpus = ImmutableMap.builder();
    for (GpuSettings settings : config.gpus()) {
      GpuHost gpu = GpuHost.open(settings, kernel, threads, System::nanoTime, announcer::tell);
      parts.push(gpu::close);
      this.gpus.add(gpu);
      gpus.put(settings.name(), gpu);
    }
    return gpus.buildOrThrow();
  }

  /**
   * A second daemon by mistake hears of the first, not of the first socket that both would have.
   */
  private void requireAlone() throws OperationsException {
    try {
      LocalConnectorServer.requireFree(config.controlSocket());
    } catch (IOException e) {
      throw noControl(config.controlSocket(), e);
    }
  }

  private static OperationsException noControl(Path socket, IOException e) {
    return Problem.of(
            ErrorCode.DAEMON_PATH,
            "cannot make the control socket " + socket,
            CauseText.of(e),
            "check daemon.control-socket and daemon.control-group")
        .exception();
  }

  private void startControl() throws OperationsException {
    Path socket = config.controlSocket();
    try {
      PeerPolicy policy =
          config.controlGroup().isEmpty()
              ? PeerPolicy.owner()
              : PeerPolicy.group(config.controlGroup());
      LocalConnectorServer server =
          LocalConnectorServer.start(socket, policy, beans, new RefusedCallers(System::nanoTime));
      parts.push(server::close);
    } catch (IOException e) {
      throw noControl(socket, e);
    }
  }

  /** An operator who stops the daemon under a machine shall see which. */
  private static void announceStop(DaemonBean bean, GuestTable table) {
    bean.setStopping();
    List<String> attached =
        table.all().values().stream().flatMap(guest -> guest.users().stream()).toList();
    bean.notify(
        new DaemonEvent(
            NotificationTypes.DAEMON_STOPPING,
            String.join(", ", attached),
            ImmutableMap.of("attached", attached.size())));
    if (attached.isEmpty()) {
      LOG.atInfo().addKeyValue("event", "stopping").log("stopping");
    } else {
      LOG.atWarn()
          .addKeyValue("event", "stopping")
          .addKeyValue("attached", String.join(", ", attached))
          .log("stopping; these guests lose their GPU");
    }
  }

  // ---- use ----

  /** Where sluicectl connects. */
  public Path controlSocket() {
    return config.controlSocket();
  }

  /** Where a guest of this name attaches, unless its configuration says otherwise. */
  public Path guestSocket(String guest) {
    return GuestSettings.defaultSocket(config.runDir(), guest);
  }

  /** The daemon's MXBean, without a connection. */
  public DaemonMXBean daemon() {
    return JMX.newMXBeanProxy(beans, ObjectNames.DAEMON, DaemonMXBean.class);
  }

  /** A guest's MXBean, without a connection. */
  public GuestMXBean guest(String name) {
    return JMX.newMXBeanProxy(beans, ObjectNames.guest(name), GuestMXBean.class);
  }

  /** Guests that move, without a connection. */
  public MigrationsMXBean migrations() {
    return JMX.newMXBeanProxy(beans, ObjectNames.MIGRATIONS, MigrationsMXBean.class);
  }

  /** Sessions of APIs, without a connection. */
  public SessionsMXBean sessions() {
    return JMX.newMXBeanProxy(beans, ObjectNames.SESSIONS, SessionsMXBean.class);
  }

  /** CUDA programs, without a connection. */
  public ProgramsMXBean programs() {
    return JMX.newMXBeanProxy(beans, ObjectNames.PROGRAMS, ProgramsMXBean.class);
  }

  /** Waits until somebody asks the daemon to stop. */
  public void awaitStop() throws InterruptedException {
    stopAsked.await();
  }

  /** Waits at most so long, and says whether somebody has asked the daemon to stop. */
  boolean awaitStop(Duration most) throws InterruptedException {
    return stopAsked.await(most.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Looks whether every GPU has worked, or idled in order, since the last look. */
  boolean lookForProgress() {
    boolean all = true;
    for (GpuHost gpu : gpus) {
      OptionalLong turns = gpu.turns();
      if (turns.isPresent()) {
        Long before = turnsSeen.put(gpu, turns.getAsLong());
        all &= before == null || before != turns.getAsLong();
      }
    }
    return all;
  }

  /** Stops the daemon in order and waits for its threads. A second close does nothing. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      closeParts();
      LOG.atInfo().addKeyValue("event", "stopped").log("stopped");
    }
  }

  private void closeParts() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        LOG.atError().setCause(e).log("a part of the daemon did not close");
      }
    }
    List<String> left = threads.join(THREAD_PATIENCE);
    if (!left.isEmpty()) {
      LOG.atError().addKeyValue("threads", left).log("threads did not end");
    }
  }

  // ---- helpers ----

  private <T> void register(T bean, Class<T> type, ObjectName name) {
    try {
      beans.registerMBean(DescribedBean.of(bean, type), name);
      parts.push(() -> beans.unregisterMBean(name));
    } catch (JMException e) {
      throw new AssertionError("an MXBean that cannot be registered: " + name, e);
    }
  }

  private void monitors(GroupPrincipal group) throws OperationsException {
    Path path = GuestSettings.monitors(config.runDir());
    try {
      MonitorAccess.makeDirectory(path, group, kernel);
    } catch (IOException e) {
      throw Problem.of(
              ErrorCode.DAEMON_PATH,
              "cannot make directory " + path + " for group \"" + config.guestGroup() + "\"",
              CauseText.of(e),
              "have the daemon's user in that group, or change daemon.guest-group")
          .exception();
    }
  }

  private static void directory(Path path, String mode) throws OperationsException {
    try {
      if (!Files.isDirectory(path)) {
        Files.createDirectories(
            path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)));
      }
    } catch (IOException e) {
      throw Problem.of(
              ErrorCode.DAEMON_PATH,
              "cannot make directory " + path,
              CauseText.of(e),
              "make it, or choose another in the configuration")
          .exception();
    }
  }

  private static Optional<GroupPrincipal> group(String name, String key)
      throws OperationsException {
    if (name.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          FileSystems.getDefault()
              .getUserPrincipalLookupService()
              .lookupPrincipalByGroupName(name));
    } catch (IOException _) {
      throw Problem.of(
              ErrorCode.DAEMON_PATH,
              "cannot make sockets for group \"" + name + "\"",
              "there is no such group",
              "make it, or change daemon." + key)
          .exception();
    }
  }

  /** The announcer, which registers guests' MXBeans and tells who listens. */
  private final class Announcer implements GuestTable.Observer {
    private volatile @Nullable DaemonBean bean;
    private volatile @Nullable Migrations migrations;

    /** A guest that the daemon moves is not its client's to move. */
    void requireStaying(String guest) {
      Migrations made = migrations;
      if (made != null) {
        made.requireStaying(guest);
      }
    }

    @Override
    public void onCreated(GuestHost guest) {
      try {
        beans.registerMBean(
            DescribedBean.of(new GuestBean(guest), GuestMXBean.class),
            ObjectNames.guest(guest.settings().name()));
      } catch (JMException e) {
        throw new AssertionError(
            "an MXBean that cannot be registered: " + guest.settings().name(), e);
      }
      tell(DaemonEvent.ofGuest(NotificationTypes.GUEST_CREATED, guest.settings().name()));
    }

    @Override
    public void onDestroyed(GuestHost guest) {
      try {
        beans.unregisterMBean(ObjectNames.guest(guest.settings().name()));
      } catch (JMException e) {
        throw new AssertionError("an MXBean that is not registered: " + guest.settings().name(), e);
      }
      tell(DaemonEvent.ofGuest(NotificationTypes.GUEST_DESTROYED, guest.settings().name()));
    }

    private void tell(String type, String message) {
      tell(new DaemonEvent(type, message));
    }

    private void tell(DaemonEvent event) {
      DaemonBean target = bean;
      if (target != null) {
        target.notify(event);
      }
    }
  }
}

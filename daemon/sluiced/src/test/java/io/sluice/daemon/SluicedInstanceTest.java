package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.ConfigException;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Space;
import io.sluice.management.ChannelStatus;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.GpuStatus;
import io.sluice.management.GuestMXBean;
import io.sluice.management.GuestStatus;
import io.sluice.management.NotificationTypes;
import io.sluice.management.ObjectNames;
import io.sluice.management.QuotaStatus;
import io.sluice.management.TableStatus;
import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.OperationsException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The daemon with the software GPU and the real kernel, in this process. */
final class SluicedInstanceTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  static {
    // RMI keeps a client's connections 15 s for reuse; read once, when RMI is first used.
    System.setProperty("sun.rmi.transport.connectionTimeout", "100");
  }

  private static final Kernel KERNEL = RealKernel.create();

  @TempDir private static Path warmUpDir;
  @TempDir private Path dir;
  private Path file;

  /** What the JDK opens once and keeps. */
  @BeforeAll
  static void warmUp() throws Exception {
    Map<String, String> settings =
        Map.of("daemon.run-dir", warmUpDir.toString(), "daemon.state-dir", warmUpDir.toString());
    try (SluicedInstance daemon = SluicedInstance.start(DaemonConfig.of(settings));
        LocalConnection connection = LocalConnection.open(daemon.controlSocket())) {
      assertThat(connection.daemon().getState()).isEqualTo("running");
    }
  }

  @BeforeEach
  void writeConfiguration() throws IOException {
    file =
        Files.writeString(
            dir.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%s/run"
            state-dir = "%s/state"
            [gpu.embedded]
            vram = "64MiB"
            [[guest]]
            name = "web-01"
            vram-limit = "16MiB"
            """
                .formatted(dir, dir));
  }

  // ---- refusals ----

  @Test
  void start_runDirInUse_refusesAndLeavesTheOther() throws Exception {
    try (SluicedInstance daemon = start()) {
      assertThatThrownBy(this::start)
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("cannot make the control socket " + dir.resolve("run/control"))
          .hasMessageContaining("SLU-DAEMON-002");
      assertThat(daemon.daemon().getState()).isEqualTo("running");
      attachAndLeave(daemon, "web-01");
    }
  }

  @Test
  void beans_overTheSocket_describeThemselves() throws Exception {
    try (SluicedInstance daemon = start();
        LocalConnection connection = LocalConnection.open(daemon.controlSocket())) {
      var beans = connection.beans();
      for (var name : beans.queryNames(new ObjectName("io.sluice:*"), null)) {
        assertThat(beans.getMBeanInfo(name).getAttributes())
            .as(name.toString())
            .isNotEmpty()
            .noneMatch(a -> a.getDescription().contains("exposed for management"));
      }
      assertThat(beans.getMBeanInfo(ObjectNames.DAEMON).getNotifications())
          .hasSameSizeAs(NotificationTypes.infos());
    }
  }

  @Test
  void start_afterADaemonThatWasKilledInAMigration_removesItsSockets() throws Exception {
    Path run = Files.createDirectory(dir.resolve("run"));
    Path out = leftSocket(run.resolve("web-01.qmp.out"));
    Path in = leftSocket(run.resolve("web-01.qmp.in"));

    try (SluicedInstance _ = start()) {
      assertThat(out).doesNotExist();
      assertThat(in).doesNotExist();
    }
  }

  @Test
  void start_whereAFileHasTheNameOfASocket_leavesIt() throws Exception {
    Path run = Files.createDirectory(dir.resolve("run"));
    Path file = Files.createFile(run.resolve("web-01.qmp.out"));

    try (SluicedInstance _ = start()) {
      assertThat(file).exists();
    }
  }

  /** A socket whose server has ended. */
  private static Path leftSocket(Path path) throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(path));
    }
    assertThat(path).exists();
    return path;
  }

  @Test
  void start_deviceThatIsNotThere_saysWhich() throws Exception {
    Files.writeString(file, "[gpu.card0]\ndevice = \"/nowhere/card0\"\n");

    assertThatThrownBy(() -> SluicedInstance.start(withDirs()))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("cannot open GPU \"card0\"")
        .hasMessageContaining("/nowhere/card0")
        .hasMessageContaining("SLU-DAEMON-006");
  }

  @Test
  void start_deviceThatIsNoGpu_saysSo() throws Exception {
    Files.writeString(file, "[gpu.null]\ndevice = \"/dev/null\"\n");

    assertThatThrownBy(() -> SluicedInstance.start(withDirs()))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("cannot open GPU \"null\"");
  }

  @Test
  void start_groupThatIsNotThere_saysSo() throws Exception {
    Files.writeString(file, "[daemon]\nguest-group = \"no-such-group\"\n");

    assertThatThrownBy(() -> SluicedInstance.start(withDirs()))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("no-such-group")
        .hasMessageContaining("daemon.guest-group");
  }

  @Test
  void start_brokenStateFile_refuses() throws Exception {
    Path state = Files.createDirectories(dir.resolve("state"));
    Files.writeString(state.resolve("guests.toml"), "[[guest]]\n");

    assertThatThrownBy(this::start)
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("guests.toml:1:1: [[guest]] without a name");
  }

  @Test
  void start_guestSocketIsAFile_refusesAndLeavesIt() throws Exception {
    Path run = Files.createDirectories(dir.resolve("run"));
    Files.writeString(run.resolve("web-01.sock"), "mine");

    assertThatThrownBy(this::start)
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-GUEST-007");
    assertThat(run.resolve("web-01.sock")).hasContent("mine");
    assertThat(run.resolve("control")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../x", "-x", "a b", "a/b", "ü", "x\n"})
  void createGuest_noName_refuses(String name) throws Exception {
    try (SluicedInstance daemon = start()) {
      assertThatThrownBy(() -> daemon.daemon().createGuest(name, "", 0))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("SLU-GUEST-003");
      assertThat(daemon.daemon().getGuests()).containsOnlyKeys("web-01");
    }
  }

  @Test
  void createGuest_wrongArguments_refuses() throws Exception {
    try (SluicedInstance daemon = start()) {
      DaemonMXBean bean = daemon.daemon();
      assertThatThrownBy(() -> bean.createGuest("web-01", "", 0))
          .hasMessageContaining("SLU-GUEST-002");
      assertThatThrownBy(() -> bean.createGuest("a", "embeded", 0))
          .hasMessageContaining("SLU-DAEMON-004")
          .hasMessageContaining("did you mean \"embedded\"?");
      assertThatThrownBy(() -> bean.createGuest("a", "", (64L << 20) + 1))
          .hasMessageContaining("SLU-GUEST-009");
      assertThatThrownBy(() -> bean.createGuest("a", "", -1)).hasMessageContaining("SLU-QUOTA-001");
      assertThatThrownBy(() -> bean.createGuest("a", "", 5000))
          .hasMessageContaining("SLU-QUOTA-001");
      assertThatThrownBy(() -> bean.createGuest("migration", "", 0))
          .hasMessageContaining("SLU-GUEST-003")
          .hasMessageContaining("the name \"migration\" is reserved");
      assertThat(bean.getGuests()).containsOnlyKeys("web-01");
      assertThat(dir.resolve("state/guests.toml")).doesNotExist();
    }
  }

  @Test
  void cloneGuest_wrongArguments_refuses() throws Exception {
    try (SluicedInstance daemon = start()) {
      DaemonMXBean bean = daemon.daemon();
      assertThatThrownBy(() -> bean.cloneGuest("web-1", "b", ""))
          .hasMessageContaining("SLU-GUEST-001")
          .hasMessageContaining("did you mean \"web-01\"?");
      assertThatThrownBy(() -> bean.cloneGuest("web-01", "web-01", ""))
          .hasMessageContaining("SLU-GUEST-002");
      assertThatThrownBy(() -> bean.cloneGuest("web-01", "a b", ""))
          .hasMessageContaining("SLU-GUEST-003");
      assertThatThrownBy(() -> bean.cloneGuest("web-01", "migration", ""))
          .hasMessageContaining("is reserved");
      assertThatThrownBy(() -> bean.cloneGuest("web-01", "b", "b.qmp"))
          .hasMessageContaining("is no absolute path");
      bean.setQuota("web-01", 40L << 20, null, 64L << 20, null, null);
      assertThatThrownBy(() -> bean.cloneGuest("web-01", "b", ""))
          .as("its minimum does not fit twice")
          .hasMessageContaining("SLU-QUOTA-002");
      assertThat(bean.getGuests()).containsOnlyKeys("web-01");
      assertThat(dir.resolve("state/guests.toml")).doesNotExist();
      assertThat(daemon.guestSocket("b")).doesNotExist();
    }
  }

  @Test
  void cloneGuest_restart_hasWhatTheOtherMayHave() throws Exception {
    QuotaStatus quota;
    try (SluicedInstance daemon = start()) {
      DaemonMXBean bean = daemon.daemon();
      bean.setQuota("web-01", 4L << 20, 3, 8L << 20, "system-memory", 700L);
      bean.cloneGuest("web-01", "ml-02", "");
      GuestStatus copy = status(daemon, "ml-02");
      GuestStatus other = status(daemon, "web-01");
      assertThat(copy.uuid()).isNotEqualTo(other.uuid());
      assertThat(copy.socketPath()).isNotEqualTo(other.socketPath());
      assertThat(copy.maxChannels()).isEqualTo(other.maxChannels());
      assertThat(copy.origin()).isEqualTo(GuestStatus.CREATED);
      attachAndLeave(daemon, "ml-02");
      quota = Objects.requireNonNull(bean.getQuotas().get("ml-02"));
      assertThat(quota.minimumBytes()).isEqualTo(4L << 20);
      assertThat(quota.weight()).isEqualTo(3);
      assertThat(quota.limitBytes()).isEqualTo(8L << 20);
      assertThat(quota.beyondShare()).isEqualTo("system-memory");
      assertThat(quota.killTimeoutMs()).isEqualTo(700);
      assertThat(quota.changed()).as("it was made so").isFalse();
      bean.resetQuota("web-01");
      assertThat(bean.getQuotas().get("ml-02")).isEqualTo(quota);
    }
    try (SluicedInstance daemon = start()) {
      assertThat(daemon.daemon().getQuotas().get("ml-02"))
          .usingRecursiveComparison()
          .ignoringFields("shareBytes", "gpuNs", "waitNs", "usesGpu")
          .isEqualTo(quota);
    }
  }

  @Test
  void createGuest_stateCannotBeWritten_undoesIt() throws Exception {
    try (SluicedInstance daemon = start()) {
      Files.delete(dir.resolve("state/checkpoints"));
      Files.delete(dir.resolve("state"));

      assertThatThrownBy(() -> daemon.daemon().createGuest("a", "", 0))
          .hasMessageContaining("SLU-GUEST-008");
      assertThat(daemon.daemon().getGuests()).containsOnlyKeys("web-01");
      assertThat(daemon.guestSocket("a")).doesNotExist();
    }
  }

  @Test
  void destroyGuest_refusals_leaveEverything() throws Exception {
    try (SluicedInstance daemon = start()) {
      DaemonMXBean bean = daemon.daemon();
      assertThatThrownBy(() -> bean.destroyGuest("web-1", false))
          .hasMessageContaining("SLU-GUEST-001")
          .hasMessageContaining("did you mean \"web-01\"?");
      assertThatThrownBy(() -> bean.destroyGuest("web-01", true))
          .hasMessageContaining("SLU-GUEST-005");
      bean.createGuest("ml-02", "", 0);
      try (AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket("ml-02"))) {
        assertThatThrownBy(() -> bean.destroyGuest("ml-02", false))
            .hasMessageContaining("SLU-GUEST-004")
            .hasMessageContaining("pid " + ProcessHandle.current().pid());
        assertThat(device.ping(7)).isEqualTo(7);
      }
      assertThat(bean.getGuests()).containsOnlyKeys("ml-02", "web-01");
    }
  }

  @Test
  void setLogLevel_noLevel_refuses() throws Exception {
    try (SluicedInstance daemon = start()) {
      String before = daemon.daemon().getLogLevel();
      assertThatThrownBy(() -> daemon.daemon().setLogLevel("loud"))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("SLU-LOG-001");
      assertThat(daemon.daemon().getLogLevel()).isEqualTo(before);
    }
  }

  // ---- what works ----

  @Test
  void guest_attachedAndWorking_isShown() throws Exception {
    try (SluicedInstance daemon = start()) {
      assertThat(status(daemon, "web-01").state()).isEqualTo(GuestStatus.WAITING);
      try (AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket("web-01"));
          Space space = device.newSpace();
          Buffer buffer = device.allocateVideo(1 << 20);
          ClientChannel channel = space.newChannel()) {
        assertThat(buffer.bytes().byteSize()).isEqualTo(1 << 20);
        GuestStatus status = status(daemon, "web-01");
        assertThat(status.state()).isEqualTo(GuestStatus.RUNNING);
        assertThat(status.clientPid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(status.clientName()).isEqualTo("java");
        assertThat(status.channels()).isEqualTo(1);
        assertThat(status.memoryUsedBytes()).isGreaterThanOrEqualTo(1 << 20);
        assertThat(status.memoryLimitBytes()).isEqualTo(16 << 20);
        Map<Integer, ChannelStatus> channels = daemon.guest("web-01").getChannels();
        assertThat(channels).containsOnlyKeys(channel.id());
        assertThat(channels.values()).extracting(ChannelStatus::state).containsExactly("running");
        GpuStatus gpu = daemon.daemon().getGpus().values().iterator().next();
        assertThat(gpu.guests()).isEqualTo(1);
        assertThat(gpu.channels()).isEqualTo(1);
        assertThat(gpu.vramBytes() - gpu.vramFreeBytes()).isEqualTo(status.memoryUsedBytes());
        assertThat(daemon.guest("web-01").getCounters().programsLimit()).isEqualTo(64);
        assertThat(daemon.guest("web-01").getTables())
            .containsEntry("spaces", new TableStatus(1, 64));
      }
      await()
          .atMost(PATIENCE)
          .until(() -> daemon.guest("web-01").getState().equals(GuestStatus.WAITING));
      assertThat(daemon.guest("web-01").getCounters().attachments()).isEqualTo(1);
      assertThat(daemon.guest("web-01").getCounters().hypercalls()).isGreaterThan(3);
      assertThat(daemon.guest("web-01").getCounters().connectionsLeft()).isBetween(60, 64);
      assertThat(daemon.guest("web-01").getCounters().mapsLeft()).isBetween(8000, 8188);
      assertThat(daemon.guest("web-01").getCounters().messagesByCommand())
          .containsEntry("version", 1L)
          .containsKey("dma_map");
    }
  }

  @Test
  void killChannel_unknownEndedOrNobodyAttached_saysWhich() throws Exception {
    try (SluicedInstance daemon = start()) {
      GuestMXBean guest = daemon.guest("web-01");
      assertThatThrownBy(() -> guest.killChannel(1))
          .isInstanceOf(OperationsException.class)
          .hasMessageContainingAll("SLU-CHN-020", "nobody is attached");
      try (AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket("web-01"));
          Space space = device.newSpace();
          ClientChannel channel = space.newChannel()) {
        assertThatThrownBy(() -> guest.killChannel(channel.id() + 1))
            .hasMessageContainingAll("SLU-CHN-020", "no such channel");
        guest.killChannel(channel.id());
        assertThatThrownBy(() -> guest.killChannel(channel.id()))
            .hasMessageContainingAll("SLU-CHN-021", "error=operator");
      }
    }
  }

  @Test
  void killChannel_oneOfTwo_tellsTheGuestAndLeavesTheOther() throws Exception {
    try (SluicedInstance daemon = start();
        AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket("web-01"));
        Space space = device.newSpace();
        ClientChannel ended = space.newChannel();
        ClientChannel other = space.newChannel()) {
      daemon.guest("web-01").killChannel(ended.id());

      await().atMost(PATIENCE).until(() -> ended.error() == GuestAbi.ERROR_OPERATOR);
      assertThat(other.error()).isZero();
      assertThat(daemon.guest("web-01").getChannels())
          .extractingFromEntries(entry -> entry.getValue().error())
          .containsExactlyInAnyOrder("operator", "");
    }
  }

  @Test
  void createGuest_restart_isThereAgain() throws Exception {
    GuestStatus created;
    try (SluicedInstance daemon = start()) {
      daemon.daemon().createGuest("ml-02", "embedded", 8 << 20);
      created = status(daemon, "ml-02");
      assertThat(created.origin()).isEqualTo(GuestStatus.CREATED);
      attachAndLeave(daemon, "ml-02");
    }
    assertThat(dir.resolve("run")).isEmptyDirectory();
    try (SluicedInstance daemon = start()) {
      assertThat(status(daemon, "ml-02")).isEqualTo(created);
      attachAndLeave(daemon, "ml-02");
      daemon.daemon().destroyGuest("ml-02", false);
      assertThat(daemon.guestSocket("ml-02")).doesNotExist();
    }
    try (SluicedInstance daemon = start()) {
      assertThat(daemon.daemon().getGuests()).containsOnlyKeys("web-01");
    }
  }

  @Test
  void destroyGuest_forced_takesTheDeviceAway() throws Exception {
    try (SluicedInstance daemon = start()) {
      daemon.daemon().createGuest("ml-02", "", 0);
      Fd client = KERNEL.connect(daemon.guestSocket("ml-02"));
      try (client) {
        await().atMost(PATIENCE).until(() -> daemon.guest("ml-02").getClientPid() != 0);

        daemon.daemon().destroyGuest("ml-02", true);

        short[] ready = new short[1];
        KERNEL.poll(List.of(client), new short[] {Kernel.POLLIN}, ready, (int) PATIENCE.toMillis());
        assertThat(ready[0] & Kernel.POLLHUP).isNotZero();
      }
      assertThat(daemon.daemon().getGuests()).containsOnlyKeys("web-01");
    }
  }

  /** What cannot be ended keeps nothing else. */
  @Test
  void destroyGuest_ofWhichSomethingIsLeft_saysSoAndForgetsIt() throws Exception {
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    try (SluicedInstance daemon = start(beans)) {
      daemon.daemon().createGuest("ml-02", "", 0);
      beans.unregisterMBean(ObjectNames.guest("ml-02")); // it cannot be again

      assertThatThrownBy(() -> daemon.daemon().destroyGuest("ml-02", false))
          .hasMessageContainingAll("guest \"ml-02\" is destroyed, but not", "SLU-GUEST-013");

      assertThat(daemon.daemon().getGuests()).containsOnlyKeys("web-01");
      assertThat(daemon.guestSocket("ml-02")).doesNotExist();
    }
    try (SluicedInstance daemon = start()) {
      assertThat(daemon.daemon().getGuests()).containsOnlyKeys("web-01");
    }
  }

  @Test
  void close_guestOfWhichSomethingIsLeft_endsTheOthers() throws Exception {
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    Path other;
    try (SluicedInstance daemon = start(beans)) {
      daemon.daemon().createGuest("ml-02", "", 0);
      other = daemon.guestSocket("ml-02");
      assertThat(other).exists();
      beans.unregisterMBean(ObjectNames.guest("web-01")); // the first to end
    }
    assertThat(other).doesNotExist();
    assertThat(beans.isRegistered(ObjectNames.guest("ml-02"))).isFalse();
  }

  @Test
  void close_guestAttached_saysWhichAndReturnsEverything() throws Exception {
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    List<String> told = new CopyOnWriteArrayList<>();
    SluicedInstance daemon = start(beans);
    beans.addNotificationListener(
        ObjectNames.DAEMON,
        (notification, _) -> told.add(notification.getType() + " " + notification.getMessage()),
        null,
        null);
    try (Fd client = KERNEL.connect(daemon.guestSocket("web-01"))) {
      await().atMost(PATIENCE).until(() -> daemon.guest("web-01").getClientPid() != 0);
      daemon.close();
      daemon.close();
      assertThat(client.isOpen()).isTrue();
    }

    assertThat(told)
        .anyMatch(text ->
            text.startsWith(NotificationTypes.DAEMON_STOPPING + " web-01 (java, pid ")
                && text.endsWith(")"));
    assertThat(dir.resolve("run")).isEmptyDirectory();
    // What they served is given back by now; that they end takes them a moment more.
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("sluice-")));
    assertThat(beans.queryNames(null, null)).hasSize(1); // the server's own delegate
  }

  @Test
  void shutdown_overTheSocket_asksTheOwner() throws Exception {
    try (SluicedInstance daemon = start();
        LocalConnection connection = LocalConnection.open(daemon.controlSocket())) {
      connection.daemon().shutdown();

      daemon.awaitStop();
      assertThat(daemon.daemon().getState()).isEqualTo("running"); // until the owner closes it
    }
  }

  @Test
  void start_sockets_areForTheOwnerOnly() throws Exception {
    try (SluicedInstance daemon = start();
        Stream<Path> sockets = Files.list(dir.resolve("run"))) {
      assertThat(daemon.controlSocket()).exists();
      for (Path socket : sockets.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
            .as(socket.toString())
            .isEqualTo("rw-------");
      }
    }
  }

  @Test
  void getConfiguration_overTheSocket_saysWhereFrom() throws Exception {
    try (SluicedInstance daemon = start();
        LocalConnection connection = LocalConnection.open(daemon.controlSocket())) {
      assertThat(connection.daemon().getConfiguration())
          .anyMatch(s ->
              s.key().equals("gpu.embedded.vram")
                  && s.value().equals("64MiB")
                  && s.source().equals(file + ":5:1"));
    }
  }

  private void attachAndLeave(SluicedInstance daemon, String guest) {
    try (AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket(guest))) {
      assertThat(device.ping(42)).isEqualTo(42);
    }
    await()
        .atMost(PATIENCE)
        .until(() -> daemon.guest(guest).getState().equals(GuestStatus.WAITING));
  }

  private static GuestStatus status(SluicedInstance daemon, String guest) {
    GuestStatus status = daemon.daemon().getGuests().get(guest);
    assertThat(status).isNotNull();
    return Objects.requireNonNull(status);
  }

  private SluicedInstance start() throws Exception {
    return SluicedInstance.start(new ConfigLoader(Map.of(), Map.of()).load(file));
  }

  private SluicedInstance start(MBeanServer beans) throws Exception {
    return SluicedInstance.start(new ConfigLoader(Map.of(), Map.of()).load(file), KERNEL, beans);
  }

  /** The file as it is, with directories of this test. */
  private DaemonConfig withDirs() throws ConfigException {
    return new ConfigLoader(
            Map.of(),
            Map.of(
                "daemon.run-dir",
                dir.resolve("run").toString(),
                "daemon.state-dir",
                dir.resolve("state").toString()))
        .load(file);
  }
}

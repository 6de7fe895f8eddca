package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.management.ChannelStatus;
import io.sluice.management.GuestMXBean;
import io.sluice.management.GuestStatus;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.NotificationTypes;
import io.sluice.management.ObjectNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.Notification;
import javax.management.openmbean.CompositeData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator would be called for, and what he does about it. */
final class OperatorEventsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String GUEST = "web-01";
  private static final Kernel KERNEL = RealKernel.create();

  @TempDir private Path dir;
  private final MBeanServer beans = MBeanServerFactory.newMBeanServer();
  private final List<Notification> told = new CopyOnWriteArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private SluicedInstance daemon;

  @BeforeEach
  void start() throws Exception {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of(
                "daemon.run-dir",
                dir.resolve("run").toString(),
                "daemon.state-dir",
                dir.resolve("state").toString()));
    daemon = SluicedInstance.start(config, KERNEL, beans);
    daemon.daemon().createGuest(GUEST, "", 0);
    beans.addNotificationListener(
        ObjectNames.DAEMON, (notification, _) -> told.add(notification), null, null);
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  /** The fields of the first event of a type. */
  private Map<String, Object> fields(String type) {
    await().atMost(PATIENCE).until(() -> told.stream().anyMatch(n -> n.getType().equals(type)));
    Notification event =
        told.stream().filter(n -> n.getType().equals(type)).findFirst().orElseThrow();
    CompositeData data = (CompositeData) event.getUserData();
    Map<String, Object> fields = new TreeMap<>();
    data.getCompositeType().keySet().forEach(key -> fields.put(key, data.get(key)));
    return fields;
  }

  @Test
  void channelEnded_byTheOperator_saysWhoAndWhich() throws Exception {
    try (AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket(GUEST));
        Space space = device.newSpace();
        ClientChannel channel = space.newChannel()) {
      daemon.guest(GUEST).killChannel(channel.id());

      assertThat(fields(NotificationTypes.CHANNEL_ENDED))
          .containsEntry("guest", GUEST)
          .containsEntry("gpu", "embedded")
          .containsEntry("channel", channel.id())
          .containsEntry("error", "operator")
          .containsEntry("by", "operator")
          .containsEntry("user", "itself");
    }
    assertThat(fields(NotificationTypes.GUEST_ATTACHED))
        .containsEntry("clientName", "java")
        .containsEntry("clientPid", (int) ProcessHandle.current().pid());
    assertThat(fields(NotificationTypes.GUEST_LEFT)).containsOnly(Map.entry("guest", GUEST));
  }

  @Test
  void channelEnded_byAFaultOfItsOwn_saysWhere() {
    try (AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket(GUEST));
        Space space = device.newSpace();
        ClientChannel channel = space.newChannel()) {
      GpuVa nowhere = new GpuVa(0x7654_3000L);
      channel.submit(new Pushbuffer().bindEngines().release(nowhere, 1));

      await().atMost(PATIENCE).until(() -> channel.error() == GuestAbi.ERROR_PAGE_FAULT);
      assertThat(fields(NotificationTypes.CHANNEL_ENDED))
          .containsEntry("error", "page-fault")
          .containsEntry("by", "guest")
          .containsEntry("user", "")
          .containsEntry("address", nowhere.value());
    }
  }

  @Test
  void attach_refused_saysWho() {
    try (AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket(GUEST));
        Fd second = KERNEL.connect(daemon.guestSocket(GUEST))) {
      assertThat(fields(NotificationTypes.GUEST_REFUSED))
          .containsEntry("guest", GUEST)
          .containsEntry("clientName", "java")
          .containsEntry("attachedPid", (int) ProcessHandle.current().pid());
      assertThat(device.ping(3)).isEqualTo(3);
      assertThat(second.isOpen()).isTrue();
    }
  }

  @Test
  void checkpoint_done_isAnEventOfItsOwn() throws Exception {
    Path file = dir.resolve("file");
    try (AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket(GUEST));
        Buffer data = device.allocateVideo(1 << 20)) {
      data.bytes().fill((byte) 1);
      String id = daemon.migrations().checkpoint(GUEST, file.toString(), true);
      assertThat(LongOperations.end(daemon.migrations(), id).phase()).isEqualTo("done");

      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(told)
                  .filteredOn(n -> n.getType().equals(NotificationTypes.CHECKPOINT_PHASE))
                  .last()
                  .extracting(Notification::getMessage)
                  .isEqualTo(GUEST + " " + MigrationStatusView.DONE + ": file:" + file));
      assertThat(fields(NotificationTypes.CHECKPOINT_PHASE)).containsEntry("id", id);
      assertThat(told)
          .extracting(Notification::getMessage)
          .noneMatch(text -> text.contains("abort"));
    }
  }

  // ---- verbs ----

  /** QEMU that waits for a migration has a monitor, and has not given the device addresses yet. */
  @Test
  void state_machineThatHasNotBegun_isAttached() throws Exception {
    GuestMXBean guest = daemon.guest(GUEST);
    Path monitor = Files.createFile(dir.resolve("run/" + GUEST + ".qmp"));
    try (AttachedDevice _ = AttachedDevice.attach(KERNEL, daemon.guestSocket(GUEST))) {
      assertThat(guest.getState()).isEqualTo(GuestStatus.ATTACHED);

      Files.delete(monitor);

      assertThat(guest.getState()).isEqualTo(GuestStatus.RUNNING); // it is a process
    }
  }

  /** A client that hangs is thrown out of a guest that no one may destroy. */
  @Test
  void detach_client_losesItsDeviceAndTheGuestStays() throws Exception {
    GuestMXBean guest = daemon.guest(GUEST);
    assertThatThrownBy(guest::detach)
        .hasMessageContainingAll("SLU-GUEST-012", "nobody is attached");
    try (Fd client = KERNEL.connect(daemon.guestSocket(GUEST))) {
      await().atMost(PATIENCE).until(() -> guest.getClientPid() != 0);

      guest.detach();

      short[] ready = new short[1];
      KERNEL.poll(List.of(client), new short[] {Kernel.POLLIN}, ready, (int) PATIENCE.toMillis());
      assertThat(ready[0] & Kernel.POLLHUP).isNotZero();
      assertThat(guest.getState()).isEqualTo(GuestStatus.WAITING);
    }
    try (AttachedDevice next = AttachedDevice.attach(KERNEL, daemon.guestSocket(GUEST))) {
      assertThat(next.ping(5)).isEqualTo(5);
    }
  }

  /** The GPU has done what another guest gave it later. */
  private void workElsewhere() throws Exception {
    daemon.daemon().createGuest("other", "", 0);
    try (AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket("other"));
        Space space = device.newSpace();
        ClientChannel channel = space.newChannel()) {
      channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().bindEngines()));
    }
  }

  @Test
  void suspend_guest_takesNoEntriesUntilItIsResumed() throws Exception {
    GuestMXBean guest = daemon.guest(GUEST);
    try (AttachedDevice device = AttachedDevice.attach(KERNEL, daemon.guestSocket(GUEST));
        Space space = device.newSpace();
        ClientChannel before = space.newChannel()) {
      assertThatThrownBy(guest::resume).hasMessageContaining("it is not suspended");

      guest.suspend();

      assertThat(guest.getState()).isEqualTo(GuestStatus.SUSPENDED);
      assertThatThrownBy(guest::suspend).hasMessageContaining("it is suspended already");
      assertThatThrownBy(
              () -> daemon.migrations().checkpoint(GUEST, dir.resolve("x").toString(), true))
          .hasMessageContainingAll("it is suspended", "sluicectl guest resume " + GUEST);
      try (ClientChannel meanwhile = space.newChannel()) {
        assertThat(guest.getChannels())
            .extractingFromEntries(entry -> entry.getValue().state())
            .containsOnly("suspended");
        int first = before.submitWithFence(new Pushbuffer().bindEngines());
        int second = meanwhile.submitWithFence(new Pushbuffer().bindEngines());
        workElsewhere();
        assertThat(guest.getChannels().values())
            .extracting(ChannelStatus::entries)
            .containsOnly(0L);

        guest.resume();

        before.awaitByPolling(first);
        meanwhile.awaitByPolling(second);
        assertThat(guest.getState()).isEqualTo(GuestStatus.RUNNING);
      }
    }
    assertThat(fields(NotificationTypes.GUEST_SUSPENDED)).containsEntry("user", "itself");
    assertThat(fields(NotificationTypes.GUEST_RESUMED)).containsEntry("guest", GUEST);
  }
}

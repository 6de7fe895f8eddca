package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.CallFailedException;
import io.sluice.guest.ChannelFailedException;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.management.QuotaStatus;
import io.sluice.management.local.LocalConnection;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two guests of one daemon, each attached at its own socket, share the software GPU's memory. */
final class SharingTest {
  private static final long MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  static {
    // RMI keeps a client's connections 15 s for reuse; read once, when RMI is first used.
    System.setProperty("sun.rmi.transport.connectionTimeout", "100");
  }

  private final Kernel kernel = RealKernel.create();
  @TempDir private Path dir;

  /** What the JDK opens once and keeps. */
  @BeforeAll
  static void warmUp(@TempDir Path warmUpDir) throws Exception {
    Map<String, String> settings =
        Map.of("daemon.run-dir", warmUpDir.toString(), "daemon.state-dir", warmUpDir.toString());
    try (SluicedInstance daemon = SluicedInstance.start(DaemonConfig.of(settings));
        LocalConnection connection = LocalConnection.open(daemon.controlSocket())) {
      assertThat(connection.daemon().getState()).isEqualTo("running");
    }
  }

  private SluicedInstance start(String guests) throws Exception {
    Path file =
        Files.writeString(
            dir.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%s/run"
            state-dir = "%s/state"
            [gpu.embedded]
            vram = "64MiB"
            """
                    .formatted(dir, dir)
                + guests);
    return SluicedInstance.start(new ConfigLoader(Map.of(), Map.of()).load(file));
  }

  private AttachedDevice attach(SluicedInstance daemon, String guest) {
    return AttachedDevice.attach(kernel, daemon.guestSocket(guest));
  }

  private static QuotaStatus quota(SluicedInstance daemon, String guest) {
    return Objects.requireNonNull(daemon.daemon().getQuotas().get(guest));
  }

  @Test
  void secondGuest_arrivesOnAFullCard_evictsTheFirstAndLeaves() throws Exception {
    try (SluicedInstance daemon =
            start("[[guest]]\nname = \"first\"\n[[guest]]\nname = \"second\"\n");
        AttachedDevice first = attach(daemon, "first");
        Space space = first.newSpace();
        ClientChannel channel = space.newChannel();
        Buffer result = first.allocateProcess(8 * MIB)) {
      List<Buffer> buffers = new ArrayList<>();
      List<GpuVa> addresses = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Buffer buffer = first.allocateVideo(8 * MIB);
        fill(buffer, i);
        buffers.add(buffer);
        addresses.add(space.map(buffer));
      }
      GpuVa out = space.map(result);
      assertThat(quota(daemon, "first").heldBytes()).isEqualTo(64 * MIB);

      try (AttachedDevice second = attach(daemon, "second");
          Buffer taken = second.allocateVideo(32 * MIB)) {
        assertThat(taken.sizeBytes()).isEqualTo(32 * MIB);
        QuotaStatus status = quota(daemon, "first");
        assertThat(status.shareBytes()).isEqualTo(32 * MIB);
        assertThat(status.heldBytes()).isEqualTo(32 * MIB);
        assertThat(status.evictedBytes()).isEqualTo(32 * MIB);
        assertThat(status.evictions()).isEqualTo(4);
        copyAll(channel, addresses, out, result);
        assertThatThrownBy(() -> second.allocateVideo(MIB)).isInstanceOf(CallFailedException.class);
        assertThatThrownBy(() -> first.allocateVideo(MIB)).isInstanceOf(CallFailedException.class);
      }

      await().atMost(PATIENCE).until(() -> quota(daemon, "first").evictedBytes() == 0);
      assertThat(quota(daemon, "first").returns()).isEqualTo(4);
      assertThat(quota(daemon, "second").usesGpu()).isFalse();
      copyAll(channel, addresses, out, result);
      buffers.forEach(Buffer::close);
    }
  }

  @Test
  void allocation_beyondTheShare_getsSystemMemoryByPolicy() throws Exception {
    try (SluicedInstance daemon =
            start(
                "[[guest]]\nname = \"a\"\nvram-limit = \"16MiB\"\n"
                    + "beyond-share = \"system-memory\"\n");
        AttachedDevice device = attach(daemon, "a");
        Space space = device.newSpace();
        ClientChannel channel = space.newChannel();
        Buffer result = device.allocateProcess(8 * MIB)) {
      List<GpuVa> addresses = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Buffer buffer = device.allocateVideo(8 * MIB);
        fill(buffer, i);
        addresses.add(space.map(buffer));
      }
      QuotaStatus status = quota(daemon, "a");
      assertThat(status.heldBytes()).isEqualTo(16 * MIB);
      assertThat(status.evictedBytes()).isEqualTo(16 * MIB);
      copyAll(channel, addresses, space.map(result), result);
    }
  }

  @Test
  void minimum_isThereWhenItsGuestComes() throws Exception {
    try (SluicedInstance daemon =
            start(
                "[[guest]]\nname = \"rich\"\nweight = \"1024\"\n"
                    + "[[guest]]\nname = \"poor\"\nvram-min = \"24MiB\"\n");
        AttachedDevice rich = attach(daemon, "rich");
        Buffer most = rich.allocateVideo(40 * MIB);
        Buffer more = rich.allocateVideo(24 * MIB);
        AttachedDevice poor = attach(daemon, "poor");
        Buffer mine = poor.allocateVideo(24 * MIB)) {
      assertThat(most.sizeBytes() + more.sizeBytes() + mine.sizeBytes()).isEqualTo(88 * MIB);
      assertThat(quota(daemon, "rich").heldBytes()).isEqualTo(40 * MIB);
      assertThat(quota(daemon, "poor").heldBytes()).isEqualTo(24 * MIB);
    }
  }

  // ---- kill-timeout ----

  private static final String WATCHED =
      "[[guest]]\nname = \"offender\"\nkill-timeout = \"60ms\"\n[[guest]]\nname = \"other\"\n";

  @Test
  void endlessAcquire_ofAGuestAlone_isNeverKilled() throws Exception {
    try (SluicedInstance daemon = start(WATCHED);
        AttachedDevice device = attach(daemon, "offender");
        AttachedDevice idle = attach(daemon, "other");
        Space space = device.newSpace();
        ClientChannel stuck = space.newChannel();
        ClientChannel sibling = space.newChannel();
        Buffer never = device.allocateProcess(4096)) {
      stuck.submit(new Pushbuffer().acquire(space.map(never), 1));
      // Its own other channel waits for nobody, and counts for nothing.
      long until = System.nanoTime() + 300_000_000;
      while (System.nanoTime() < until) {
        sibling.awaitByPolling(sibling.submitWithFence(new Pushbuffer().bindEngines()));
      }
      assertThat(stuck.error()).isZero();
      assertThat(quota(daemon, "offender").kills()).isZero();
      assertThat(idle.ping(5)).isEqualTo(5);
    }
  }

  @Test
  void endlessAcquire_whileAnotherGuestWaits_isKilledAndNothingElse() throws Exception {
    try (SluicedInstance daemon = start(WATCHED);
        AttachedDevice device = attach(daemon, "offender");
        AttachedDevice other = attach(daemon, "other");
        Space space = device.newSpace();
        Space otherSpace = other.newSpace();
        ClientChannel stuck = space.newChannel();
        ClientChannel sibling = space.newChannel();
        ClientChannel busy = otherSpace.newChannel();
        Buffer never = device.allocateProcess(4096);
        Buffer video = device.allocateVideo(8 * MIB);
        Buffer source = other.allocateProcess(8 * MIB);
        Buffer target = other.allocateProcess(8 * MIB)) {
      fill(video, 3);
      fill(source, 4);
      GpuVa awaited = space.map(never);
      int fence = stuck.submitWithFence(new Pushbuffer().acquire(awaited, 1));
      GpuVa from = otherSpace.map(source);
      GpuVa to = otherSpace.map(target);
      busy.submit(new Pushbuffer().bindEngines());
      Pushbuffer copies = new Pushbuffer();
      for (int i = 0; i < 8; i++) {
        copies.copyM2mf(from, to, 8 * MIB);
      }
      while (stuck.error() == 0) {
        busy.awaitByPolling(busy.submitWithFence(copies));
      }

      assertThatThrownBy(() -> stuck.awaitByPolling(fence))
          .isInstanceOfSatisfying(
              ChannelFailedException.class,
              e -> {
                assertThat(e.error()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
                assertThat(e.info()).isBetween(60, 60_000);
                assertThat(e.address()).isEqualTo(awaited.value());
                assertThat(e).hasMessageContaining("channel " + stuck.id() + " killed");
              });
      assertThat(quota(daemon, "offender").kills()).isEqualTo(1);
      assertThat(quota(daemon, "other").kills()).isZero();
      copyAllOf(sibling, space, device, video, 3);
      busy.awaitByPolling(busy.submitWithFence(new Pushbuffer().bindEngines()));
      assertThat(target.bytes().mismatch(source.bytes())).isEqualTo(-1);
    }
  }

  @Test
  void stormOfOffenders_isRateLimitedAndVisible() throws Exception {
    try (SluicedInstance daemon = start(WATCHED);
        AttachedDevice device = attach(daemon, "offender");
        AttachedDevice other = attach(daemon, "other");
        Space space = device.newSpace();
        Space otherSpace = other.newSpace();
        ClientChannel busy = otherSpace.newChannel();
        Buffer never = device.allocateProcess(4096);
        Buffer source = other.allocateProcess(8 * MIB);
        Buffer target = other.allocateProcess(8 * MIB)) {
      GpuVa awaited = space.map(never);
      List<ClientChannel> storm = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        ClientChannel channel = space.newChannel();
        channel.submit(new Pushbuffer().acquire(awaited, 1));
        storm.add(channel);
      }
      GpuVa from = otherSpace.map(source);
      GpuVa to = otherSpace.map(target);
      busy.submit(new Pushbuffer().bindEngines());
      Pushbuffer copies = new Pushbuffer();
      for (int i = 0; i < 8; i++) {
        copies.copyM2mf(from, to, 8 * MIB);
      }
      while (storm.stream().anyMatch(channel -> channel.error() == 0)) {
        busy.awaitByPolling(busy.submitWithFence(copies));
      }
      QuotaStatus status = quota(daemon, "offender");
      assertThat(status.kills()).isEqualTo(6);
      storm.forEach(ClientChannel::close);
    }
  }

  /** The GPU of a guest reads a buffer of it, and what it reads is what was written. */
  private static void copyAllOf(
      ClientChannel channel, Space space, AttachedDevice device, Buffer buffer, int seed) {
    try (Buffer result = device.allocateProcess(buffer.sizeBytes())) {
      GpuVa from = space.map(buffer);
      GpuVa to = space.map(result);
      channel.awaitByPolling(
          channel.submitWithFence(
              new Pushbuffer().bindEngines().copyM2mf(from, to, buffer.sizeBytes())));
      for (long at = 0; at < result.sizeBytes() / 8; at += 509) {
        assertThat(result.bytes().getAtIndex(ValueLayout.JAVA_LONG, at)).isEqualTo(word(seed, at));
      }
      space.unmap(from);
      space.unmap(to);
    }
  }

  /** The GPU reads every buffer, wherever it is, and what it reads is what was written. */
  private static void copyAll(
      ClientChannel channel, List<GpuVa> addresses, GpuVa out, Buffer result) {
    for (int i = 0; i < addresses.size(); i++) {
      channel.awaitByPolling(
          channel.submitWithFence(
              new Pushbuffer()
                  .bindEngines()
                  .copyM2mf(addresses.get(i), out, (int) result.sizeBytes())));
      for (long at = 0; at < result.sizeBytes() / 8; at += 509) {
        assertThat(result.bytes().getAtIndex(ValueLayout.JAVA_LONG, at)).isEqualTo(word(i, at));
      }
    }
  }

  private static void fill(Buffer buffer, int seed) {
    for (long i = 0; i < buffer.sizeBytes() / 8; i++) {
      buffer.bytes().setAtIndex(ValueLayout.JAVA_LONG, i, word(seed, i));
    }
  }

  private static long word(int seed, long index) {
    return (index + 1) * 0x9e37_79b9_7f4a_7c15L + seed;
  }
}

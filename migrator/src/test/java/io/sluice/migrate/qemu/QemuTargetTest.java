package io.sluice.migrate.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.migrate.wire.TunnelTargets;
import io.sluice.vdevice.DeviceHost;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.GuestSource;
import io.sluice.vdevice.dma.MapBudget;
import io.sluice.vdevice.dma.MapLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine that is to receive and cannot. */
final class QemuTargetTest {
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();
  private static final Kernel KERNEL = RealKernel.create();
  private static final UUID ID = new UUID(1, 2);

  private final TunnelTargets tunnels = new TunnelTargets();
  @TempDir private Path directory;

  @Test
  void open_monitorIsAbsent_noTunnelIsWaitedForAndNoSocketTouched() throws Exception {
    Path socket = Files.createFile(directory.resolve("qmp.in"));
    DeviceHost host =
        new DeviceHost(KERNEL, THREADS, System::nanoTime, new MapBudget(KERNEL.hostLimits(), 0));
    try (GuestDevice device =
        new GuestDevice("web", directory.resolve("web"), host, new MapLimits(0, 0), new Nobody())) {
      assertThatThrownBy(() ->
              QemuTarget.open(
                  device,
                  directory.resolve("qmp"),
                  () -> tunnels.target(ID, socket),
                  Duration.ofSeconds(1),
                  THREADS))
          .isInstanceOf(RefusedException.class);
    }
    assertThat(tunnels.take(ID)).isEmpty();
    assertThat(socket).exists();
  }

  /** The source of guests that has none. */
  private static final class Nobody implements GuestSource {
    @Override
    public Guest open(GuestListener listener) {
      throw new AssertionError("nobody attaches");
    }

    @Override
    public void release(Guest guest) {}
  }
}

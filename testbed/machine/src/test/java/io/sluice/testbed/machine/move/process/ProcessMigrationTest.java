package io.sluice.testbed.machine.move.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.testbed.machine.DaemonProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * This process uses a guest, and never stops submitting, while it moves between two daemons that
 * are processes of their own. Each submission waits for its predecessor's number: one that is lost
 * or runs twice stops the channel for ever.
 */
final class ProcessMigrationTest {
  private static final String GUEST = "moved";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int ROUND_TRIPS = 3;
  private static final int BETWEEN = 200;

  private final Kernel kernel = RealKernel.create();
  @TempDir private Path dir;

  @Test
  void start_betweenDaemonProcesses_nothingIsLostOrRunTwice() throws Exception {
    try (DaemonProcess first = daemon("a");
        DaemonProcess second = daemon("b");
        AttachedDevice device = AttachedDevice.attach(kernel, first.socket(GUEST));
        Space space = device.newSpace();
        Buffer chain = device.allocateVideo(4096);
        ClientChannel channel = space.newChannel()) {
      GpuVa address = space.map(chain);
      int submitted = 0;
      for (int trip = 0; trip < 2 * ROUND_TRIPS; trip++) {
        DaemonProcess from = trip % 2 == 0 ? first : second;
        DaemonProcess to = trip % 2 == 0 ? second : first;
        MigrationsMXBean migrations = from.connection().migrations();
        migrations.start(GUEST, "unix:" + to.connection().migrations().getSocketPath(), Map.of());
        int until = submitted + BETWEEN;
        while (submitted < until || !view(migrations).over()) {
          submitted++;
          channel.submit(
              new Pushbuffer().acquire(address, submitted - 1).release(address, submitted));
        }
        assertThat(view(migrations).phase()).as(view(migrations).reason()).isEqualTo("done");
      }
      int fence = channel.submitWithInterrupt(new Pushbuffer().acquire(address, submitted));
      assertThat(channel.awaitByInterrupt(fence, (int) PATIENCE.toMillis())).isTrue();
      assertThat(device.ping(3)).isEqualTo(3);
      assertThat(channel.error()).isZero();
    }
  }

  @Test
  void start_destinationKilledAtAnyMoment_theProcessIsToldOrGoesOn() throws Exception {
    for (int delayMs : new int[] {0, 5, 20, 60}) {
      try (DaemonProcess first = daemon("a" + delayMs);
          DaemonProcess second = daemon("b" + delayMs);
          AttachedDevice device = AttachedDevice.attach(kernel, first.socket(GUEST));
          Space space = device.newSpace();
          ClientChannel channel = space.newChannel()) {
        MigrationsMXBean migrations = first.connection().migrations();
        migrations.start(
            GUEST, "unix:" + second.connection().migrations().getSocketPath(), Map.of());
        Thread.sleep(delayMs);
        ProcessHandle.of(second.pid()).orElseThrow().destroyForcibly();
        await()
            .atMost(PATIENCE)
            .until(() -> view(migrations).over() || view(migrations).undecided());
        if (view(migrations).undecided()) {
          migrations.resolve(GUEST, true);
          await().atMost(PATIENCE).until(() -> view(migrations).over());
        }
        if (view(migrations).phase().equals("aborted")) {
          channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().reference(1)));
          assertThat(channel.reference()).isEqualTo(1);
        }
      }
    }
  }

  private DaemonProcess daemon(String name) throws Exception {
    return DaemonProcess.start(Files.createDirectories(dir.resolve(name)), List.of(GUEST));
  }

  private static MigrationStatusView view(MigrationsMXBean migrations) {
    MigrationStatusView view = migrations.getMigrations().get(GUEST);
    if (view == null) {
      throw new AssertionError("no migration");
    }
    return view;
  }
}

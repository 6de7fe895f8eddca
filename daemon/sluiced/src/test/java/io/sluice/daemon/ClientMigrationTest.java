package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.CallFailedException;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.DeviceMove;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client that moves its device from one daemon to another itself, by VFIO's migration protocol
 * over its sockets.
 */
final class ClientMigrationTest {
  private static final String GUEST = "moved";
  private static final int TIMEOUT_MS = 60_000;
  private static final int PAGES = 64;

  private final Kernel kernel = RealKernel.create();
  @TempDir private Path dir;
  private SluicedInstance first;
  private SluicedInstance second;

  @BeforeEach
  void start() throws Exception {
    first = daemon("a", "64MiB");
    second = daemon("b", "64MiB");
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
  }

  private SluicedInstance daemon(String name, String vram) throws Exception {
    String text =
        """
        [daemon]
        run-dir = "%s"
        state-dir = "%s"
        [gpu.embedded]
        vram = "%s"
        [[guest]]
        name = "%s"
        """
            .formatted(dir.resolve(name), dir.resolve(name + "-state"), vram, GUEST);
    Path file = Files.writeString(dir.resolve(name + ".toml"), text);
    return SluicedInstance.start(new ConfigLoader(Map.of(), Map.of()).load(file));
  }

  /** Submissions of which each waits for its predecessor: one lost or run twice stops them all. */
  private static final class Chain implements AutoCloseable {
    private final Space space;
    private final Buffer video;
    private final Buffer own;
    final ClientChannel channel;
    private final long videoVa;
    private final long ownVa;
    private final int[] last = new int[PAGES];
    private int submitted;

    Chain(AttachedDevice device) {
      space = device.newSpace();
      video = device.allocateVideo((PAGES + 1) * 4096L);
      own = device.allocateProcess(PAGES * 4096L);
      channel = space.newChannel();
      videoVa = space.map(video).value();
      ownVa = space.map(own).value();
    }

    /** Submits without waiting. */
    void submit(int count) {
      GpuVa counter = new GpuVa(videoVa + PAGES * 4096L);
      for (int i = 0; i < count; i++) {
        int n = ++submitted;
        int page = n * 7 % PAGES;
        last[page] = n;
        channel.submit(
            new Pushbuffer()
                .acquire(counter, n - 1)
                .release(new GpuVa(videoVa + page * 4096L), n)
                .release(new GpuVa(ownVa + page * 4096L), n)
                .release(counter, n));
      }
    }

    void verify() {
      int fence = channel.submitWithInterrupt(new Pushbuffer().reference(submitted));
      assertThat(channel.awaitByInterrupt(fence, TIMEOUT_MS)).as("everything was run").isTrue();
      assertThat(channel.reference()).isEqualTo(submitted);
      for (int page = 0; page < PAGES; page++) {
        assertThat(video.bytes().get(ValueLayout.JAVA_INT, page * 4096L)).isEqualTo(last[page]);
        assertThat(own.bytes().get(ValueLayout.JAVA_INT, page * 4096L)).isEqualTo(last[page]);
      }
      assertThat(channel.error()).isZero();
    }

    @Override
    public void close() {
      channel.close();
      video.close();
      own.close();
      space.close();
    }
  }

  @Test
  void move_whileWorkIsUnderWay_goesToAndFroAndNothingIsLostOrRunTwice() {
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Chain chain = new Chain(device)) {
      for (int i = 0; i < 4; i++) {
        SluicedInstance to = i % 2 == 0 ? second : first;
        SluicedInstance from = i % 2 == 0 ? first : second;
        chain.submit(100);
        try (DeviceMove move = DeviceMove.begin(device)) {
          chain.submit(100);
          assertThat(move.copy()).isPositive();
          chain.submit(150); // some of which has not run when the device stops
          move.finish(to.guestSocket(GUEST));
        }
        chain.submit(50);
        assertThat(device.ping(i)).isEqualTo(i);
        chain.verify();
        assertThat(to.guest(GUEST).getState()).isEqualTo("running");
        assertThat(to.guest(GUEST).getChannels()).hasSize(1);
        assertThat(from.guest(GUEST).getMemoryUsedBytes()).isZero();
      }
    }
  }

  @Test
  void move_acquireThatTheClientReleasesLater_movesWithItsWait() {
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Space space = device.newSpace();
        Buffer word = device.allocateVideo(4096)) {
      GpuVa va = space.map(word);
      try (ClientChannel waiting = space.newChannel();
          ClientChannel releasing = space.newChannel()) {
        int fence =
            waiting.submitWithFence(new Pushbuffer().acquire(va, 7).release(va, 8).reference(1));
        try (DeviceMove move = DeviceMove.begin(device)) {
          move.finish(second.guestSocket(GUEST));
        }
        assertThat(word.bytes().get(ValueLayout.JAVA_INT, 0)).isZero();
        releasing.submit(new Pushbuffer().release(va, 7));
        waiting.awaitByPolling(fence);
        assertThat(word.bytes().get(ValueLayout.JAVA_INT, 0)).isEqualTo(8);
      }
    }
  }

  @Test
  void move_destinationTooSmall_isRefusedAndTheDeviceGoesOn() throws Exception {
    try (SluicedInstance small = daemon("small", "16MiB");
        AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Chain chain = new Chain(device);
        Buffer large = device.allocateVideo(24 << 20)) {
      large.bytes().fill((byte) 3);
      chain.submit(50);
      try (DeviceMove move = DeviceMove.begin(device)) {
        assertThatThrownBy(() -> move.finish(small.guestSocket(GUEST)))
            .isInstanceOf(CallFailedException.class);
      }
      chain.submit(50);
      chain.verify();
      assertThat(small.guest(GUEST).getMemoryUsedBytes()).isZero();
      try (DeviceMove move = DeviceMove.begin(device)) {
        move.finish(second.guestSocket(GUEST));
      }
      chain.submit(50);
      chain.verify();
      assertThat(large.bytes().get(ValueLayout.JAVA_BYTE, 12345)).isEqualTo((byte) 3);
    }
  }

  @Test
  void move_givenUpAfterCopying_theDeviceGoesOn() {
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Chain chain = new Chain(device)) {
      chain.submit(100);
      try (DeviceMove move = DeviceMove.begin(device)) {
        assertThat(move.copy()).isPositive();
      }
      chain.submit(100);
      chain.verify();
    }
  }

  @Test
  void start_whileTheClientMovesItsDevice_isRefused() {
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        DeviceMove move = DeviceMove.begin(device)) {
      assertThatThrownBy(() ->
              first
                  .migrations()
                  .start(GUEST, "unix:" + second.migrations().getSocketPath(), Map.of()))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("its client moves it");
      move.finish(second.guestSocket(GUEST));
    }
  }

  @Test
  void written_afterSubmissions_namesThePagesThatTheGpuWroteAndNoOthers() {
    try (AttachedDevice device = AttachedDevice.attach(kernel, first.guestSocket(GUEST));
        Space space = device.newSpace();
        Buffer own = device.allocateProcess(PAGES * 4096L)) {
      long va = space.map(own).value();
      try (ClientChannel channel = space.newChannel();
          DeviceMove move = DeviceMove.begin(device)) {
        long iova = device.busAddress(own);
        channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().release(new GpuVa(va), 1)));
        move.logWrites();
        channel.awaitByPolling(
            channel.submitWithFence(
                new Pushbuffer()
                    .release(new GpuVa(va + 3 * 4096), 1)
                    .release(new GpuVa(va + 60 * 4096), 1)));
        assertThat(move.written(iova, PAGES).stream()).containsExactly(3, 60);
        assertThat(move.written(iova, PAGES).stream()).isEmpty();
      }
    }
  }
}

package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.state.ChannelError;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.guest.ExcessWatch;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who touches video memory it never allocated is forgiven at first, and then detached. */
final class ExcessWatchTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Kernel kernel = RealKernel.create();

  @TempDir private Path dir;

  /** Hears everything as text. */
  private static final class Heard implements GuestListener {
    final List<String> all = new ArrayList<>();

    @Override
    public void onChannelCreated(int channelId) {
      all.add("created " + channelId);
    }

    @Override
    public void onInterrupt(int channelId) {
      all.add("interrupt " + channelId);
    }

    @Override
    public void onVramLimit(long limitBytes, long timeNs) {
      all.add("limit " + limitBytes);
    }

    @Override
    public void onChannelError(ChannelError error) {
      all.add("error " + error.channelId());
    }
  }

  @Test
  void onExcessMemory_lessOftenThanTheLimit_doesNothing() {
    Heard heard = new Heard();
    ExcessWatch watch = new ExcessWatch("g", 3, heard, () -> heard.all.add("expelled"));
    watch.onExcessMemory(4096);
    watch.onExcessMemory(4096);

    assertThat(heard.all).isEmpty();
  }

  @Test
  void onExcessMemory_atTheLimitAndBeyond_expelsOnce() {
    Heard heard = new Heard();
    ExcessWatch watch = new ExcessWatch("g", 1, heard, () -> heard.all.add("expelled"));
    watch.onExcessMemory(4096);
    watch.onExcessMemory(4096);

    assertThat(heard.all).containsExactly("expelled");
  }

  @Test
  void everythingElse_isPassedOn() {
    Heard heard = new Heard();
    GuestListener watch = new ExcessWatch("g", 1, heard, () -> {});
    watch.onChannelCreated(1);
    watch.onInterrupt(2);
    watch.onVramLimit(3, 0);
    watch.onChannelError(new ChannelError(4, 1, 0, 0, 0));

    assertThat(heard.all).containsExactly("created 1", "interrupt 2", "limit 3", "error 4");
  }

  @Test
  void guest_thatGoesOn_isDetachedAndMayComeBack() throws Exception {
    Path file =
        Files.writeString(
            dir.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%s/run"
            state-dir = "%s/state"
            [gpu.embedded]
            vram = "64MiB"
            excess-limit = "2"
            [[guest]]
            name = "a"
            [[guest]]
            name = "b"
            """
                .formatted(dir, dir));
    try (SluicedInstance daemon =
            SluicedInstance.start(new ConfigLoader(Map.of(), Map.of()).load(file));
        AttachedDevice other = AttachedDevice.attach(kernel, daemon.guestSocket("b"))) {
      try (AttachedDevice device = AttachedDevice.attach(kernel, daemon.guestSocket("a"))) {
        Buffer buffer = device.allocateVideo(1 << 20);
        MemorySegment stale = buffer.bytes();
        buffer.close();
        await()
            .atMost(PATIENCE)
            .until(() -> {
              stale.fill((byte) 1);
              return Objects.requireNonNull(daemon.daemon().getGuests().get("a")).clientPid() == 0;
            });
      }
      assertThat(other.ping(7)).isEqualTo(7);
      try (AttachedDevice again = AttachedDevice.attach(kernel, daemon.guestSocket("a"))) {
        assertThat(again.ping(8)).isEqualTo(8);
      }
    }
  }
}

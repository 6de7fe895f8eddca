package io.sluice.testbed.machine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.DeviceLostException;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.support.CPrograms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that is killed while processes wait for it: each of them notices. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DaemonDeathTest {
  private static final List<String> WAITS = List.of("interrupt", "poll", "room", "call");
  private static final int FOR_EVER_MS = Integer.MAX_VALUE;

  @TempDir private Path directory;
  private CPrograms programs;

  @BeforeAll
  void build(@TempDir Path built) throws Exception {
    programs = CPrograms.build(built, "orphan");
  }

  @Test
  void processOfTheCLibrary_waits_endsWithAnError() throws Exception {
    try (DaemonProcess daemon =
            DaemonProcess.start(Files.createDirectory(directory.resolve("c")), WAITS);
        CPrograms.Running interrupt =
            programs.start(daemon.socket("interrupt"), "orphan", "interrupt");
        CPrograms.Running poll = programs.start(daemon.socket("poll"), "orphan", "poll");
        CPrograms.Running room = programs.start(daemon.socket("room"), "orphan", "room");
        CPrograms.Running call = programs.start(daemon.socket("call"), "orphan", "call")) {
      List<CPrograms.Running> all = List.of(interrupt, poll, room, call);
      for (CPrograms.Running each : all) {
        String _ = each.await("orphan: waiting");
      }
      daemon.kill();
      for (CPrograms.Running each : all) {
        assertThat(each.end()).as(each.said()).isZero();
      }
    }
  }

  @Test
  void processOfTheJavaClient_waits_endsWithAnException() throws Exception {
    try (DaemonProcess daemon =
            DaemonProcess.start(
                Files.createDirectory(directory.resolve("java")), List.of("a", "b"));
        Waiting byInterrupt = new Waiting(daemon.socket("a"));
        Waiting byPolling = new Waiting(daemon.socket("b"))) {
      byInterrupt.start(channel -> channel.awaitByInterrupt(byInterrupt.fence, FOR_EVER_MS));
      byPolling.start(channel -> {
        channel.awaitByPolling(byPolling.fence);
        return true;
      });
      daemon.kill();
      byInterrupt.assertLost();
      byPolling.assertLost();
    }
  }

  /** A guest that waits in a thread of its own for what never comes. */
  private static final class Waiting implements AutoCloseable {
    private final AttachedDevice device;
    private final ClientChannel channel;
    final int fence;
    private volatile Throwable ended = new AssertionError("it ended without an exception");
    private Thread thread = new Thread(() -> {});

    Waiting(Path socket) {
      device = AttachedDevice.attach(RealKernel.create(), socket);
      Space space = device.newSpace();
      Buffer semaphore = device.allocateVideo(4096);
      GpuVa address = space.map(semaphore);
      channel = space.newChannel();
      fence = channel.submitWithInterrupt(new Pushbuffer().acquire(address, 1));
    }

    interface Wait {
      boolean in(ClientChannel channel);
    }

    void start(Wait wait) {
      thread =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try {
                  boolean _ = wait.in(channel);
                } catch (RuntimeException e) {
                  ended = e;
                }
              });
    }

    void assertLost() throws InterruptedException {
      thread.join();
      assertThat(ended).isInstanceOf(DeviceLostException.class);
      assertThatThrownBy(() -> device.ping(1)).isInstanceOf(RuntimeException.class);
    }

    @Override
    public void close() {
      try {
        device.close();
      } catch (RuntimeException _) {
        // its host has gone
      }
    }
  }
}

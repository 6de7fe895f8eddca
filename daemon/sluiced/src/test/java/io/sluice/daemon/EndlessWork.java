package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A process that submits without end, each submission once and after the one before. */
final class EndlessWork implements Runnable, AutoCloseable {
  private static final int PAGES = 64;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int TIMEOUT_MS = 60_000;
  final AttachedDevice device;
  private final Space space;
  private final Buffer data;
  private final Buffer own;
  private final ClientChannel channel;
  private final long dataVa;
  private final long ownVa;
  private final int[] last = new int[PAGES];
  private final Thread thread = new Thread(this);
  private volatile boolean stopped;
  private volatile @Nullable Throwable failure;
  private volatile int submitted;

  EndlessWork(Kernel kernel, Path socket) {
    device = AttachedDevice.attach(kernel, socket);
    space = device.newSpace();
    data = device.allocateVideo((PAGES + 1) * 4096L);
    own = device.allocateProcess(PAGES * 4096L);
    channel = space.newChannel();
    dataVa = space.map(data).value();
    ownVa = space.map(own).value();
    thread.start();
  }

  @Override
  public void run() {
    try {
      while (!stopped) {
        submitOne(submitted + 1);
        submitted++;
      }
      channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().reference(submitted)));
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Runs once and after its predecessor, or the channel waits for ever. */
  private void submitOne(int n) {
    GpuVa chain = new GpuVa(dataVa + PAGES * 4096L);
    int page = n * 7 % PAGES;
    Pushbuffer words =
        new Pushbuffer()
            .acquire(chain, n - 1)
            .release(new GpuVa(dataVa + page * 4096L), n)
            .release(new GpuVa(ownVa + page * 4096L), n)
            .release(chain, n);
    last[page] = n;
    if (n % 64 == 0) {
      assertThat(channel.awaitByInterrupt(channel.submitWithInterrupt(words), TIMEOUT_MS))
          .as("an interrupt")
          .isTrue();
    } else {
      channel.submit(words);
    }
    if (n % 500 == 0) {
      assertThat(device.ping(n)).isEqualTo(n);
    }
    if (n % 700 == 0) {
      device.allocateVideo(8192).close();
    }
  }

  void awaitMore(int count) {
    int from = submitted;
    await().atMost(PATIENCE).until(() -> failure != null || submitted >= from + count);
    assertThat(failure).isNull();
  }

  void finish() throws InterruptedException {
    stopped = true;
    thread.join(PATIENCE.toMillis());
    assertThat(failure).isNull();
    assertThat(thread.isAlive()).as("everything submitted was executed").isFalse();
    for (int page = 0; page < PAGES; page++) {
      assertThat(data.bytes().get(ValueLayout.JAVA_INT, page * 4096L)).isEqualTo(last[page]);
      assertThat(own.bytes().get(ValueLayout.JAVA_INT, page * 4096L)).isEqualTo(last[page]);
    }
    assertThat(channel.error()).isZero();
  }

  @Override
  public void close() {
    stopped = true;
    channel.close();
    data.close();
    own.close();
    space.close();
    device.close();
  }
}

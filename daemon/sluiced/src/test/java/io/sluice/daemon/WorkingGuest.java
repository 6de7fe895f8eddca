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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A process guest with buffers full of words that it knows, and a channel to which it submits all
 * the time: each submission waits for its predecessor's number, so that one that is lost or runs
 * twice stops the channel for ever.
 */
final class WorkingGuest implements AutoCloseable {
  private static final long MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int LOOK_BYTES = 1 << 16;
  private static final int COPY_BYTES = 1 << 18;
  private static final int ENTRIES = 512;

  /** Submissions under way: enough for what is to be shown, and few enough to leave others time. */
  private static final int UNDER_WAY = 48;

  /** How long it leaves the ring alone when that many are: a pace, nothing is waited for. */
  private static final long PAUSE_NS = 1_000_000;

  final AttachedDevice device;
  final Space space;
  private final Buffer chain;
  private final Buffer seen;
  private final ClientChannel channel;
  private final ClientChannel looks;
  private final boolean busy;
  private final GpuVa chainVa;
  private final GpuVa seenVa;
  private final List<Held> held = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "working guest");
  private volatile boolean stopped;
  private volatile @Nullable Throwable failure;
  private volatile int submitted;

  private record Held(Buffer buffer, GpuVa address, int seed) {}

  /** Begins to work: much in number, little for the GPU. */
  WorkingGuest(Kernel kernel, Path socket) {
    this(kernel, socket, false);
  }

  /**
   * Begins to work.
   *
   * @param busy whether its submissions copy, so that the GPU has something to do all the time
   */
  WorkingGuest(Kernel kernel, Path socket, boolean busy) {
    this.busy = busy;
    device = AttachedDevice.attach(kernel, socket);
    space = device.newSpace();
    chain = device.allocateVideo(4096 + 2 * COPY_BYTES);
    seen = device.allocateProcess(LOOK_BYTES);
    chainVa = space.map(chain);
    seenVa = space.map(seen);
    channel = space.newChannel();
    looks = space.newChannel();
    looks.awaitByPolling(looks.submitWithFence(new Pushbuffer().bindEngines()));
    channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().bindEngines()));
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      int entry = 2; // the two of what was done before
      while (!stopped) {
        if ((entry - channel.get() & ENTRIES - 1) >= UNDER_WAY) {
          LockSupport.parkNanos(PAUSE_NS);
          continue;
        }
        submitOne(submitted + 1);
        entry = entry + 1 & ENTRIES - 1;
        submitted++;
      }
      channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().reference(submitted)));
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void submitOne(int n) {
    Pushbuffer words = new Pushbuffer().acquire(chainVa, n - 1);
    if (busy) {
      GpuVa from = new GpuVa(chainVa.value() + 4096);
      words.copyM2mf(from, new GpuVa(from.value() + COPY_BYTES), COPY_BYTES);
    }
    channel.submit(words.release(chainVa, n));
  }

  /** Allocates, maps and fills buffers of video memory. */
  void hold(int... sizesMib) {
    for (int mib : sizesMib) {
      Buffer buffer = device.allocateVideo(mib * MIB);
      int seed = 31 * held.size() + mib;
      for (long at = 0; at < buffer.sizeBytes(); at += LOOK_BYTES) {
        buffer.bytes().set(ValueLayout.JAVA_LONG, at, word(seed, at));
      }
      held.add(new Held(buffer, space.map(buffer), seed));
    }
  }

  private static long word(int seed, long at) {
    return (at + seed) * 0x9e37_79b9_7f4a_7c15L;
  }

  /** The GPU finds in every buffer, at the address it always had, what was put there. */
  void verify() {
    for (Held each : held) {
      for (long at = 0; at < each.buffer.sizeBytes(); at += 16 * LOOK_BYTES) {
        seen.bytes().fill((byte) 0);
        GpuVa from = new GpuVa(each.address.value() + at);
        looks.awaitByPolling(
            looks.submitWithFence(new Pushbuffer().copyM2mf(from, seenVa, LOOK_BYTES)));
        assertThat(seen.bytes().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(word(each.seed, at));
        assertThat(each.buffer.bytes().get(ValueLayout.JAVA_LONG, at))
            .isEqualTo(word(each.seed, at));
      }
    }
  }

  /** Waits until more was submitted, and nothing went wrong. */
  void awaitMore(int count) {
    int from = submitted;
    await().atMost(PATIENCE).until(() -> failure != null || submitted >= from + count);
    assertThat(failure).isNull();
  }

  /** Ends the work, of which everything must have been executed. */
  void finish() throws InterruptedException {
    stopped = true;
    thread.join(PATIENCE.toMillis());
    assertThat(failure).isNull();
    assertThat(thread.isAlive()).as("all that was submitted was executed").isFalse();
    assertThat(channel.reference()).isEqualTo(submitted);
    assertThat(channel.error()).isZero();
    verify();
  }

  @Override
  public void close() {
    stopped = true;
    device.close();
  }
}

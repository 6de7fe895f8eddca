package io.sluice.testbed.bench.sharing;

import io.sluice.abi.GpuVa;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.testbed.bench.measure.Busy;
import java.lang.foreign.ValueLayout;

/**
 * A channel that always has work: copies from one buffer to another, with a thread of its own that
 * sleeps while enough of them wait.
 */
final class Load implements Busy {
  private static final long BYTES = 1 << 20;
  private static final int ENTRIES = 512;

  /** Enough for some tenths of a second, in which the thread may not get a core. */
  private static final int WAITING = 400;

  private static final int COPIES_EACH = 4;

  private final ClientChannel channel;
  private final Buffer source;
  private final Buffer target;
  private final GpuVa from;
  private final GpuVa to;
  private final Space space;
  private final Thread thread;
  private volatile boolean stopped;

  Load(AttachedDevice device, Space space) {
    this.space = space;
    channel = space.newChannel();
    source = device.allocateProcess(BYTES);
    target = device.allocateProcess(BYTES);
    for (long i = 0; i < BYTES / Long.BYTES; i++) {
      source.bytes().setAtIndex(ValueLayout.JAVA_LONG, i, i * 0x9e37_79b9_7f4a_7c15L);
    }
    from = space.map(source);
    to = space.map(target);
    channel.submit(new Pushbuffer().bindEngines());
    thread = Thread.ofPlatform().daemon().name("load").start(this::run);
  }

  private void run() {
    Pushbuffer words = new Pushbuffer();
    for (int i = 0; i < COPIES_EACH; i++) {
      words.copyM2mf(from, to, BYTES);
    }
    int put = 1;
    while (!stopped) {
      while ((put - channel.get() & ENTRIES - 1) < WAITING) {
        channel.submit(words);
        put = put + 1 & ENTRIES - 1;
      }
      try {
        Thread.sleep(1); // the load's pace: what waits outlasts it
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  @Override
  public boolean finish() throws InterruptedException {
    stopped = true;
    thread.join();
    channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().reference(1)));
    return source.bytes().mismatch(target.bytes()) == -1;
  }

  @Override
  public void close() {
    channel.close();
    space.unmap(from);
    space.unmap(to);
    source.close();
    target.close();
  }
}

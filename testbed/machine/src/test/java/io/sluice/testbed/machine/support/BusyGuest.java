package io.sluice.testbed.machine.support;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * A guest of this process that does nothing until it is told to work, and then copies all the time,
 * through video memory, and looks whether the bytes are right.
 */
public final class BusyGuest implements AutoCloseable {
  private static final int BYTES = 4 << 20;
  private static final int COPIES = 8;

  private final AttachedDevice device;
  private final Space space;
  private final Buffer source;
  private final Buffer video;
  private final Buffer target;
  private final ClientChannel channel;
  private final Pushbuffer copies = new Pushbuffer();

  // Of the thread until it is joined.
  private final Thread thread;
  private long rounds;
  private String wrong = "";

  private volatile boolean stopped;

  public BusyGuest(Kernel kernel, Path socket) {
    device = AttachedDevice.attach(kernel, socket);
    space = device.newSpace();
    source = device.allocateProcess(BYTES);
    video = device.allocateVideo(BYTES);
    target = device.allocateProcess(BYTES);
    GpuVa from = space.map(source);
    GpuVa through = space.map(video);
    GpuVa to = space.map(target);
    channel = space.newChannel();
    channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().bindEngines()));
    for (int i = 0; i < COPIES; i++) {
      copies.copyM2mf(from, through, BYTES).copyM2mf(through, to, BYTES);
    }
    thread = Thread.ofPlatform().daemon().name("busy").unstarted(this::run);
  }

  /** From now on it has work all the time. */
  public void work() {
    thread.start();
  }

  private void run() {
    try {
      while (!stopped) {
        round();
      }
    } catch (RuntimeException e) {
      wrong = e.toString();
    }
  }

  private void round() {
    MemorySegment words = source.bytes();
    rounds++;
    for (long i = 0; i < BYTES / Long.BYTES; i += 64) {
      words.setAtIndex(ValueLayout.JAVA_LONG, i, rounds * 0x9e37_79b9_7f4a_7c15L + i);
    }
    channel.awaitByPolling(channel.submitWithFence(copies));
    if (target.bytes().mismatch(words) != -1) {
      wrong = "wrong bytes in round " + rounds;
      stopped = true;
    }
  }

  /** Ends the work; what went wrong, which should be empty, or that there was no round at all. */
  public String finish() throws InterruptedException {
    stopped = true;
    thread.join();
    return wrong.isEmpty() && rounds == 0 ? "it never worked" : wrong;
  }

  @Override
  public void close() {
    stopped = true;
    channel.close();
    target.close();
    video.close();
    source.close();
    space.close();
    device.close();
  }
}

package io.sluice.testbed.attack;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.testbed.workloads.MatrixProduct;
import io.sluice.testbed.workloads.device.GuestPort;
import io.sluice.testbed.workloads.device.WorkloadRun;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A guest that works beside an attacker: it submits and measures how long that takes, copies and
 * computes and looks whether the results are right. A thread of its own does it all.
 */
final class Victim implements AutoCloseable {
  private static final int BYTES = 256 << 10;
  private static final int SUBMISSIONS = 32;
  private static final int MATRIX = 32;

  /** Video memory beside it, more than its share when others use the GPU, too. */
  static final int BALLAST_PIECES = 8;

  private static final long BALLAST_BYTES = 128 << 20;

  private final Kernel kernel;
  private final Path socket;
  private final Thread thread;
  private final Latencies latencies = new Latencies();
  private final List<String> wrong = new CopyOnWriteArrayList<>();
  private final AtomicLong rounds = new AtomicLong();
  private volatile boolean stopped;

  Victim(Kernel kernel, Path socket) {
    this.kernel = kernel;
    this.socket = socket;
    thread = Thread.ofPlatform().daemon().name("victim").start(this::run);
  }

  Latencies latencies() {
    return latencies;
  }

  /** Rounds of work that were finished. */
  long rounds() {
    return rounds.get();
  }

  /** What went wrong since it was asked last. */
  List<String> wrong() {
    List<String> found = List.copyOf(wrong);
    wrong.removeAll(found);
    return found;
  }

  /** After a failure it begins anew, so that one attack does not spoil the next. */
  private void run() {
    while (!stopped) {
      try (Work work = new Work(kernel, socket)) {
        while (!stopped) {
          String found = work.round(rounds.get());
          if (!found.isEmpty()) {
            wrong.add(found);
          }
          rounds.incrementAndGet();
        }
      } catch (RuntimeException e) {
        String text = String.valueOf(e);
        // EBUSY: its own former session may still be ending.
        if (!stopped && wrong.size() < 10 && !text.contains("EBUSY")) {
          wrong.add("the victim's work ended: " + text);
        }
      }
    }
  }

  /** One attachment. */
  private final class Work implements AutoCloseable {
    private final AttachedDevice device;
    private final Space space;
    private final Buffer source;
    private final Buffer video;
    private final Buffer target;
    private final ClientChannel channel;
    private final GuestPort port;
    private final WorkloadRun product;
    private final Pushbuffer copies = new Pushbuffer();
    private final Pushbuffer nothing = new Pushbuffer().reference(1);

    Work(Kernel kernel, Path socket) {
      device = AttachedDevice.attach(kernel, socket);
      boolean made = false;
      try {
        space = device.newSpace();
        source = device.allocateProcess(BYTES);
        video = device.allocateVideo(BYTES);
        target = device.allocateProcess(BYTES);
        GpuVa from = space.map(source);
        GpuVa through = space.map(video);
        GpuVa to = space.map(target);
        channel = space.newChannel();
        channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().bindEngines()));
        Pushbuffer _ = copies.copyM2mf(from, through, BYTES).copyM2mf(through, to, BYTES);
        port = new GuestPort(device, false);
        product = new WorkloadRun(new MatrixProduct(MATRIX), port);
        product.upload();
        takeBallast();
        made = true;
      } finally {
        if (!made) {
          device.close();
        }
      }
    }

    /** It is never written: what is evicted of it stops this guest's channels for a moment. */
    private void takeBallast() {
      try {
        for (int i = 0; i < BALLAST_PIECES; i++) {
          Buffer _ = device.allocateVideo(BALLAST_BYTES);
        }
      } catch (RuntimeException full) {
        // more than its share already
      }
    }

    /** What was wrong; empty: nothing. */
    String round(long number) {
      for (int i = 0; i < SUBMISSIONS; i++) {
        long start = System.nanoTime();
        channel.awaitByPolling(channel.submitWithFence(nothing));
        latencies.add(System.nanoTime() - start);
      }
      MemorySegment words = source.bytes();
      for (long i = 0; i < BYTES / Long.BYTES; i++) {
        words.setAtIndex(ValueLayout.JAVA_LONG, i, number * 0x9e37_79b9_7f4a_7c15L + i);
      }
      channel.awaitByPolling(channel.submitWithFence(copies));
      if (target.bytes().mismatch(words) != -1) {
        return "wrong bytes of a copy in round " + number;
      }
      product.execute();
      return product.verify() ? "" : "a wrong matrix product in round " + number;
    }

    /** The connection's end frees all: a channel that was killed cannot be freed in order. */
    @Override
    public void close() {
      device.close();
    }
  }

  @Override
  public void close() throws InterruptedException {
    stopped = true;
    thread.join();
  }
}

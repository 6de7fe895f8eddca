package io.sluice.testbed.machine.move.process;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.testbed.machine.BoundedWait;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A program that never stops submitting, and can tell whether each submission was executed exactly
 * once.
 *
 * <p>Submission N waits until a counter is N - 1, copies an input of its own to a place of its own
 * in video memory, and sets the counter to N. One that ran twice would wait for ever, or copy what
 * its input was overwritten with once its fence was reached; one that was left out would stop all
 * that follow, and leave its place as it was.
 */
final class ProcessWork implements AutoCloseable {
  private static final int RECORD = 64;
  private static final int PLACES = 16_384;
  private static final int DEPTH = 8;
  private static final Duration LOOK = Duration.ofMillis(1);
  private static final long GONE = 0xdddd_dddd_dddd_ddddL;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private final AttachedDevice device;
  private final Space space;
  private final Buffer input;
  private final Buffer places;
  private final Buffer counter;
  private final ClientChannel channel;
  private final GpuVa inputAt;
  private final GpuVa placesAt;
  private final GpuVa counterAt;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile int submitted;
  private volatile int verified;
  private volatile @Nullable Throwable failure;

  ProcessWork(Kernel kernel, Path socket) {
    device = AttachedDevice.attach(kernel, socket);
    space = device.newSpace();
    input = device.allocateProcess(4096);
    places = device.allocateVideo((long) PLACES * RECORD);
    counter = device.allocateProcess(4096);
    channel = space.newChannel();
    inputAt = space.map(input);
    placesAt = space.map(places);
    counterAt = space.map(counter);
    channel.submit(new Pushbuffer().bindEngines());
    thread = Thread.ofPlatform().daemon().name("work").start(this::run);
  }

  private void run() {
    try {
      while (!stopping) {
        submit(submitted + 1);
        while (!stopping && submitted - done() >= DEPTH) {
          Thread.onSpinWait();
        }
        finish(done());
      }
    } catch (RuntimeException | AssertionError e) {
      failure = e;
    }
  }

  private void submit(int id) {
    MemorySegment from = input.bytes();
    int slot = id % DEPTH * RECORD;
    for (int i = 0; i < RECORD / Long.BYTES; i++) {
      from.set(ValueLayout.JAVA_LONG, slot + i * 8L, word(id, i));
    }
    channel.submit(
        new Pushbuffer()
            .acquire(counterAt, id - 1)
            .copyM2mf(
                new GpuVa(inputAt.value() + slot),
                new GpuVa(placesAt.value() + (long) (id % PLACES) * RECORD),
                RECORD)
            .release(counterAt, id));
    submitted = id;
  }

  /** Looks at what has been executed, and spoils its input. */
  private void finish(int until) {
    for (int id = verified + 1; id <= until; id++) {
      for (int i = 0; i < RECORD / Long.BYTES; i++) {
        long at = (long) (id % PLACES) * RECORD + i * 8L;
        long found = places.bytes().get(ValueLayout.JAVA_LONG, at);
        if (found != word(id, i)) {
          throw new AssertionError(
              "submission " + id + ", word " + i + ": " + Long.toHexString(found));
        }
        places.bytes().set(ValueLayout.JAVA_LONG, at, GONE);
        input.bytes().set(ValueLayout.JAVA_LONG, id % DEPTH * RECORD + i * 8L, GONE);
      }
      verified = id;
    }
  }

  private int done() {
    return (int) INT.getAcquire(counter.bytes(), 0L);
  }

  private static long word(int id, int index) {
    return (id * 8L + index + 1) * 0x9e37_79b9_7f4a_7c15L;
  }

  /** Whether that many more submissions are executed in time, each as it should be. */
  boolean goesOn(int more, Duration within) throws InterruptedException {
    int from = verified;
    try {
      new BoundedWait(within, LOOK)
          .until("more work", () -> failure != null || verified - from >= more);
      return verified - from >= more;
    } catch (IOException _) {
      return false;
    }
  }

  /** What was wrong so far. */
  Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  /** Whether the device answers; otherwise the program has been told that it is lost. */
  boolean isServed() {
    try {
      return device.ping(1) == 1;
    } catch (RuntimeException _) {
      return false;
    }
  }

  /**
   * Ends a program whose device was lost. All that the counter says was executed is looked at, and
   * that nothing behind it was, but for the one that was under way.
   */
  void endLost() throws InterruptedException {
    stopping = true;
    thread.join();
    int executed = done();
    finish(executed);
    for (int id = executed + 2; id <= submitted; id++) {
      long found = places.bytes().get(ValueLayout.JAVA_LONG, (long) (id % PLACES) * RECORD);
      if (found == word(id, 0)) {
        throw new AssertionError("submission " + id + " was executed before " + executed);
      }
    }
    device.close();
  }

  /** Waits for all that was submitted, and looks at it. */
  void end(Duration within) throws IOException, InterruptedException {
    stopping = true;
    thread.join();
    new BoundedWait(within, LOOK).until("the last submission", () -> done() == submitted);
    finish(submitted);
  }

  /** Leaves the daemon as a program does that ends. */
  @Override
  public void close() throws InterruptedException {
    stopping = true;
    thread.join();
    device.close();
  }
}

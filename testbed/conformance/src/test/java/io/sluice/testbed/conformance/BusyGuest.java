package io.sluice.testbed.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.channel.nvidia.HopperCommands;
import io.sluice.channel.nvidia.HopperRing;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A guest that never stops submitting, and by whose memory can be told afterwards what has run:
 * each submission adds 1 to a counter, stores its number in a record of its own, copies a page, and
 * runs a kernel if it has one. What runs twice shows in the counter, what is lost in the records.
 */
final class BusyGuest implements Runnable {
  // In the guest's own memory, behind its ring.
  static final long RAM_BYTES = 0x24_0000;
  private static final long PATTERNS = 0x11_0000;
  private static final long LAUNCHES = 0x12_0000;
  private static final long CODE = 0x22_0000;

  /** A word of ours, not the guest's: bytes of video memory that are in the file. */
  static final long PROGRESS = 0x23_f000;

  private static final int PATTERN_PAGES = 16;
  private static final int LAUNCH_SLOTS = 256;

  // In its video memory.
  static final long VIDEO_BYTES = 128L << 20;
  static final long VIDEO = 0x20_0000_0000L;
  private static final long RECORDS = 0x1000;
  private static final int MAX_SUBMISSIONS = 1 << 20;
  private static final long SLOTS = 16L << 20;
  private static final int SLOT_COUNT = 1024;
  private static final long OUTPUTS = 32L << 20;
  private static final int OUTPUT_COUNT = 1 << 17;
  private static final int THREADS = 64;
  private static final long STILL = 64L << 20;

  private final MemorySegment ram;
  private final HopperRing ring;
  private final int window;
  private final @Nullable Cubin kernel;
  private final int kernelMicroseconds;
  private final HopperCommands commands = new HopperCommands();
  private final AtomicReference<@Nullable Pages> moved = new AtomicReference<>();
  private volatile boolean stopping;
  private volatile long submitted;
  private volatile long released;
  private long lastProgressNs;
  private volatile long longestGapNs;
  private @Nullable Throwable failure;
  private final Thread thread = new Thread(this, "busy-guest");

  /** Where a channel goes on. */
  record Pages(MemorySegment control, MemorySegment doorbell) {}

  /**
   * @param window submissions in flight at most
   * @param kernel takes an output, a value and microseconds; null for copies only
   */
  BusyGuest(MemorySegment ram, Pages pages, int window, @Nullable Cubin kernel, int microseconds) {
    this.ram = ram;
    this.window = window;
    this.kernel = kernel;
    kernelMicroseconds = microseconds;
    for (int page = 0; page < PATTERN_PAGES; page++) {
      for (int i = 0; i < 4096; i += 4) {
        ram.set(Layouts.U32, PATTERNS + page * 4096L + i, pattern(page, i));
      }
    }
    if (kernel != null) {
      MemorySegment.copy(kernel.code(), 0, ram, ValueLayout.JAVA_BYTE, CODE, kernel.code().length);
    }
    ring = new HopperRing(ram, pages.control(), pages.doorbell(), NvidiaRig.RING);
    ring.whileWithdrawn(this::look);
  }

  private static int pattern(int page, int offset) {
    return page * 0x0101_0101 ^ offset * 0x9e37_79b1;
  }

  /** What sets a channel of this guest up, wherever it goes on. */
  static int[] setup(boolean computes) {
    HopperCommands words = new HopperCommands();
    return (computes ? Launch.setUp(words) : words.bindCopy()).toArray();
  }

  void start() {
    lastProgressNs = System.nanoTime();
    thread.start();
  }

  @Override
  public void run() {
    try {
      while (!stopping && submitted < MAX_SUBMISSIONS - 1) {
        observe();
        if (submitted - released < window) {
          submit();
        }
      }
      long until = System.nanoTime() + 10 * NvidiaRig.TIMEOUT_NS;
      while (released < submitted && System.nanoTime() < until) {
        observe();
        if (moved.get() != null) {
          look();
          ring.announceAgain();
        }
        Thread.onSpinWait();
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void submit() {
    long i = submitted;
    commands.clear();
    if (i == 0) {
      commands.raw(setup(kernel != null));
    }
    commands.increment(new GpuVa(VIDEO));
    commands.release(new GpuVa(VIDEO + RECORDS + 8 * i), i + 1);
    commands.copy(
        new GpuVa(NvidiaRig.RING.value() + PATTERNS + i % PATTERN_PAGES * 4096),
        new GpuVa(VIDEO + SLOTS + i % SLOT_COUNT * 4096),
        4096);
    if (kernel != null) {
      long at = LAUNCHES + i % LAUNCH_SLOTS * 4096;
      long out = VIDEO + OUTPUTS + i % OUTPUT_COUNT * THREADS * 4;
      Launch.store(
          kernel,
          NvidiaRig.RING.value() + CODE,
          ram,
          at,
          NvidiaRig.RING.value() + at,
          1,
          THREADS,
          (int) out,
          (int) (out >>> 32),
          (int) (i * THREADS + 7),
          kernelMicroseconds);
      Launch.of(commands, NvidiaRig.RING.value() + at);
    }
    long number = ring.submitWithRelease(commands);
    if (number != i + 1) {
      throw new AssertionError("number " + number + " of submission " + i);
    }
    submitted = number;
  }

  private void observe() {
    long now = ring.lastReleased();
    if (now != released) {
      released = now;
      long time = System.nanoTime();
      longestGapNs = Math.max(longestGapNs, time - lastProgressNs);
      lastProgressNs = time;
    }
  }

  /** While the host holds the channel. */
  private void look() {
    observe();
    Pages pages = moved.getAndSet(null);
    if (pages != null) {
      ring.moveTo(pages.control(), pages.doorbell());
    }
    Thread.onSpinWait();
  }

  /** Tells it where its channel is now. */
  void moveTo(Pages pages) {
    moved.set(pages);
  }

  long submitted() {
    return submitted;
  }

  long released() {
    return released;
  }

  /** Waits until so many more have finished. */
  void awaitProgress(long more) {
    long wanted = released + more;
    long until = System.nanoTime() + 5 * NvidiaRig.TIMEOUT_NS;
    while (released < wanted && System.nanoTime() < until && thread.isAlive()) {
      Thread.onSpinWait();
    }
    assertThat(failure).isNull();
    assertThat(released).as("finished of %d submitted", submitted).isGreaterThanOrEqualTo(wanted);
  }

  /** The longest time without a submission's end, since the last call. */
  long takeLongestGapNs() {
    long gap = longestGapNs;
    longestGapNs = 0;
    return gap;
  }

  /** Ends; all that was submitted must end. */
  void stop() throws InterruptedException {
    stopping = true;
    thread.join();
    assertThat(failure).isNull();
    assertThat(released).as("finished of %d submitted", submitted).isEqualTo(submitted);
  }

  /** Fills what no submission touches. */
  static void fillStill(MemorySegment video) {
    for (long at = STILL; at < video.byteSize(); at += 8) {
      video.set(Layouts.U64, at, at * 0x9e37_79b9_7f4a_7c15L);
    }
  }

  /** Compares a copy of the video memory with what was submitted. */
  void verify(MemorySegment video) {
    long count = submitted;
    assertThat(video.get(Layouts.U32, 0))
        .as("counter after %d submissions", count)
        .isEqualTo((int) count);
    long wrong = 0;
    for (long i = 0; i < count; i++) {
      wrong += video.get(Layouts.U64, RECORDS + 8 * i) == i + 1 ? 0 : 1;
    }
    assertThat(wrong).as("records of %d", count).isZero();
    for (long i = Math.max(0, count - SLOT_COUNT); i < count; i++) {
      for (int at = 0; at < 4096; at += 4) {
        int found = video.get(Layouts.U32, SLOTS + i % SLOT_COUNT * 4096 + at);
        wrong += found == pattern((int) (i % PATTERN_PAGES), at) ? 0 : 1;
      }
    }
    assertThat(wrong).as("words of copied pages").isZero();
    for (long i = 0; kernel != null && i < Math.min(count, OUTPUT_COUNT); i++) {
      for (int j = 0; j < THREADS; j++) {
        int found = video.get(Layouts.U32, OUTPUTS + (i * THREADS + j) * 4);
        wrong += found == (int) (i * THREADS + 7 + j) ? 0 : 1;
      }
    }
    assertThat(wrong).as("words of kernels").isZero();
    for (long at = STILL; at < video.byteSize(); at += 8) {
      wrong += video.get(Layouts.U64, at) == at * 0x9e37_79b9_7f4a_7c15L ? 0 : 1;
    }
    assertThat(wrong).as("words that nobody touched").isZero();
  }
}

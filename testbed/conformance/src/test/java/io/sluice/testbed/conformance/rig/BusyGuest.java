package io.sluice.testbed.conformance.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperKernel;
import io.sluice.channel.nvidia.submit.HopperLaunch;
import io.sluice.channel.nvidia.submit.HopperRing;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A guest that never stops submitting, and by whose memory can be told afterwards what has run:
 * each submission adds 1 to a counter, stores its number in a record of its own, copies a page, and
 * runs a kernel if it has one. What runs twice shows in the counter, what is lost in the records.
 */
public final class BusyGuest implements Runnable {
  // In the guest's own memory, behind its ring.
  public static final long RAM_BYTES = 0x34_0000;
  private static final long PATTERNS = 0x11_0000;
  private static final long LAUNCHES = 0x12_0000;
  private static final long CODE = 0x22_0000;

  /** A word of ours, not the guest's: bytes of video memory that are in the file. */
  public static final long PROGRESS = 0x23_f000;

  private static final int PATTERN_PAGES = 16;
  private static final int LAUNCH_SLOTS = 256;

  /** Where memory that is transferred stands on its way. */
  private static final long TRANSFERS = 0x24_0000;

  private static final long TRANSFER_BYTES = 0x10_0000;

  // In its video memory.
  public static final long VIDEO_BYTES = 128L << 20;
  public static final long VIDEO = 0x20_0000_0000L;
  private static final long RECORDS = 0x1000;
  private static final int MAX_SUBMISSIONS = 1 << 20;
  private static final long SLOTS = 16L << 20;
  private static final int SLOT_COUNT = 1024;
  private static final long OUTPUTS = 32L << 20;
  private static final int OUTPUT_COUNT = 1 << 17;
  private static final int THREADS = 64;
  private static final long STILL = 64L << 20;

  private final MemorySegment ram;
  private final MovablePages behind;
  private final HopperRing ring;
  private final int window;
  private final @Nullable HopperKernel kernel;
  private final int kernelMicroseconds;
  private final HopperCommands commands = new HopperCommands();
  private final AtomicReference<@Nullable Pages> moved = new AtomicReference<>();
  private boolean setUp;

  /** Releases before the first submission. */
  private long first;

  private volatile boolean stopping;
  private volatile long submitted;
  private volatile long released;
  private long lastSubmitNs;
  private volatile long spacingNs;
  private long lastProgressNs;
  private volatile long longestGapNs;
  private @Nullable Throwable failure;
  private final Thread thread = new Thread(this, "busy-guest");

  /** Where a channel goes on. */
  public record Pages(MemorySegment control, MemorySegment doorbell) {}

  /**
   * @param window submissions in flight at most
   * @param kernel takes an output, a value and microseconds; null for copies only
   */
  public BusyGuest(
      MemorySegment ram, Pages pages, int window, @Nullable HopperKernel kernel, int microseconds) {
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
    behind = new MovablePages(pages.control(), pages.doorbell());
    ring = new HopperRing(ram, behind, NvidiaRig.RING);
    behind.whileWithdrawn(this::look);
  }

  private static int pattern(int page, int offset) {
    return page * 0x0101_0101 ^ offset * 0x9e37_79b1;
  }

  /** What sets a channel of this guest up, wherever it goes on. */
  public static int[] setup(boolean computes) {
    HopperCommands words = new HopperCommands();
    return (computes ? HopperLaunch.setUp(words) : words.bindCopy()).toArray();
  }

  /** Its device may be moved to another GPU. */
  public void whenMoved(Supplier<MemorySegment> doorbells) {
    behind.whenMoved(doorbells);
  }

  /** Submits no more often than this, so that a long test does not run out of records. */
  public void setSpacingNs(long ns) {
    spacingNs = ns;
  }

  public void start() {
    lastProgressNs = System.nanoTime();
    thread.start();
  }

  @Override
  public void run() {
    try {
      while (!stopping && submitted < MAX_SUBMISSIONS - 1) {
        observe();
        long now = System.nanoTime();
        if (submitted - released < window && now - lastSubmitNs >= spacingNs && !ring.isFull()) {
          lastSubmitNs = now;
          submit();
        }
      }
      long until = System.nanoTime() + 10 * NvidiaRig.TIMEOUT_NS;
      while (released < submitted && System.nanoTime() < until) {
        observe();
        if (moved.get() != null) {
          look();
          ring.announce();
        }
        Thread.onSpinWait();
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Copies video memory from or to a processor's; before it starts, or after it has stopped. */
  public void transfer(MemorySegment video, boolean toVideo) {
    MemorySegment piece = ram.asSlice(TRANSFERS, TRANSFER_BYTES);
    GpuVa own = new GpuVa(NvidiaRig.RING.value() + TRANSFERS);
    for (long at = 0; at < video.byteSize(); at += TRANSFER_BYTES) {
      GpuVa there = new GpuVa(VIDEO + at);
      commands.clear();
      if (!setUp) {
        setUp = true;
        commands.raw(setup(kernel != null));
      }
      if (toVideo) {
        MemorySegment.copy(video, at, piece, 0, TRANSFER_BYTES);
        commands.copy(own, there, TRANSFER_BYTES);
      } else {
        commands.copy(there, own, TRANSFER_BYTES);
      }
      long done = ring.submitWithRelease(commands);
      assertThat(ring.await(done, System::nanoTime, NvidiaRig.TIMEOUT_NS)).isTrue();
      if (!toVideo) {
        MemorySegment.copy(piece, 0, video, at, TRANSFER_BYTES);
      }
      first = submitted == 0 ? done : first;
    }
  }

  /** Where its ring stands, for whoever goes on with it from a checkpoint. */
  public record RingState(int put, long released) {}

  /** Of one that has stopped. */
  public RingState ringState() {
    return new RingState(ring.put(), first + submitted);
  }

  /**
   * Goes on where another one with the same memory has stopped.
   *
   * @param state of its ring then
   */
  public void goOn(BusyGuest former, RingState state) {
    ring.goOn(state.put(), state.released());
    setUp = true;
    first = former.first;
    submitted = former.submitted;
    released = former.released;
  }

  private void submit() {
    long i = submitted;
    commands.clear();
    if (!setUp) {
      setUp = true;
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
      HopperLaunch.store(
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
      HopperLaunch.of(commands, NvidiaRig.RING.value() + at);
    }
    long number = ring.submitWithRelease(commands);
    if (number != first + i + 1) {
      throw new AssertionError("number " + number + " of submission " + i);
    }
    submitted = i + 1;
  }

  private void observe() {
    long now = ring.lastReleased() - first;
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
      behind.moveTo(pages.control(), pages.doorbell());
    }
    Thread.onSpinWait();
  }

  /** Tells it where its channel is now. */
  public void moveTo(Pages pages) {
    moved.set(pages);
  }

  public long submitted() {
    return submitted;
  }

  public long released() {
    return released;
  }

  /** Waits until so many more have finished. */
  public void awaitProgress(long more) {
    long wanted = released + more;
    long until = System.nanoTime() + 5 * NvidiaRig.TIMEOUT_NS;
    while (released < wanted && System.nanoTime() < until && thread.isAlive()) {
      Thread.onSpinWait();
    }
    assertThat(failure).isNull();
    assertThat(released).as("finished of %d submitted", submitted).isGreaterThanOrEqualTo(wanted);
  }

  /** The longest time without a submission's end, since the last call. */
  public long takeLongestGapNs() {
    long gap = longestGapNs;
    longestGapNs = 0;
    return gap;
  }

  /** Ends; all that was submitted must end. */
  public void stop() throws InterruptedException {
    stopping = true;
    thread.join();
    assertThat(failure).isNull();
    assertThat(released).as("finished of %d submitted", submitted).isEqualTo(submitted);
  }

  /** Fills what no submission touches. */
  public static void fillStill(MemorySegment video) {
    for (long at = STILL; at < video.byteSize(); at += 8) {
      video.set(Layouts.U64, at, at * 0x9e37_79b9_7f4a_7c15L);
    }
  }

  /** Compares a copy of the video memory with what was submitted. */
  public void verify(MemorySegment video) {
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

package io.sluice.channel.nvidia.submit;

import io.sluice.abi.GpuVa;
import io.sluice.abi.rm.RmEngine;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmSpace;
import io.sluice.channel.state.GuestLimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The fingerprints of pages, computed on the multiprocessors by a kernel of ours on a channel of
 * its own in the monitor's address space. It shares the GPU's time with the guest it works for.
 * Guarded by the open's lock.
 */
public final class PageHasher implements AutoCloseable {
  private static final String RESOURCE = "page_fingerprint.cubin";
  private static final String NAME = "page_fingerprint";

  /** Where it lies in the monitor's address space. */
  private static final GpuVa RING = new GpuVa(0x18_0000_0000L);

  // Behind the ring.
  private static final long LAUNCH = HopperRing.SIZE_BYTES;
  private static final long KEY = LAUNCH + GuestLimits.PAGE_BYTES;
  private static final long CODE = KEY + GuestLimits.PAGE_BYTES;

  /** The processor fetches beyond the end of the code. */
  private static final long BEYOND_CODE = 1024;

  private static final int THREADS = 256;
  private static final int PAGES_PER_BLOCK = THREADS / 32;

  /** More keep no multiprocessor busier. */
  private static final int MAX_BLOCKS = 132 * 8;

  /** Longer than the guest's own grids, which take turns with ours, let one take. */
  private static final long LIMIT_NS = 10_000_000_000L;

  private final HopperKernel kernel;
  private final OwnChannel channel;
  private final HopperCommands commands = new HopperCommands();
  private long @Nullable [] lastKey;
  private boolean bound;

  private PageHasher(HopperKernel kernel, OwnChannel channel) {
    this.kernel = kernel;
    this.channel = channel;
    MemorySegment.copy(
        kernel.code(), 0, channel.memory(), ValueLayout.JAVA_BYTE, CODE, kernel.code().length);
  }

  /**
   * Makes the channel.
   *
   * @param space the monitor's
   */
  static PageHasher make(RmOpen open, RmSpace space) {
    HopperKernel kernel = load();
    var plan =
        new OwnChannel.OwnChannelPlan("sluice-hasher", RmEngine.GRAPHICS, RING, bytes(kernel));
    return new PageHasher(kernel, OwnChannel.make(open, space, plan));
  }

  private static long bytes(HopperKernel kernel) {
    return (CODE + kernel.code().length + BEYOND_CODE + GuestLimits.PAGE_BYTES - 1)
        & -GuestLimits.PAGE_BYTES;
  }

  private static HopperKernel load() {
    try (InputStream in = PageHasher.class.getResourceAsStream(RESOURCE)) {
      HopperKernel found = in == null ? null : HopperKernel.parse(in.readAllBytes()).get(NAME);
      if (found == null) {
        throw new AssertionError("not in the module, resource=" + RESOURCE);
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Computes, and waits for it.
   *
   * @param from address of the first page in the monitor's space
   * @param into where the sums go, there too
   */
  void run(GpuVa from, int count, long[] key, GpuVa into) {
    if (key.length != GuestGpu.KEY_WORDS) {
      throw new IllegalArgumentException("no key, words=" + key.length);
    }
    if (key != lastKey) {
      MemorySegment.copy(key, 0, channel.memory(), ValueLayout.JAVA_LONG, KEY, key.length);
      lastKey = key;
    }
    int blocks = Math.min(MAX_BLOCKS, (count + PAGES_PER_BLOCK - 1) / PAGES_PER_BLOCK);
    HopperLaunch.store(
        kernel,
        RING.value() + CODE,
        channel.memory(),
        LAUNCH,
        RING.value() + LAUNCH,
        blocks,
        THREADS,
        low(from.value()),
        high(from.value()),
        count,
        0,
        low(RING.value() + KEY),
        high(RING.value() + KEY),
        low(into.value()),
        high(into.value()));
    commands.clear();
    if (!bound) {
      bound = true;
      HopperLaunch.setUp(commands);
    }
    HopperLaunch.of(commands, RING.value() + LAUNCH);
    channel.await(channel.ring().submitWithRelease(commands), LIMIT_NS);
  }

  private static int low(long value) {
    return (int) value;
  }

  private static int high(long value) {
    return (int) (value >>> Integer.SIZE);
  }

  @Override
  public void close() {
    channel.close();
  }
}

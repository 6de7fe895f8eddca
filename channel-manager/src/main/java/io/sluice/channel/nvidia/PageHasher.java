package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.rm.RmEngine;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Computes fingerprints of pages on the multiprocessors, by a kernel of ours on a channel of its
 * own in the monitor's address space. It shares the GPU's time with the guest it works for. Guarded
 * by the open's lock.
 */
final class PageHasher implements AutoCloseable {
  private static final String RESOURCE = "page_fingerprint.cubin";
  private static final String NAME = "page_fingerprint";

  /** Where it lies in the monitor's address space. */
  private static final GpuVa RING = new GpuVa(0x18_0000_0000L);

  // Behind the ring.
  private static final long LAUNCH = HopperRing.SIZE_BYTES;
  private static final long KEY = LAUNCH + Limits.PAGE_BYTES;
  private static final long CODE = KEY + Limits.PAGE_BYTES;

  /** The processor fetches beyond the end of the code. */
  private static final long BEYOND_CODE = 1024;

  private static final int THREADS = 256;
  private static final int PAGES_PER_BLOCK = THREADS / 32;

  /** More keep no multiprocessor busier. */
  private static final int MAX_BLOCKS = 132 * 8;

  /** Longer than the guest's own grids, which take turns with ours, let one take. */
  private static final long LIMIT_NS = 10_000_000_000L;

  private final NvidiaGuestGpu gpu;
  private final NvidiaAddressSpace space;
  private final HopperKernel kernel;
  private final SharedPages memory;
  private final SharedPages pages;
  private final int object;
  private final HardwareChannel channel;
  private final HopperRing ring;
  private final HopperCommands commands = new HopperCommands();
  private long @Nullable [] lastKey;
  private boolean bound;

  private PageHasher(
      NvidiaGuestGpu gpu,
      NvidiaAddressSpace space,
      HopperKernel kernel,
      SharedPages memory,
      SharedPages pages,
      int object,
      HardwareChannel channel) {
    this.gpu = gpu;
    this.space = space;
    this.kernel = kernel;
    this.memory = memory;
    this.pages = pages;
    this.object = object;
    this.channel = channel;
    ring = new HopperRing(memory.all(), pages.page(0), gpu.doorbellPage().page(), RING);
    MemorySegment.copy(
        kernel.code(), 0, memory.all(), ValueLayout.JAVA_BYTE, CODE, kernel.code().length);
  }

  /**
   * Makes the channel.
   *
   * @param space the monitor's
   */
  static PageHasher open(NvidiaGuestGpu gpu, NvidiaAddressSpace space) {
    HopperKernel kernel = load();
    RmClient client = gpu.client();
    List<Runnable> undo = new ArrayList<>();
    boolean complete = false;
    try {
      long bytes = bytes(kernel);
      SharedPages memory = SharedPages.create(gpu.kernel(), "sluice-hasher", bytes);
      undo.add(memory::close);
      SharedPages pages =
          SharedPages.create(gpu.kernel(), "sluice-hasher-page", 2 * Limits.PAGE_BYTES);
      undo.add(pages::close);
      int object = client.registerMemory(memory.all());
      undo.add(() -> client.free(client.device(), object));
      space.mapObject(object, bytes, RING.value());
      undo.add(() -> space.unmapObject(object, bytes, RING.value()));
      HardwareChannel channel =
          HardwareChannel.create(
              client,
              new HardwareChannel.Plan(
                  space.object(),
                  RmEngine.GRAPHICS,
                  RING,
                  HopperRing.ENTRIES,
                  pages.page(0),
                  pages.page(1)),
              false);
      new UserdWords(pages.page(0)).publish(channel.token());
      complete = true;
      return new PageHasher(gpu, space, kernel, memory, pages, object, channel);
    } finally {
      if (!complete) {
        undo.reversed().forEach(Runnable::run);
      }
    }
  }

  private static long bytes(HopperKernel kernel) {
    return (CODE + kernel.code().length + BEYOND_CODE + Limits.PAGE_BYTES - 1) & -Limits.PAGE_BYTES;
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
      MemorySegment.copy(key, 0, memory.all(), ValueLayout.JAVA_LONG, KEY, key.length);
      lastKey = key;
    }
    int blocks = Math.min(MAX_BLOCKS, (count + PAGES_PER_BLOCK - 1) / PAGES_PER_BLOCK);
    HopperLaunch.store(
        kernel,
        RING.value() + CODE,
        memory.all(),
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
    long done = ring.submitWithRelease(HopperLaunch.of(commands, RING.value() + LAUNCH));
    if (!ring.await(done, gpu::timeNs, LIMIT_NS)) {
      throw RmRefusal.monitorStuck();
    }
  }

  private static int low(long value) {
    return (int) value;
  }

  private static int high(long value) {
    return (int) (value >>> Integer.SIZE);
  }

  @Override
  public void close() {
    channel.destroy();
    space.unmapObject(object, bytes(kernel), RING.value());
    gpu.client().free(gpu.client().device(), object);
    memory.close();
    pages.close();
  }
}

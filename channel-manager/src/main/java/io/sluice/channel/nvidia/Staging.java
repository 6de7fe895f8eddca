package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.channel.Limits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Host memory of a card for what its guests' video memory does not hold, in chunks that the GPU
 * knows, and the channel that copies there and back. Making such memory takes twenty times as long
 * as copying to it: pages are given and pinned one by one. So some are made beforehand, and chunks
 * that guests give back are kept, up to {@link #KEPT_BYTES}.
 *
 * <p>The memory belongs to an RM client of its own, whose monitor has all of it mapped. A guest's
 * client gets a handle of its own of each chunk, and this client one of the guest's video memory
 * while it is copied. No chunk shows a guest what another one has left: it is cleared between two.
 *
 * <p>One lock guards all of it. It is taken under a guest's, never the other way round.
 */
final class Staging implements AutoCloseable {
  static final long CHUNK_BYTES = 32L << 20;

  /** Kept at most. */
  static final long KEPT_BYTES = 2L << 30;

  /** From here on several processors fill the pages. */
  private static final long PARALLEL_BYTES = 8L << 20;

  /** How long nobody must have moved anything before more is made. */
  private static final long QUIET_NS = 1_000_000_000;

  private final Supplier<NvidiaGuestGpu> opening;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<Long, Deque<Kept>> kept = new HashMap<>(); // by size
  private long keptBytes;
  private @Nullable NvidiaGuestGpu owner;
  private boolean closed;
  private boolean used;
  private long lastUseNs;

  /**
   * @param opening opens the client that the memory belongs to
   * @param nanoTime a clock
   */
  Staging(Supplier<NvidiaGuestGpu> opening, LongSupplier nanoTime) {
    this.opening = opening;
    this.nanoTime = nanoTime;
  }

  /**
   * A piece of host memory that a guest has.
   *
   * @param memory the piece
   * @param object the guest's handle of it
   */
  record Chunk(Memory memory, int object) {
    long bytes() {
      return memory.bytes();
    }

    MemorySegment cpu() {
      return memory.pages().all();
    }
  }

  /**
   * A piece of host memory.
   *
   * @param pages the memory
   * @param object our handle of it
   * @param alias its address in our monitor's space
   */
  record Memory(SharedPages pages, int object, GpuVa alias) {
    long bytes() {
      return pages.all().byteSize();
    }
  }

  /**
   * What is kept.
   *
   * @param memory the piece
   * @param last whose bytes are in it; null when it holds zeros
   */
  private record Kept(Memory memory, @Nullable NvidiaGuestGpu last) {}

  private NvidiaGuestGpu owner() {
    if (closed) {
      throw RmRefusal.closed();
    }
    if (owner == null) {
      owner = opening.get();
    }
    return owner;
  }

  /**
   * Chunks of so many bytes together, all of {@link #CHUNK_BYTES} but the last.
   *
   * @param zeros whether they must hold zeros; otherwise perhaps something of this guest's
   */
  List<Chunk> take(NvidiaGuestGpu guest, long bytes, boolean zeros) {
    lock.lock();
    noteUse();
    List<Chunk> taken = new ArrayList<>();
    boolean complete = false;
    try {
      for (long at = 0; at < bytes; at += CHUNK_BYTES) {
        Memory memory = takeOne(guest, Math.min(CHUNK_BYTES, bytes - at), zeros);
        taken.add(lend(guest, memory));
      }
      complete = true;
      return taken;
    } finally {
      if (!complete) {
        giveBack(guest, taken);
      }
      lock.unlock();
    }
  }

  private void noteUse() {
    used = true;
    lastUseNs = nanoTime.getAsLong();
  }

  private Chunk lend(NvidiaGuestGpu guest, Memory memory) {
    boolean complete = false;
    try {
      int object = guest.client().dup(owner().client(), memory.object());
      complete = true;
      return new Chunk(memory, object);
    } finally {
      if (!complete) {
        release(memory);
      }
    }
  }

  /** What the guest has used itself first, then what holds zeros. */
  private Memory takeOne(NvidiaGuestGpu guest, long bytes, boolean zeros) {
    Kept best = null;
    Deque<Kept> same = kept.getOrDefault(bytes, new ArrayDeque<>());
    for (Kept one : same) {
      boolean fits = one.last() == (zeros ? null : guest);
      if (best == null || fits || best.last() != null && one.last() == null) {
        best = one;
      }
      if (fits) {
        break;
      }
    }
    if (best == null) {
      return make(bytes);
    }
    same.remove(best);
    keptBytes -= bytes;
    if (best.last() != null && (zeros || best.last() != guest)) {
      clear(best.memory());
    }
    return best.memory();
  }

  private Memory make(long bytes) {
    NvidiaGuestGpu own = owner();
    SharedPages pages = SharedPages.create(own.kernel(), "sluice-evicted", bytes);
    int object = 0;
    boolean complete = false;
    try {
      touch(pages.all());
      object = own.client().registerMemory(pages.all());
      int registered = object;
      GpuVa alias = own.ask(() -> own.monitor().alias(registered, bytes, Limits.PAGE_BYTES));
      complete = true;
      return new Memory(pages, object, alias);
    } finally {
      if (!complete) {
        if (object != 0) {
          own.client().free(own.client().device(), object);
        }
        pages.close();
      }
    }
  }

  /** Has the kernel give the pages, which RM would have it do one after the other. */
  private static void touch(MemorySegment memory) {
    if (memory.byteSize() >= PARALLEL_BYTES) {
      LongStream.range(0, memory.byteSize() / Limits.PAGE_BYTES)
          .parallel()
          .forEach(page -> memory.set(ValueLayout.JAVA_BYTE, page * Limits.PAGE_BYTES, (byte) 0));
    }
  }

  private static void clear(Memory memory) {
    memory.pages().all().fill((byte) 0);
  }

  /** The guest does not map them any more. */
  void giveBack(NvidiaGuestGpu guest, List<Chunk> chunks) {
    lock.lock();
    try {
      noteUse();
      for (Chunk chunk : chunks) {
        guest.client().free(guest.client().device(), chunk.object());
        if (keptBytes + chunk.bytes() <= KEPT_BYTES) {
          keep(new Kept(chunk.memory(), guest));
        } else {
          release(chunk.memory());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void keep(Kept one) {
    keptBytes += one.memory().bytes();
    kept.computeIfAbsent(one.memory().bytes(), _ -> new ArrayDeque<>()).push(one);
  }

  private void release(Memory memory) {
    NvidiaGuestGpu own = owner();
    own.run(() -> own.monitor().removeAlias(memory.object(), memory.bytes(), memory.alias()));
    own.client().free(own.client().device(), memory.object());
    memory.pages().close();
  }

  /**
   * Copies a guest's video memory to chunks, or back.
   *
   * @param video the guest's handle of the video memory
   * @param alignment of its pages
   * @param out whether to the chunks
   * @param meanwhile is done while the engine works
   */
  void copy(
      NvidiaGuestGpu guest,
      int video,
      long alignment,
      List<Chunk> chunks,
      boolean out,
      Runnable meanwhile) {
    long bytes = chunks.stream().mapToLong(Chunk::bytes).sum();
    lock.lock();
    try {
      NvidiaGuestGpu own = owner();
      RmClient client = own.client();
      int object = client.dup(guest.client(), video);
      try {
        own.run(() -> {
          Monitor monitor = own.monitor();
          GpuVa alias = monitor.alias(object, bytes, alignment);
          try {
            monitor.copy(copies(alias, chunks, out), meanwhile);
          } finally {
            monitor.removeAlias(object, bytes, alias);
          }
        });
      } finally {
        client.free(client.device(), object);
      }
    } finally {
      lock.unlock();
    }
  }

  private static List<Monitor.Copy> copies(GpuVa video, List<Chunk> chunks, boolean out) {
    List<Monitor.Copy> copies = new ArrayList<>(chunks.size());
    long at = video.value();
    for (Chunk chunk : chunks) {
      GpuVa there = new GpuVa(at);
      GpuVa here = chunk.memory().alias();
      copies.add(new Monitor.Copy(out ? there : here, out ? here : there, chunk.bytes()));
      at += chunk.bytes();
    }
    return copies;
  }

  /**
   * Makes or clears a chunk, so that it is there when one is needed.
   *
   * @param readyBytes how much is to be there
   * @return whether there may be more to do now
   */
  boolean prepareOne(long readyBytes) {
    lock.lock();
    try {
      if (closed || used && nanoTime.getAsLong() - lastUseNs < QUIET_NS) {
        return false;
      }
      for (Deque<Kept> same : kept.values()) {
        for (Iterator<Kept> each = same.iterator(); each.hasNext(); ) {
          Kept one = each.next();
          NvidiaGuestGpu last = one.last();
          if (last != null && last.isClosed()) {
            each.remove();
            clear(one.memory());
            same.addLast(new Kept(one.memory(), null));
            return true;
          }
        }
      }
      Deque<Kept> ready = kept.getOrDefault(CHUNK_BYTES, new ArrayDeque<>());
      if ((ready.size() + 1) * CHUNK_BYTES > readyBytes) {
        return false;
      }
      keep(new Kept(make(CHUNK_BYTES), null));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Guests are closed before. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!closed) {
        kept.values().forEach(same -> same.forEach(one -> release(one.memory())));
        kept.clear();
        keptBytes = 0;
        closed = true;
        if (owner != null) {
          owner.close();
        }
      }
    } finally {
      lock.unlock();
    }
  }
}

package io.sluice.channel.nvidia.evict;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.RmClass;
import io.sluice.channel.nvidia.memory.Chunk;
import io.sluice.channel.nvidia.memory.Chunk.SystemMemory;
import io.sluice.channel.nvidia.memory.HostPool;
import io.sluice.channel.nvidia.memory.NvidiaMemory;
import io.sluice.channel.nvidia.memory.OpenSpaces;
import io.sluice.channel.nvidia.relay.card.ProgramCopier;
import io.sluice.channel.nvidia.rm.RmClient;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.SpareMemory;
import io.sluice.channel.nvidia.rm.SystemPages;
import io.sluice.channel.nvidia.submit.CopyQueue;
import io.sluice.channel.nvidia.submit.Monitor;
import io.sluice.channel.state.GuestLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongBinaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Host memory of a card for what its guests' video memory does not hold, in chunks of RM, and the
 * channels that copy there and back. Making such memory takes several times as long as copying to
 * it. So some is made beforehand, and chunks that guests give back are kept, up to {@link
 * #KEPT_BYTES} or as much as is to be made beforehand.
 *
 * <p>Chunks have pages of 2 MiB if the host can give them, so that a mapping is a few entries: with
 * pages of 4 KiB mapping takes as long as copying. No CPU maps them. They belong to an RM client of
 * its own, whose monitor has all of them mapped. A guest's client gets a handle of its own of each
 * chunk, and this client one of the guest's video memory while it is copied. No chunk shows a guest
 * what another one, or the host, has left: the GPU clears it between two.
 *
 * <p>One lock guards all of it. It is taken under a guest's, never the other way round.
 */
public final class EvictionPool
    implements HostPool, NvidiaMemory.Evictor, ProgramCopier, AutoCloseable {
  public static final long CHUNK_BYTES = 32L << 20;

  /** Of a program's memory, which is copied at once. */
  static final long PART_BYTES = 32 * CHUNK_BYTES;

  /** What a mapping's entry can cover, if memory is in pages of that size. */
  private static final long HUGE_PAGE_BYTES = NvidiaMemory.Video.HUGE_PAGE_BYTES;

  /** Kept at most, unless more is to be there. */
  public static final long KEPT_BYTES = 2L << 30;

  /** How long nobody must have moved anything before more is made. */
  private static final long QUIET_NS = 1_000_000_000;

  private static final Logger log = LoggerFactory.getLogger(EvictionPool.class);

  private final Supplier<RmOpen> opening;
  private final ToIntFunction<RmOpen> engines;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<Long, Deque<Kept>> kept = new HashMap<>(); // by size

  @GuardedBy("lock")
  private long keptBytes;

  @GuardedBy("lock")
  private long readyBytes;

  @GuardedBy("lock")
  private @Nullable Own owner;

  @GuardedBy("lock")
  private boolean closed;

  /** The host was found to have no large pages. */
  @GuardedBy("lock")
  private boolean fragmented;

  @GuardedBy("lock")
  private boolean used;

  @GuardedBy("lock")
  private long lastUseNs;

  /**
   * @param opening opens the client that the memory belongs to
   * @param engines which engine is to copy for a guest
   * @param nanoTime a clock
   */
  public EvictionPool(
      Supplier<RmOpen> opening, ToIntFunction<RmOpen> engines, LongSupplier nanoTime) {
    this.opening = opening;
    this.engines = engines;
    this.nanoTime = nanoTime;
  }

  /**
   * A piece that is kept.
   *
   * @param memory the piece
   * @param last whose bytes are in it; null when it holds zeros
   */
  private record Kept(SystemMemory memory, @Nullable RmOpen last) {}

  /**
   * The open that the memory belongs to.
   *
   * @param monitor maps all of it
   * @param late others' memory that was not copied, or cleared, in time: the GPU may be at it still
   */
  record Own(RmOpen open, Monitor monitor, List<ForeignMemory> late) {
    RmClient client() {
      return open.client();
    }

    /**
     * The queue for others' memory.
     *
     * @throws RefusedException while it has not done what it began
     */
    CopyQueue idleQueue() {
      CopyQueue queue = monitor.queue(open.copyEngines().ofMonitors());
      if (!queue.isIdle()) {
        throw RmRefusal.monitorStuck();
      }
      late.forEach(ForeignMemory::free);
      late.clear();
      return queue;
    }

    private void close() {
      open.lock().close(monitor::close, open.client()::close);
    }
  }

  @GuardedBy("lock")
  private Own owner() {
    if (closed) {
      throw RmRefusal.closed();
    }
    if (owner == null) {
      RmOpen opened = opening.get();
      Own made = new Own(opened, new Monitor(opened), new ArrayList<>());
      boolean complete = false;
      try {
        opened.lock().run(() -> opened.copyEngines().all().forEach(made.monitor()::queue));
        complete = true;
        owner = made;
      } finally {
        if (!complete) {
          made.close();
        }
      }
    }
    return owner;
  }

  /** All of {@link #CHUNK_BYTES} but the last. */
  @Override
  public List<Chunk> take(RmOpen guest, long bytes, boolean zeros) {
    List<Chunk> taken = new ArrayList<>();
    boolean complete = false;
    lock.lock();
    try {
      noteUse();
      for (long at = 0; at < bytes; at += CHUNK_BYTES) {
        taken.add(lend(guest, findOne(guest, Math.min(CHUNK_BYTES, bytes - at), zeros)));
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

  /**
   * A chunk that perhaps holds something of this guest's.
   *
   * @param bytes at most {@link #CHUNK_BYTES}
   */
  Chunk takeOne(RmOpen guest, long bytes) {
    lock.lock();
    try {
      noteUse();
      return lend(guest, findOne(guest, bytes, false));
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void noteUse() {
    used = true;
    lastUseNs = nanoTime.getAsLong();
  }

  /** What was moved until now is no sign of more. */
  public void rest() {
    lock.lock();
    try {
      used = false;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private Chunk lend(RmOpen guest, SystemMemory memory) {
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
  @GuardedBy("lock")
  private SystemMemory findOne(RmOpen guest, long bytes, boolean zeros) {
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
      SystemMemory made = make(bytes);
      if (zeros) {
        clear(guest, made);
      }
      return made;
    }
    same.remove(best);
    keptBytes -= bytes;
    if (best.last() != null && (zeros || best.last() != guest)) {
      clear(guest, best.memory());
    }
    return best.memory();
  }

  @GuardedBy("lock")
  private SystemMemory make(long bytes) {
    Own own = owner();
    if (!SpareMemory.hasRoom(own.open().kernel(), bytes)) {
      throw RmRefusal.noRoom("the host has no memory to spare, bytes=" + bytes);
    }
    long page = bytes % HUGE_PAGE_BYTES == 0 ? HUGE_PAGE_BYTES : GuestLimits.PAGE_BYTES;
    int object = allocate(own.client(), bytes);
    boolean complete = false;
    try {
      GpuVa alias = own.open().lock().ask(() -> own.monitor().alias(object, bytes, page));
      complete = true;
      return new SystemMemory(bytes, object, alias);
    } finally {
      if (!complete) {
        own.open().free(object);
      }
    }
  }

  /** With the largest pages that the host can give. */
  @GuardedBy("lock")
  private int allocate(RmClient client, long bytes) {
    for (SystemPages size : SystemPages.of(bytes)) {
      if (size != SystemPages.SMALL) {
        try {
          return allocate(client, bytes, size);
        } catch (RefusedException e) {
          log.atLevel(fragmented ? Level.DEBUG : Level.WARN)
              .addKeyValue("pages", size)
              .setCause(e)
              .log("the host has no memory in large pages: moves take longer");
          fragmented = true;
        }
      }
    }
    return allocate(client, bytes, SystemPages.SMALL);
  }

  private static int allocate(RmClient client, long bytes, SystemPages size) {
    return client.alloc(
        client.device(),
        RmClass.NV01_MEMORY_SYSTEM,
        block -> size.fill(block, client.root(), bytes));
  }

  @GuardedBy("lock")
  private void clear(RmOpen guest, SystemMemory memory) {
    Own own = owner();
    own.open()
        .lock()
        .run(() -> {
          CopyQueue queue = own.monitor().queue(engines.applyAsInt(guest));
          queue.await(queue.clear(memory.alias(), memory.bytes()));
        });
  }

  @Override
  public void giveBack(RmOpen guest, List<Chunk> chunks) {
    lock.lock();
    try {
      noteUse();
      for (Chunk chunk : chunks) {
        guest.free(chunk.object());
        if (keptBytes + chunk.bytes() <= Math.max(KEPT_BYTES, readyBytes)) {
          keep(new Kept(chunk.memory(), guest));
        } else {
          release(chunk.memory());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void keep(Kept one) {
    keptBytes += one.memory().bytes();
    kept.computeIfAbsent(one.memory().bytes(), _ -> new ArrayDeque<>()).push(one);
  }

  @GuardedBy("lock")
  private void release(SystemMemory memory) {
    Own own = owner();
    own.open()
        .lock()
        .run(() -> own.monitor().removeAlias(memory.object(), memory.bytes(), memory.alias()));
    own.open().free(memory.object());
  }

  @Override
  public int move(RmOpen guest, OpenSpaces spaces, List<NvidiaMemory.Video> buffers, boolean out) {
    lock.lock();
    try {
      Own own = owner();
      return own.open()
          .lock()
          .ask(() -> {
            CopyQueue queue = own.monitor().queue(engines.applyAsInt(guest));
            return new BufferMove(this, guest, spaces, own, queue, out).run(buffers);
          });
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void copy(int client, int from, int to, long bytes) {
    inOwn(own -> {
      CopyQueue queue = own.idleQueue();
      try (ForeignMemory source = ForeignMemory.of(own, queue, client, from, bytes);
          ForeignMemory target = ForeignMemory.of(own, queue, client, to, bytes)) {
        inPieces(
            queue,
            bytes,
            (at, piece) -> queue.copy(after(source.alias(), at), after(target.alias(), at), piece));
      }
    });
  }

  @Override
  public void clear(int client, int object, long bytes) {
    inOwn(own -> {
      CopyQueue queue = own.idleQueue();
      try (ForeignMemory target = ForeignMemory.of(own, queue, client, object, bytes)) {
        inPieces(queue, bytes, (at, piece) -> queue.clear(after(target.alias(), at), piece));
      }
    });
  }

  @Override
  public KeptContents keep(int client, int object, long bytes) {
    List<SystemMemory> pieces = new ArrayList<>();
    boolean complete = false;
    try {
      for (long at = 0; at < bytes; at += CHUNK_BYTES) {
        pieces.add(takeOwn(Math.min(CHUNK_BYTES, bytes - at)));
      }
      inParts(
          client,
          object,
          bytes,
          (queue, alias, at, piece) ->
              queue.copy(after(alias, at), pieces.get((int) (at / CHUNK_BYTES)).alias(), piece));
      complete = true;
      return new PooledContents(this, bytes, pieces);
    } finally {
      if (!complete) {
        giveBack(pieces);
      }
    }
  }

  private SystemMemory takeOwn(long bytes) {
    lock.lock();
    try {
      return findOne(owner().open(), bytes, false);
    } finally {
      lock.unlock();
    }
  }

  /** A copy of a piece of others' memory: when it will be done. */
  interface PieceCopy {
    long begin(CopyQueue queue, GpuVa alias, long at, long bytes);
  }

  /** In parts, between which others have the lock. */
  void inParts(int client, int object, long bytes, PieceCopy copy) {
    for (long from = 0; from < bytes; from += PART_BYTES) {
      long start = from;
      long part = Math.min(PART_BYTES, bytes - from);
      inOwn(own -> {
        CopyQueue queue = own.idleQueue();
        try (ForeignMemory foreign = ForeignMemory.of(own, queue, client, object, bytes)) {
          inPieces(
              queue, part, (at, piece) -> copy.begin(queue, foreign.alias(), start + at, piece));
        }
      });
    }
  }

  /** RM's handle of the client that the memory belongs to. */
  int ownClient() {
    lock.lock();
    try {
      return owner().client().root();
    } finally {
      lock.unlock();
    }
  }

  void giveBack(List<SystemMemory> pieces) {
    lock.lock();
    try {
      if (closed) {
        return; // with its client
      }
      for (SystemMemory piece : pieces) {
        if (keptBytes + piece.bytes() <= Math.max(KEPT_BYTES, readyBytes)) {
          keep(new Kept(piece, owner().open()));
        } else {
          release(piece);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int idleToken() {
    lock.lock();
    try {
      Own own = owner();
      return own.open().lock().ask(own.monitor()::token);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void ring(int token) {
    lock.lock();
    try {
      owner().open().doorbell().ring(token);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for each piece, of which one more is under way: however much there is, no wait is long,
   * and the engine is never without work.
   *
   * @param begin of a piece, by its place and its bytes
   */
  private static void inPieces(CopyQueue queue, long bytes, LongBinaryOperator begin) {
    long before = 0;
    for (long at = 0; at < bytes; at += CHUNK_BYTES) {
      long begun = begin.applyAsLong(at, Math.min(CHUNK_BYTES, bytes - at));
      if (at > 0) {
        queue.await(before);
      }
      before = begun;
    }
    queue.await(before);
  }

  static GpuVa after(GpuVa start, long bytes) {
    return new GpuVa(start.value() + bytes);
  }

  void inOwn(Consumer<Own> action) {
    lock.lock();
    try {
      Own own = owner();
      own.open().lock().run(() -> action.accept(own));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes or clears a chunk, so that it is there when one is needed.
   *
   * @param wantedBytes how much is to be there
   * @return whether there may be more to do now
   */
  public boolean prepareOne(long wantedBytes) {
    lock.lock();
    try {
      readyBytes = wantedBytes;
      if (closed || used && nanoTime.getAsLong() - lastUseNs < QUIET_NS) {
        return false;
      }
      for (Deque<Kept> same : kept.values()) {
        for (Iterator<Kept> each = same.iterator(); each.hasNext(); ) {
          Kept one = each.next();
          RmOpen last = one.last();
          if (last != null && last.lock().isClosed()) {
            each.remove();
            clear(owner().open(), one.memory());
            same.addLast(new Kept(one.memory(), null));
            return true;
          }
        }
      }
      Deque<Kept> ready = kept.getOrDefault(CHUNK_BYTES, new ArrayDeque<>());
      if ((ready.size() + 1) * CHUNK_BYTES > wantedBytes) {
        return false;
      }
      SystemMemory made = make(CHUNK_BYTES);
      clear(owner().open(), made);
      keep(new Kept(made, null));
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

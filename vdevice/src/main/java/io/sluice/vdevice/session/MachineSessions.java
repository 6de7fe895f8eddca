package io.sluice.vdevice.session;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.dma.DmaTable;
import io.sluice.vdevice.dma.GuestRange;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.protocol.Limits;
import io.sluice.vdevice.session.SegmentFinder.LocatedSegment;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The API sessions of one attached guest, by the handles it knows them by.
 *
 * <p>The call thread opens and closes, the connection's thread rings and takes memory away, the
 * host's threads tell of ends. Whoever changes a session holds {@code changing} for as long as the
 * host takes; {@code state} guards the table and is held for moments.
 */
public final class MachineSessions implements AutoCloseable {
  /** Pieces of all segments together: each is a mapping of the session host. */
  static final int MAX_PIECES = 16_384;

  private static final class Entry {
    final int api;
    final Fd doorbell; // owned
    final Iova first; // of segment 0
    final Map<Integer, ImmutableList<GuestRange>> segments = new TreeMap<>(); // by state
    int pieces; // by state
    ApiSessions.@Nullable Opened session; // null once it has ended; by changing
    boolean gone; // its memory is the guest's alone; by state

    Entry(int api, Fd doorbell, LocatedSegment first) {
      this.api = api;
      this.doorbell = doorbell;
      segments.put(0, first.ranges());
      pieces = first.memory().pieces().size();
      this.first = first.ranges().getFirst().address();
    }

    boolean hasAny(Predicate<GuestRange> which) {
      return segments.values().stream().anyMatch(ranges -> ranges.stream().anyMatch(which));
    }
  }

  private final Kernel kernel;
  private final DmaTable dma;
  private final ApiSessions host;
  private final SegmentFinder segments;
  private final Runnable interrupt;
  private final ReentrantLock changing = new ReentrantLock();
  private final ReentrantLock state = new ReentrantLock();

  @GuardedBy("state")
  private final @Nullable Entry[] entries = new Entry[GuestAbi.MAX_API_SESSIONS + 1];

  /** They have places. */
  @GuardedBy("changing")
  private final List<ApiSessions.Opened> unended = new ArrayList<>();

  private final Notified notified;
  private final AtomicReference<@Nullable Object> carrier = new AtomicReference<>();
  private final AtomicInteger changes = new AtomicInteger();

  /**
   * @param threads for the thread that waits for hosts, made with the first session
   * @param interrupt has the guest look at its sessions; from any thread
   */
  public MachineSessions(
      Kernel kernel, DmaTable dma, ApiSessions host, ThreadFactory threads, Runnable interrupt) {
    this.kernel = kernel;
    this.dma = dma;
    this.host = host;
    segments = new SegmentFinder(kernel, dma, this::room);
    this.interrupt = interrupt;
    notified = new Notified(kernel, threads, interrupt);
  }

  /**
   * Opens a session.
   *
   * @return its handle
   * @throws RefusedException EDQUOT as many as there may be; EINVAL, EFAULT the memory; what the
   *     host says
   */
  public int open(int api, NamedSegment segment) {
    changing.lock();
    try {
      int handle = freeHandle();
      if (segment.bytes() < GuestAbi.API_SEGMENT_LEAST) {
        throw refused(Errno.EINVAL, "segment 0 is too short, bytes=" + segment.bytes());
      }
      LocatedSegment located = segments.locate(segment);
      try (SessionMemory _ = located.memory()) {
        Entry entry = new Entry(api, kernel.eventfd(0, Kernel.NONBLOCK), located);
        open(
            handle,
            entry,
            () ->
                host.open(
                    api,
                    located.memory(),
                    entry.doorbell,
                    notified.eventfd(),
                    why -> ended(entry, why)));
      }
      return handle;
    } finally {
      changing.unlock();
    }
  }

  private void open(int handle, Entry entry, Supplier<ApiSessions.Opened> opener) {
    boolean complete = false;
    try {
      entry.session = opener.get();
      put(handle, entry);
      complete = true;
    } finally {
      if (!complete) {
        forget(entry);
        entry.doorbell.close();
      }
    }
  }

  /**
   * Adds a segment to a session.
   *
   * @throws RefusedException ENOENT handle; EEXIST taken; EPIPE it has ended; otherwise as open
   */
  public void add(int handle, int index, NamedSegment segment) {
    changing.lock();
    try {
      add(handle, index, () -> segments.locate(segment));
    } finally {
      changing.unlock();
    }
  }

  private void add(int handle, int index, Supplier<LocatedSegment> where) {
    Entry entry = entry(handle);
    if (index < 1 || index >= GuestAbi.MAX_API_SEGMENTS) {
      throw refused(Errno.EINVAL, "no such segment, index=" + Integer.toUnsignedString(index));
    }
    if (entry.segments.containsKey(index)) {
      throw refused(Errno.EEXIST, "the segment is there, index=" + index);
    }
    ApiSessions.Opened session = entry.session;
    if (session == null) {
      throw refused(Errno.EPIPE, "the session has ended, handle=" + handle);
    }
    LocatedSegment located = where.get();
    try (SessionMemory memory = located.memory()) {
      session.add(index, memory);
      state.lock();
      entry.segments.put(index, located.ranges());
      entry.pieces += memory.pieces().size();
      state.unlock();
      changes.incrementAndGet();
    }
  }

  /**
   * Closes a session; its memory is the guest's alone when this returns.
   *
   * @throws RefusedException ENOENT; EAGAIN when it ends, but has not yet
   */
  public void close(int handle) {
    changing.lock();
    try {
      Entry entry = entry(handle);
      ApiSessions.Opened session = entry.session;
      if (session != null && !session.end()) {
        throw refused(Errno.EAGAIN, "the session has not ended yet, handle=" + handle);
      }
      put(handle, null);
      end(entry);
    } finally {
      changing.unlock();
    }
  }

  /** The guest rings for a session; one that is not there rings nobody. */
  public void ring(int handle) {
    state.lock();
    try {
      Entry entry = at(handle);
      if (entry != null && !entry.gone) {
        if (kernel.canSignalForeign()) {
          kernel.signalForeign(entry.doorbell);
        } else {
          kernel.signal(entry.doorbell);
        }
      }
    } finally {
      state.unlock();
    }
  }

  /** Guest memory is about to go: ends the sessions that have a part of it. */
  public void revoke(Iova address, long bytes) {
    endThose(range -> range.overlaps(address, bytes));
  }

  /** All guest memory is about to go. */
  public void revokeAll() {
    endThose(_ -> true);
  }

  private void endThose(Predicate<GuestRange> losing) {
    changing.lock();
    try {
      List<Entry> lost =
          all().stream().filter(entry -> entry.session != null && entry.hasAny(losing)).toList();
      lost.forEach(MachineSessions::begin);
      for (Entry entry : lost) {
        ended(entry, Errno.EFAULT);
        forget(entry);
        release(entry);
      }
    } finally {
      changing.unlock();
    }
  }

  /** Closes all sessions, and forgets their handles. */
  public void closeAll() {
    changing.lock();
    try {
      all().forEach(MachineSessions::begin);
      for (int handle = 1; handle <= GuestAbi.MAX_API_SESSIONS; handle++) {
        drop(handle);
      }
    } finally {
      changing.unlock();
    }
  }

  /** How many there are. */
  public int count() {
    return all().size();
  }

  /** Most memory that the objects of all may have, or have been allowed to. */
  public long mostMemoryBytes() {
    return host.mostMemoryBytes();
  }

  /** Closes all; no session is opened any more. */
  @Override
  public void close() {
    closeAll();
    notified.close();
  }

  // ---- the host tells ----

  /** Says so in segment 0, unless that is the guest's alone again. */
  private void ended(Entry entry, Errno why) {
    state.lock();
    try {
      if (!entry.gone) {
        MemorySegment word = MemorySegment.ofArray(new int[] {why.number()});
        dma.write(new Iova(entry.first.value() + GuestAbi.API_STATE), word);
      }
    } catch (RefusedException _) {
      // the guest has taken its memory back, and knows
    } finally {
      state.unlock();
    }
    interrupt.run();
  }

  // ---- one session ----

  @GuardedBy("changing")
  private void end(Entry entry) {
    forget(entry);
    try {
      release(entry);
    } finally {
      entry.doorbell.close();
    }
  }

  private void forget(Entry entry) {
    state.lock();
    entry.gone = true;
    state.unlock();
  }

  /** Has it end: those that are waited for one by one end at once. */
  private static void begin(Entry entry) {
    ApiSessions.Opened session = entry.session;
    if (session != null) {
      boolean _ = session.end();
    }
  }

  /** One that is still there though it was closed keeps its place until it is not. */
  @GuardedBy("changing")
  private void release(Entry entry) {
    ApiSessions.Opened session = entry.session;
    if (session != null) {
      session.close();
      entry.session = null;
      if (!session.isGone()) {
        unended.add(session);
      }
    }
  }

  /** Whether there may be one more. */
  @GuardedBy("changing")
  private void requirePlace() {
    unended.removeIf(ApiSessions.Opened::isGone);
    if (count() + unended.size() >= GuestAbi.MAX_API_SESSIONS) {
      throw refused(Errno.EDQUOT, "too many API sessions, limit=" + GuestAbi.MAX_API_SESSIONS);
    }
  }

  // ---- moving with the machine ----

  /**
   * Somebody takes the sessions along with the machine, so that they are no obstacle.
   *
   * @return false when somebody else does already
   */
  public boolean carry(Object by) {
    return carrier.compareAndSet(null, by);
  }

  /** Nobody takes them along any more, if it was this one who did. */
  public void putDown(Object by) {
    boolean _ = carrier.compareAndSet(by, null);
  }

  /** Whether somebody takes them along. */
  public boolean isCarried() {
    return carrier.get() != null;
  }

  /** Counts sessions that come and go, and segments. */
  public int changes() {
    return changes.get();
  }

  /** Those that have not ended. */
  public List<CarriedSession> carried() {
    changing.lock();
    state.lock();
    try {
      List<CarriedSession> found = new ArrayList<>();
      for (int handle = 1; handle <= GuestAbi.MAX_API_SESSIONS; handle++) {
        Entry entry = entries[handle];
        ApiSessions.Opened session = entry == null ? null : entry.session;
        if (entry != null && session != null && !session.isGone()) {
          found.add(
              new CarriedSession(handle, entry.api, ImmutableMap.copyOf(entry.segments), session));
        }
      }
      return found;
    } finally {
      state.unlock();
      changing.unlock();
    }
  }

  /** The pages in which the guest is told of ends, of all there are. */
  public List<GuestRange> words() {
    return all().stream().map(entry -> new GuestRange(entry.first, Limits.PAGE_BYTES)).toList();
  }

  /**
   * A session comes with the machine; one of that handle that came before ends.
   *
   * @param first ranges of segment 0
   * @param stream to its host; stays the caller's
   * @throws RefusedException EINVAL, EFAULT the memory; what the host says
   */
  public void arrive(int handle, int api, ImmutableList<GuestRange> first, Fd stream) {
    arrive(handle, api, first, stream, host::arrive);
  }

  /**
   * The near end of a session comes with the machine; one of that handle that came before ends.
   *
   * @param at where the daemon listens at whose host the session stays
   * @throws RefusedException as {@link #arrive}; that host is not to be reached
   */
  public void arriveNear(
      int handle, int api, ImmutableList<GuestRange> first, Fd stream, String at) {
    try (ApiSessions.NearPlace place = host.reach(at)) { // before anybody waits for it
      arrive(handle, api, first, stream, place::arrive);
    }
  }

  /** The opener of a session that comes. */
  @FunctionalInterface
  private interface Comer {
    ApiSessions.Opened come(
        int api, SessionMemory memory, Fd doorbell, Fd notify, Fd stream, Consumer<Errno> ended);
  }

  private void arrive(
      int handle, int api, ImmutableList<GuestRange> first, Fd stream, Comer comer) {
    changing.lock();
    try {
      if (handle < 1 || handle > GuestAbi.MAX_API_SESSIONS) {
        throw refused(Errno.EINVAL, "no such handle, handle=" + handle);
      }
      drop(handle);
      requirePlace();
      LocatedSegment located = segments.locate(first);
      try (SessionMemory memory = located.memory()) {
        Entry entry = new Entry(api, kernel.eventfd(0, Kernel.NONBLOCK), located);
        open(
            handle,
            entry,
            () ->
                comer.come(
                    api,
                    memory,
                    entry.doorbell,
                    notified.eventfd(),
                    stream,
                    why -> ended(entry, why)));
      }
    } finally {
      changing.unlock();
    }
  }

  @GuardedBy("changing")
  private void drop(int handle) {
    Entry before = at(handle);
    if (before != null) {
      put(handle, null);
      end(before);
    }
  }

  /**
   * Memory of a session that comes.
   *
   * @throws RefusedException as {@link #add}
   */
  public void arriveSegment(int handle, int index, ImmutableList<GuestRange> ranges) {
    changing.lock();
    try {
      add(handle, index, () -> segments.locate(ranges));
    } finally {
      changing.unlock();
    }
  }

  /** The machine is here: sessions of these handles go on, others are forgotten. */
  public void goOn(Set<Integer> handles) {
    changing.lock();
    try {
      for (int handle = 1; handle <= GuestAbi.MAX_API_SESSIONS; handle++) {
        Entry entry = at(handle);
        if (entry != null && !handles.contains(handle)) {
          drop(handle);
        } else if (entry != null && (entry.session == null || !entry.session.goOn())) {
          ended(entry, Errno.EPIPE); // said before, it would have been overwritten
          release(entry);
        }
      }
    } finally {
      changing.unlock();
    }
  }

  // ---- the table ----

  @GuardedBy("changing")
  private int freeHandle() {
    requirePlace();
    state.lock();
    try {
      for (int handle = 1; handle <= GuestAbi.MAX_API_SESSIONS; handle++) {
        if (entries[handle] == null) {
          return handle;
        }
      }
      throw new IllegalStateException("no handle for a session that has a place");
    } finally {
      state.unlock();
    }
  }

  /** Pieces that there may be more. */
  private int room() {
    state.lock();
    try {
      int held = 0;
      for (Entry entry : entries) {
        held += entry == null ? 0 : entry.pieces;
      }
      return MAX_PIECES - held;
    } finally {
      state.unlock();
    }
  }

  private Entry entry(int handle) {
    Entry entry = at(handle);
    if (entry == null) {
      throw refused(
          Errno.ENOENT, "no such API session, handle=" + Integer.toUnsignedString(handle));
    }
    return entry;
  }

  private @Nullable Entry at(int handle) {
    state.lock();
    try {
      return handle > 0 && handle <= GuestAbi.MAX_API_SESSIONS ? entries[handle] : null;
    } finally {
      state.unlock();
    }
  }

  private void put(int handle, @Nullable Entry entry) {
    state.lock();
    try {
      entries[handle] = entry;
    } finally {
      state.unlock();
    }
    changes.incrementAndGet();
  }

  private List<Entry> all() {
    List<Entry> all = new ArrayList<>();
    state.lock();
    try {
      for (Entry entry : entries) {
        if (entry != null) {
          all.add(entry);
        }
      }
    } finally {
      state.unlock();
    }
    return all;
  }

  private static RefusedException refused(Errno errno, String what) {
    return new RefusedException(DeviceCode.CALL, errno, what, "");
  }
}

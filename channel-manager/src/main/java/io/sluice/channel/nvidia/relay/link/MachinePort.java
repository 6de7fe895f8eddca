package io.sluice.channel.nvidia.relay.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The session of a program in a machine, as the device sees it: memory of the machine's, and the
 * two eventfds by which each side wakes the other. The device's threads add memory that is wanted,
 * and have it stop; all else is of the thread that serves the program.
 */
public final class MachinePort implements AutoCloseable {
  private final Kernel kernel;
  private final Mapping first;
  private final Fd doorbell;
  private final Fd notify;
  private final Fd wake;
  private final CountDownLatch over = new CountDownLatch(1);

  @GuardedBy("this")
  private final Map<Integer, Mapping> segments = new TreeMap<>();

  @GuardedBy("this")
  private int wantedIndex;

  @GuardedBy("this")
  private long wantedBytes;

  @GuardedBy("this")
  private boolean stopped;

  @GuardedBy("this")
  private boolean closed;

  /**
   * @param first segment 0; is closed with this, as are the descriptors
   * @param doorbell is signalled when the program has a request
   * @param notify has the program look
   */
  public MachinePort(Kernel kernel, Mapping first, Fd doorbell, Fd notify) {
    this.kernel = kernel;
    this.first = first;
    this.doorbell = doorbell;
    this.notify = notify;
    wake = kernel.eventfd(0, Kernel.NONBLOCK);
  }

  /** Whether the relay waits for this segment. */
  public synchronized boolean wants(int index, long bytes) {
    return !closed && index != 0 && index == wantedIndex && bytes == wantedBytes;
  }

  /**
   * Adds a segment that is wanted.
   *
   * @return false when it is not wanted any more: then it stays the caller's
   */
  public synchronized boolean add(int index, Mapping memory) {
    if (!wants(index, memory.sizeBytes())) {
      return false;
    }
    wantedIndex = 0;
    segments.put(index, memory);
    return true;
  }

  /** Has the program leave; from any thread, repeatedly. */
  public synchronized void stop() {
    stopped = true;
    if (!closed) {
      kernel.signal(wake);
    }
  }

  synchronized boolean isStopped() {
    return stopped;
  }

  /** Whether nothing here reaches the machine's memory any more. */
  public boolean isOver() {
    return over.getCount() == 0;
  }

  /** Waits for that; false when it takes too long. */
  public boolean awaitOver(Duration atMost) {
    try {
      return over.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return isOver();
    }
  }

  MemorySegment first() {
    return first.segment();
  }

  Fd doorbell() {
    return doorbell;
  }

  /** Signalled when it is to stop. */
  Fd wake() {
    return wake;
  }

  /** Has the program look. Its other end may have made the eventfd block. */
  void tell() {
    if (kernel.canSignalForeign()) {
      kernel.signalForeign(notify);
    } else {
      kernel.signal(notify);
    }
  }

  /** Expects a segment; 0 expects none any more. */
  synchronized void want(int index, long bytes) {
    wantedIndex = index;
    wantedBytes = bytes;
  }

  synchronized Optional<Mapping> segment(int index) {
    return Optional.ofNullable(segments.get(index));
  }

  @Override
  public void close() {
    List<Mapping> mapped;
    synchronized (this) {
      if (closed) {
        return;
      }
      stopped = true;
      closed = true;
      mapped = List.copyOf(segments.values());
      segments.clear();
    }
    try {
      mapped.forEach(Mapping::close); // which may take a while, and nobody waits for it
      first.close();
      doorbell.close();
      notify.close();
      wake.close();
    } finally {
      over.countDown();
    }
  }
}

package io.sluice.guest;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The vectors of a device as eventfds, and the pending bitmap. Interrupts are hints: whoever waits
 * looks at memory again.
 */
final class Interrupts implements AutoCloseable {
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final Kernel kernel;
  private volatile MemorySegment bar;
  private final List<Fd> vectors = new ArrayList<>();
  private final AtomicIntegerArray seen;

  /**
   * @param bar BAR 1
   * @param vectors number of vectors, vector 0 included
   * @param channels number of channel ids
   */
  Interrupts(Kernel kernel, MemorySegment bar, int vectors, int channels) {
    this.kernel = kernel;
    this.bar = bar;
    this.seen = new AtomicIntegerArray(channels);
    for (int i = 0; i < vectors; i++) {
      this.vectors.add(kernel.eventfd(0, Kernel.NONBLOCK));
    }
  }

  /** The device has moved: this is its BAR 1. */
  void rebind(MemorySegment bar) {
    this.bar = bar;
  }

  /** The eventfds, by vector. */
  List<Fd> vectors() {
    return List.copyOf(vectors);
  }

  /** Waits for vector 0; false after the time-out. */
  boolean awaitCompletion(int timeoutMs) {
    return await(0, timeoutMs);
  }

  /** Interrupts of a channel so far, as far as somebody looked. */
  int count(int channel) {
    collect();
    return seen.get(channel);
  }

  /**
   * Waits until a channel had more interrupts than a count.
   *
   * @return false after the time-out
   */
  boolean awaitChannel(int channel, int after, int timeoutMs) {
    int vector = 1 + channel % (vectors.size() - 1);
    while (true) {
      if (count(channel) != after) {
        return true;
      }
      if (!await(vector, timeoutMs)) {
        return count(channel) != after;
      }
    }
  }

  private boolean await(int vector, int timeoutMs) {
    Fd fd = vectors.get(vector);
    short[] ready = new short[1];
    if (kernel.poll(List.of(fd), new short[] {Kernel.POLLIN}, ready, timeoutMs) == 0) {
      return false;
    }
    kernel.drain(fd);
    return true;
  }

  /** Takes all pending bits, word by word. */
  private void collect() {
    for (int word = 0; word < seen.length(); word += Integer.SIZE) {
      long offset = GuestAbi.BAR1_PENDING + word / 8;
      for (int bits = (int) WORD.getAndSet(bar, offset, 0); bits != 0; bits &= bits - 1) {
        int channel = word + Integer.numberOfTrailingZeros(bits);
        if (channel < seen.length()) {
          seen.incrementAndGet(channel);
        }
      }
    }
  }

  @Override
  public void close() {
    for (Fd fd : vectors) {
      fd.close();
    }
  }
}

package io.sluice.guest;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The vectors of a device as eventfds, and the pending bitmap. Interrupts are hints: whoever waits
 * looks at memory again. A host that has ended raises none: its connection is waited for too.
 */
final class Interrupts implements AutoCloseable {
  private static final int GONE = Kernel.POLLHUP | Kernel.POLLERR;
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final Kernel kernel;
  private volatile MemorySegment bar;
  private volatile Optional<Fd> host;
  private final List<Fd> vectors = new ArrayList<>();
  private final AtomicIntegerArray seen;

  /**
   * @param bar BAR 1
   * @param host hangs up when the device's host ends
   * @param vectors number of vectors, vector 0 included
   * @param channels number of channel ids
   */
  Interrupts(Kernel kernel, MemorySegment bar, Optional<Fd> host, int vectors, int channels) {
    this.kernel = kernel;
    this.bar = bar;
    this.host = host;
    this.seen = new AtomicIntegerArray(channels);
    for (int i = 0; i < vectors; i++) {
      this.vectors.add(kernel.eventfd(0, Kernel.NONBLOCK));
    }
  }

  /** The device has moved: this is its BAR 1, and its host. */
  void rebind(MemorySegment newBar, Optional<Fd> newHost) {
    bar = newBar;
    host = newHost;
  }

  /** Whether the device's host has ended. */
  boolean isHostGone() {
    return host.filter(Fd::isOpen).map(this::isHungUp).orElse(false);
  }

  private boolean isHungUp(Fd connection) {
    short[] ready = new short[1];
    return kernel.poll(List.of(connection), new short[] {0}, ready, 0) != 0
        && (ready[0] & GONE) != 0;
  }

  /** The eventfds, by vector. */
  List<Fd> vectors() {
    return List.copyOf(vectors);
  }

  /** Waits for vector 0; false after the time-out, or when the host has ended. */
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
   * @return false after the time-out, or when the host has ended
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
    Optional<Fd> connection = host;
    List<Fd> fds =
        connection.filter(Fd::isOpen).map(other -> List.of(fd, other)).orElse(List.of(fd));
    short[] ready = new short[2];
    if (kernel.poll(fds, new short[] {Kernel.POLLIN, 0}, ready, timeoutMs) == 0) {
      return false;
    }
    if (ready[0] == 0) {
      return !host.equals(connection); // moved meanwhile: another one can interrupt
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

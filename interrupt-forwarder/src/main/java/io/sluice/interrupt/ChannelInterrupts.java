package io.sluice.interrupt;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The interrupts of channels as pending bits and vectors of their guest's device.
 *
 * <p>{@link #raise} sets the channel's bit in the pending bitmap, which the guest maps, and raises
 * vector {@code 1 + cid % (vectors - 1)}. When the bit was set already nothing is raised: whoever
 * set it has raised, or is about to raise, the vector after that, and the guest takes the bit only
 * by an atomic exchange, which orders what the GPU wrote before this call before what the guest
 * reads after it. So an interrupt that is left out is one the guest has not yet begun to look at.
 * Were the bit taken just before, it would be clear here, and the vector would be raised.
 *
 * <p><b>The short way.</b> A GPU that can signal eventfds itself is given, for each channel, the
 * eventfd of its vector as long as that may be signalled; it does what {@link #raise} does, without
 * this process waking up. While a vector has no eventfd, or is held, its channels' interrupts come
 * as events and end here. {@link #vectorChanged} and {@link #channelCreated} keep the GPU informed.
 *
 * <p>The bitmap is writable by the guest: one that sets bits itself silences its own interrupts,
 * and nobody else's.
 *
 * <p>Any thread may call; nothing is allocated.
 */
public final class ChannelInterrupts {
  private static final VarHandle WORD =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

  private final MemorySegment pending;
  private final InterruptVectors vectors;
  private final int channelVectors;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final @Nullable Fd[] eventfds;

  @GuardedBy("lock")
  private final BitSet channels = new BitSet();

  @GuardedBy("lock")
  private @Nullable DirectDelivery direct;

  private final AtomicLongArray raised;
  private final AtomicLongArray coalesced;

  /**
   * @param pending the pending bitmap, one bit per channel in 32-bit words
   * @param channels channel ids are 1 to this minus 1
   * @param vectors the device's vectors, at least 2
   */
  public ChannelInterrupts(MemorySegment pending, int channels, InterruptVectors vectors) {
    if (vectors.count() < 2) {
      throw new IllegalArgumentException("no vector for channels, count=" + vectors.count());
    }
    this.pending = pending.asSlice(0, bitmapBytes(channels));
    this.vectors = vectors;
    eventfds = new @Nullable Fd[vectors.count()];
    channelVectors = vectors.count() - 1;
    raised = new AtomicLongArray(channels);
    coalesced = new AtomicLongArray(channels);
  }

  /** Uses the short way from now on: the GPU has one, and knows the bitmap. */
  public void useDirectDelivery(DirectDelivery delivery) {
    lock.lock();
    try {
      direct = delivery;
    } finally {
      lock.unlock();
    }
  }

  /** Bytes of a pending bitmap. */
  public static long bitmapBytes(int channels) {
    return (channels + 31L) / 32 * Integer.BYTES;
  }

  /** The vector of a channel. */
  public int vectorOf(int channelId) {
    return 1 + channelId % channelVectors;
  }

  /** A channel asked for an interrupt, or ended. */
  public void raise(int channelId) {
    int bit = 1 << (channelId & 31);
    long word = (channelId >>> 5) * (long) Integer.BYTES;
    int before = (int) WORD.getAndBitwiseOr(pending, word, bit);
    if ((before & bit) != 0) {
      coalesced.incrementAndGet(channelId);
      return;
    }
    raised.incrementAndGet(channelId);
    vectors.raise(vectorOf(channelId));
  }

  /**
   * A vector's eventfd is another one, or may not be signalled for now.
   *
   * <p>A bit that is still set was raised through a former eventfd, which its receiver may have
   * dropped unread: the vector is raised once more, so that the guest looks.
   *
   * @param vector 1 to the last one; other numbers are no channels' and are ignored
   * @param eventfd what may be signalled until the next change, not closed before; null for nothing
   */
  public void vectorChanged(int vector, @Nullable Fd eventfd) {
    if (vector < 1 || vector > channelVectors) {
      return;
    }
    boolean waiting = false;
    lock.lock();
    try {
      eventfds[vector] = eventfd;
      for (int cid = firstChannelOf(vector); cid < raised.length(); cid += channelVectors) {
        if (channels.get(cid)) {
          tell(cid, eventfd);
        }
        waiting |= isPending(cid);
      }
    } finally {
      lock.unlock();
    }
    if (waiting && eventfd != null) {
      vectors.raise(vector);
    }
  }

  /** A channel was made: its bit is clear, and the GPU knows its vector's eventfd. */
  public void channelCreated(int channelId) {
    lock.lock();
    try {
      long word = (channelId >>> 5) * (long) Integer.BYTES;
      WORD.getAndBitwiseAnd(pending, word, ~(1 << (channelId & 31)));
      channels.set(channelId);
      Fd eventfd = eventfds[vectorOf(channelId)];
      if (eventfd != null) {
        tell(channelId, eventfd);
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void tell(int channelId, @Nullable Fd eventfd) {
    if (direct == null) {
      return;
    }
    try {
      direct.setInterruptTarget(channelId, eventfd);
    } catch (RefusedException e) {
      // It was freed, or the GPU cannot: events go on coming.
      channels.clear(channelId);
    }
  }

  private int firstChannelOf(int vector) {
    return vector == 1 ? channelVectors : vector - 1;
  }

  private boolean isPending(int channelId) {
    long word = (channelId >>> 5) * (long) Integer.BYTES;
    return ((int) WORD.getAcquire(pending, word) & 1 << (channelId & 31)) != 0;
  }

  /** Interrupts of a channel that raised its vector. */
  public long raised(int channelId) {
    return raised.get(channelId);
  }

  /** Interrupts of a channel that found an earlier one not yet taken. */
  public long coalesced(int channelId) {
    return coalesced.get(channelId);
  }
}

package io.sluice.interrupt;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Turns interrupts of channels into pending bits and vectors of their guest's device.
 *
 * <p>{@link #raise} sets the channel's bit in the pending bitmap, which the guest maps, and raises
 * vector {@code 1 + cid % (vectors - 1)}. When the bit was set already nothing is raised: whoever
 * set it has raised, or is about to raise, the vector after that, and the guest takes the bit only
 * by an atomic exchange, which orders what the GPU wrote before this call before what the guest
 * reads after it. So an interrupt that is left out is one the guest has not yet begun to look at.
 * Were the bit taken just before, it would be clear here, and the vector would be raised.
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
    channelVectors = vectors.count() - 1;
    raised = new AtomicLongArray(channels);
    coalesced = new AtomicLongArray(channels);
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

  /** Forgets the bit of a channel that was freed: its successor starts without. */
  public void clear(int channelId) {
    long word = (channelId >>> 5) * (long) Integer.BYTES;
    WORD.getAndBitwiseAnd(pending, word, ~(1 << (channelId & 31)));
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

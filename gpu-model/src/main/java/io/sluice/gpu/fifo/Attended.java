package io.sluice.gpu.fifo;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The channels that each round looks at. A round goes through those that the round before has kept,
 * and keeps those that the next one shall look at: first the ones that it did not come to, so that
 * all have their turn. Guarded by the GPU's lock.
 */
final class Attended {
  private @Nullable GpuChannel[] now;
  private @Nullable GpuChannel[] next;

  /** Those that go first in the next round. */
  private @Nullable GpuChannel[] first;

  private int nowCount;
  private int nextCount;
  private int firstCount;

  /**
   * @param channels how many there can be
   */
  Attended(int channels) {
    now = new @Nullable GpuChannel[channels];
    next = new @Nullable GpuChannel[channels];
    first = new @Nullable GpuChannel[channels];
  }

  boolean isEmpty() {
    return nextCount == 0;
  }

  /** Attends to none. */
  void clear() {
    for (int i = 0; i < nextCount; i++) {
      GpuChannel channel = next[i];
      if (channel != null) {
        channel.attended = false;
      }
    }
    Arrays.fill(next, 0, nextCount, null);
    nextCount = 0;
  }

  /** A round begins: {@link #at} gives the channels that were kept, {@link #keep} takes anew. */
  int begin() {
    @Nullable GpuChannel[] kept = next;
    next = now;
    now = kept;
    nowCount = nextCount;
    nextCount = 0;
    firstCount = 0;
    for (int i = 0; i < nowCount; i++) {
      at(i).attended = false;
    }
    return nowCount;
  }

  /** One of the channels of this round. */
  GpuChannel at(int index) {
    GpuChannel channel = now[index];
    if (channel == null || index >= nowCount) {
      throw new AssertionError("no gaps, index=" + index);
    }
    return channel;
  }

  /** The next round looks at it too. */
  void keep(GpuChannel channel) {
    channel.attended = true;
    next[nextCount++] = channel;
  }

  /** The next round looks at it, before those that this one has looked at. */
  void keepFirst(GpuChannel channel) {
    channel.attended = true;
    first[firstCount++] = channel;
  }

  /** The round has looked at all. */
  void end() {
    if (firstCount > 0) {
      System.arraycopy(next, 0, next, firstCount, nextCount);
      System.arraycopy(first, 0, next, 0, firstCount);
      nextCount += firstCount;
      Arrays.fill(first, 0, firstCount, null);
      firstCount = 0;
    }
    Arrays.fill(now, 0, nowCount, null);
    nowCount = 0;
  }
}

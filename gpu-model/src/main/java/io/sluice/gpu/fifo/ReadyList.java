package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.ShareAccount;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A list of channels that a round has found, to be taken one by one. Guarded by the GPU's lock. */
final class ReadyList {
  private final @Nullable GpuChannel[] list;
  private int size;

  /**
   * @param channels how many there can be
   */
  ReadyList(int channels) {
    list = new @Nullable GpuChannel[channels];
  }

  int size() {
    return size;
  }

  void clear() {
    Arrays.fill(list, 0, size, null);
    size = 0;
  }

  void add(GpuChannel channel) {
    list[size++] = channel;
  }

  /** Takes a channel out, if it is there. */
  void remove(GpuChannel channel) {
    for (int i = 0; i < size; i++) {
      if (list[i] == channel) {
        removeAt(i);
        return;
      }
    }
  }

  private void removeAt(int index) {
    System.arraycopy(list, index + 1, list, index, size - index - 1);
    list[--size] = null;
  }

  /** They wait for nobody: the engine pauses. */
  void pause(long nowNs) {
    for (int i = 0; i < size; i++) {
      at(i).timeShare().engine().pause(nowNs);
    }
  }

  /** Whether a channel of an open is among them. */
  boolean has(ShareAccount account) {
    for (int i = 0; i < size; i++) {
      if (at(i).timeShare().engine() == account) {
        return true;
      }
    }
    return false;
  }

  /** Takes out the one that was added first. */
  GpuChannel takeFirst() {
    GpuChannel first = at(0);
    removeAt(0);
    return first;
  }

  /** Takes out the one whose turn it is. */
  GpuChannel takeLeast() {
    int least = 0;
    for (int i = 1; i < size; i++) {
      if (isBefore(at(i), at(least))) {
        least = i;
      }
    }
    GpuChannel taken = at(least);
    removeAt(least);
    return taken;
  }

  private static boolean isBefore(GpuChannel one, GpuChannel other) {
    long ahead = one.timeShare().engine().virtualTime() - other.timeShare().engine().virtualTime();
    return ahead == 0 ? one.lastTurn < other.lastTurn : ahead < 0;
  }

  private GpuChannel at(int index) {
    GpuChannel channel = index < size ? list[index] : null;
    if (channel == null) {
      throw new AssertionError("nothing there, index=" + index + ", size=" + size);
    }
    return channel;
  }
}

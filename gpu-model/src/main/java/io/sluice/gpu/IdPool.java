package io.sluice.gpu;

import java.util.BitSet;

/** Small numbers, the lowest free one first. Guarded by the GPU's lock. */
final class IdPool {
  /** What {@link #take} answers when all are taken. */
  static final int NONE = -1;

  private final int first;
  private final int last;
  private final BitSet taken = new BitSet();

  IdPool(int first, int last) {
    this.first = first;
    this.last = last;
  }

  int take() {
    int id = taken.nextClearBit(first);
    if (id > last) {
      return NONE;
    }
    taken.set(id);
    return id;
  }

  /** Takes a certain number; false when it is taken. */
  boolean take(int id) {
    if (taken.get(id)) {
      return false;
    }
    taken.set(id);
    return true;
  }

  boolean contains(int id) {
    return id >= first && id <= last;
  }

  void give(int id) {
    taken.clear(id);
  }
}

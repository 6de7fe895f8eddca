package io.sluice.channel.nvidia.relay.card;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The words of a call that mean something in the program alone, and have another value while the
 * call is made: the program is answered with its own, and never learns addresses or descriptors of
 * the daemon.
 */
public final class KeptWords {
  private final Deque<Runnable> restores = new ArrayDeque<>();

  /** Keeps a pointer before it is replaced. */
  public void pointer(MemorySegment block, long offset) {
    long value = block.get(ValueLayout.JAVA_LONG, offset);
    restores.push(() -> block.set(ValueLayout.JAVA_LONG, offset, value));
  }

  /** The same of a descriptor, or of a handle. */
  public void word(MemorySegment block, long offset) {
    int value = block.get(ValueLayout.JAVA_INT, offset);
    restores.push(() -> block.set(ValueLayout.JAVA_INT, offset, value));
  }

  /** Puts them where they were. */
  public void restore() {
    restores.forEach(Runnable::run);
    restores.clear();
  }
}

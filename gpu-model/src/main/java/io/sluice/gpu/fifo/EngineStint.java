package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.ThreadMeter;
import org.jspecify.annotations.Nullable;

/**
 * The time in which one thread runs the engine, and what that thread has of its own. It ends when
 * another thread takes its place, because it was held up for long in its guest's memory. Guarded by
 * the card's lock and by being that thread, but for {@link #isHeldUp}.
 */
public final class EngineStint {
  /** Longer than a slice with the largest piece of a copy, on memory that has to be made. */
  private static final long HELD_UP_NS = 3_000_000;

  /** Longer than nearly all turns. */
  private static final long HELD_UP_APART_NS = 200_000;

  final PushbufferWindow window = new PushbufferWindow();
  final SliceTime sliceTime;

  /** The channel that it is at; whatever is thrown meanwhile is its doing, or seems so. */
  @Nullable GpuChannel current;

  /** When the last slice with progress ended, GPU time. */
  long endedNs;

  private final Thread thread;
  private volatile boolean inside;
  private volatile boolean apart;
  private volatile long sinceNs;

  /**
   * @param thread whose it is
   * @param meter of the thread that asks
   */
  public EngineStint(Thread thread, ThreadMeter meter) {
    this.thread = thread;
    this.sliceTime = new SliceTime(meter);
  }

  /** Whose it is. */
  public Thread thread() {
    return thread;
  }

  /** Whether it is a thread's. */
  public boolean isOf(Thread other) {
    return thread == other;
  }

  /**
   * It goes into an open's gate.
   *
   * @param isApart nobody else is to wait for long for what it does there
   */
  void enter(EngineGate gate, long nowNs, boolean isApart) {
    at(nowNs);
    apart = isApart;
    inside = true;
    gate.enter();
  }

  /** It begins another slice there. */
  void at(long nowNs) {
    sinceNs = nowNs;
  }

  /** It comes out. */
  void leave(EngineGate gate) {
    inside = false;
    gate.leave();
  }

  /** Whether it is in an open's gate. */
  public boolean isInside() {
    return inside;
  }

  /** Whether it has been there for too long; any thread may ask. */
  public boolean isHeldUp(long nowNs) {
    return inside && nowNs - sinceNs > (apart ? HELD_UP_APART_NS : HELD_UP_NS);
  }
}

package io.sluice.testbed.bench.submission;

import io.sluice.abi.GpuVa;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Space;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A channel and a semaphore into which it stamps GPU time, which is this machine's monotonic clock.
 */
public final class Stamps implements AutoCloseable {
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();
  private static final int TIME_OFFSET = 8;
  private static final long ASLEEP_NS = 100_000;

  public final Space space;
  public final ClientChannel channel;
  public final GpuVa address;
  private final Buffer semaphore;

  public Stamps(AttachedDevice device) {
    space = device.newSpace();
    semaphore = device.allocateProcess(4096);
    address = space.map(semaphore);
    channel = space.newChannel();
  }

  /** Waits, spinning, for a payload; returns the GPU time it came with. */
  public long await(int payload) {
    while (!has(payload)) {
      Thread.onSpinWait();
    }
    return time();
  }

  /**
   * As {@link #await}, but the thread sleeps: one that spins may hold the processor that the
   * engine's thread wants to wake up on, and the engine waits for it then, for milliseconds.
   */
  public long awaitAsleep(int payload) {
    while (!has(payload)) {
      LockSupport.parkNanos(ASLEEP_NS);
    }
    return time();
  }

  /** Whether a payload has come. */
  public boolean has(int payload) {
    if (channel.error() != 0) {
      throw new IllegalStateException("the channel ended, error=" + channel.error());
    }
    return (int) WORD.getAcquire(semaphore.bytes(), 0L) == payload;
  }

  /** GPU time of the last stamp, nanoseconds. */
  public long time() {
    return semaphore.bytes().get(ValueLayout.JAVA_LONG, TIME_OFFSET);
  }

  @Override
  public void close() {
    channel.close();
    space.unmap(address);
    semaphore.close();
    space.close();
  }
}

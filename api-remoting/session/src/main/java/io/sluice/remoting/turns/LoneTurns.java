package io.sluice.remoting.turns;

import java.util.concurrent.atomic.AtomicLong;

/** The turns of a guest that nobody else wants any of. */
final class LoneTurns implements DeviceTurns {
  private final AtomicLong queuedNs = new AtomicLong();

  @Override
  public boolean claim(int device) {
    return true;
  }

  @Override
  public boolean isGranted(int device) {
    return true;
  }

  @Override
  public void release(int device) {
    // nobody waits for it
  }

  @Override
  public void await(int device, Runnable waker) {
    // it has it
  }

  @Override
  public void leave(int device, Runnable waker) {
    // it did not wait
  }

  @Override
  public void advance(int device) {
    // nobody watches
  }

  @Override
  public void queue(int device, long moreNs) {
    queuedNs.addAndGet(moreNs);
  }

  @Override
  public long queuedNs(int device) {
    return queuedNs.get();
  }
}

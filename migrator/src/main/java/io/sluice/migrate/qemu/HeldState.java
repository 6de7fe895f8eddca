package io.sluice.migrate.qemu;

import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.state.DeviceState;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The state of a device that is held still for it. The call that runs just then is waited for, and
 * QEMU is asked for the MSI-X table: a frozen one does not answer, so a thread of its own does
 * this.
 */
final class HeldState implements Runnable {
  private sealed interface Holding {
    /** Nothing was done yet. */
    record Asked() implements Holding {}

    /** The device is being held. */
    record Begun() implements Holding {}

    /** The device is held. */
    sealed interface Still extends Holding {}

    /** Its state is not known yet. */
    record Held() implements Still {}

    /** Its state is known. */
    record Saved(DeviceState state) implements Still {}

    /** It was given up before it was begun. */
    record GivenUp() implements Holding {}
  }

  private final GuestDevice device;
  private final Duration patience;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<Holding> holding = new AtomicReference<>(new Holding.Asked());

  /**
   * @param patience for QEMU's answer
   */
  HeldState(GuestDevice device, Duration patience) {
    this.device = device;
    this.patience = patience;
  }

  @Override
  public void run() {
    if (!(holding.get() instanceof Holding.Asked asked)
        || !holding.compareAndSet(asked, new Holding.Begun())) {
      return;
    }
    try {
      device.hold();
      holding.set(new Holding.Held());
      holding.set(new Holding.Saved(device.save(patience)));
    } finally {
      ended.countDown();
    }
  }

  /** Whether the device is held and its state is known. */
  boolean isDone() {
    return holding.get() instanceof Holding.Saved;
  }

  /** The state as it is sent; once done. */
  ByteBuffer encoded() {
    if (!(holding.get() instanceof Holding.Saved(DeviceState known))) {
      throw new IllegalStateException("the device is not held");
    }
    ByteBuffer bytes = ByteBuffer.allocate(known.encode().sizeBytes());
    known.encode().write(bytes);
    return bytes.flip();
  }

  /** Lets the device go on, if it was held; waits until it is known whether it was. */
  void release() throws InterruptedException {
    if (holding.get() instanceof Holding.Asked asked
        && holding.compareAndSet(asked, new Holding.GivenUp())) {
      ended.countDown(); // for whoever releases again
      return;
    }
    ended.await();
    if (holding.get() instanceof Holding.Still) {
      device.release();
    }
  }
}

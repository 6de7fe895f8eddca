package io.sluice.migrate.qemu;

import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.state.DeviceState;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The state of a device that is held still for it. The call that runs just then is waited for, and
 * QEMU is asked for the MSI-X table: a frozen one does not answer, so a thread of its own does
 * this.
 */
final class HeldState implements Runnable {
  private final GuestDevice device;
  private final Duration patience;
  private final AtomicBoolean claimed = new AtomicBoolean(); // to run, or never to
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean held;
  private volatile @Nullable DeviceState state;

  /**
   * @param patience for QEMU's answer
   */
  HeldState(GuestDevice device, Duration patience) {
    this.device = device;
    this.patience = patience;
  }

  @Override
  public void run() {
    if (!claimed.compareAndSet(false, true)) {
      return;
    }
    try {
      device.hold();
      held = true;
      state = device.save(patience);
    } finally {
      ended.countDown();
    }
  }

  /** Whether the device is held and its state is known. */
  boolean isDone() {
    return state != null;
  }

  /** The state as it is sent; once done. */
  ByteBuffer encoded() {
    DeviceState known = state;
    if (known == null) {
      throw new IllegalStateException("the device is not held");
    }
    ByteBuffer bytes = ByteBuffer.allocate(known.encode().sizeBytes());
    known.encode().write(bytes);
    return bytes.flip();
  }

  /** Lets the device go on, if it was held; waits until it is known whether it was. */
  void release() throws InterruptedException {
    if (claimed.compareAndSet(false, true)) {
      return;
    }
    ended.await();
    if (held) {
      device.release();
    }
  }
}

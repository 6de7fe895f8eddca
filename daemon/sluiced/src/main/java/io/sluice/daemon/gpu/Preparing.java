package io.sluice.daemon.gpu;

import io.sluice.abi.RefusedException;
import io.sluice.channel.Gpu;
import io.sluice.daemon.runtime.LoopFailures;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The making beforehand of what guests would have to wait for at a card; on the thread that runs
 * it.
 */
final class Preparing implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Preparing.class);

  /** Between two looks when all is ready. */
  private static final Duration REST = Duration.ofSeconds(1);

  /** Before another try when something was refused. */
  private static final Duration REFUSED = Duration.ofMinutes(1);

  private final LoopFailures failures = new LoopFailures(LOG, "preparing");
  private final Gpu gpu;
  private final long stagingBytes;
  private boolean preparing;
  private volatile @Nullable Thread thread;
  private volatile boolean stopped;

  /**
   * @param stagingBytes host memory for evictions
   */
  Preparing(Gpu gpu, long stagingBytes) {
    this.gpu = gpu;
    this.stagingBytes = stagingBytes;
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    while (!stopped) {
      long rest = prepareMore();
      if (rest > 0) {
        LockSupport.parkNanos(this, rest);
      }
    }
  }

  /** How long to wait, in nanoseconds. */
  private long prepareMore() {
    try {
      boolean more = gpu.prepareMore(stagingBytes);
      if (preparing && !more) {
        LOG.atInfo().addKeyValue("gpu", gpu.info().name()).log("nothing more to prepare for now");
      }
      preparing = more;
      return more ? 0 : REST.toNanos();
    } catch (RefusedException e) {
      LOG.atWarn().addKeyValue("gpu", gpu.info().name()).setCause(e).log("not prepared");
      return REFUSED.toNanos();
    } catch (RuntimeException | Error e) {
      failures.note(e);
      return REFUSED.toNanos();
    }
  }

  /** Ends the thread after its current piece; does not wait for it. */
  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }
}

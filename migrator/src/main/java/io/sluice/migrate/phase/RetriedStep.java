package io.sluice.migrate.phase;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A step that is decided, and that nobody else would do. One that fails is tried again at a pace,
 * and a few times only: a heap or a GPU may have nothing left for a moment. It throws nothing. One
 * thread at a time uses it.
 */
public final class RetriedStep {
  private static final Logger LOG = LoggerFactory.getLogger(RetriedStep.class);

  /** Enough for a heap that is full for a moment; together they take three seconds. */
  public static final int ATTEMPTS = 30;

  /** Between two attempts. */
  public static final long PAUSE_NS = 100_000_000L;

  private final String name;
  private final Runnable work;
  private int failed;
  private long againNs;
  private boolean done;
  private @Nullable Throwable failure;

  /**
   * @param name for the log and for people
   * @param work may be called again after it has thrown something
   */
  public RetriedStep(String name, Runnable work) {
    this.name = name;
    this.work = work;
  }

  /** What it is, for people. */
  public String name() {
    return name;
  }

  /**
   * Tries, if it is not done and its time has come.
   *
   * @return whether nothing more is tried
   */
  public boolean poll(long nowNs) {
    if (done || failed == ATTEMPTS) {
      return true;
    }
    if (failed > 0 && nowNs - againNs < 0) {
      return false;
    }
    try {
      work.run();
      done = true;
      return true;
    } catch (RuntimeException | Error e) {
      if (isPointless(e)) {
        done = true;
        return true;
      }
      failure = e;
      failed++;
      againNs = nowNs + PAUSE_NS;
      tell(e);
      return failed == ATTEMPTS;
    }
  }

  /** The guest has left: there is nothing to do any more. */
  private boolean isPointless(Throwable why) {
    if (why instanceof RefusedException refused && refused.errno() == Errno.ENODEV) {
      LOG.warn("{} is not needed any more: {}", name, refused.getMessage());
      return true;
    }
    return false;
  }

  /** Why it is not done, once no more is tried. */
  public Optional<Throwable> failure() {
    return failed == ATTEMPTS ? Optional.ofNullable(failure) : Optional.empty();
  }

  /** The first time, and the last. */
  private void tell(Throwable why) {
    try {
      if (failed == ATTEMPTS) {
        LOG.atError().setCause(why).addKeyValue("attempts", failed).log("{} fails for good", name);
      } else if (failed == 1) {
        LOG.atWarn().setCause(why).log("{} fails, and is tried again", name);
      }
    } catch (RuntimeException | Error _) {
      // There is no memory to say so either.
    }
  }
}

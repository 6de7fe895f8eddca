package io.sluice.testbed.fakes;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdCustody;
import java.util.ArrayDeque;
import java.util.Queue;

/** The custody of a test: keeps what its owners have closed, until it is closed itself. */
public final class TestCustody implements FdCustody, AutoCloseable {
  private final Queue<Fd> kept = new ArrayDeque<>();
  private boolean full;

  /** One that keeps nothing: whoever closes a descriptor does so. */
  public static FdCustody none() {
    return new FdCustody() {
      @Override
      public Fd apply(Fd received) {
        return received;
      }

      @Override
      public boolean awaitRoom() {
        return true;
      }
    };
  }

  @Override
  public Fd apply(Fd received) {
    return new Fd(received.number(), _ -> keep(received));
  }

  private synchronized void keep(Fd closed) {
    kept.add(closed);
  }

  /** How many wait to be closed. */
  public synchronized int waiting() {
    return kept.size();
  }

  /** From now on there is no room. */
  public synchronized void fill() {
    full = true;
  }

  @Override
  public synchronized boolean awaitRoom() {
    return !full;
  }

  @Override
  public synchronized void close() {
    kept.forEach(Fd::close);
    kept.clear();
  }
}

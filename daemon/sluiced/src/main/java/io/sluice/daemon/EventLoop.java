package io.sluice.daemon;

import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Guest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits on the event descriptors of the guests of one GPU and has their events dispatched.
 *
 * <p>The thread takes the list of guests before each wait. Whoever adds or removes a guest counts
 * {@code wanted} up and wakes the thread; {@link #remove} returns when the thread has taken a list
 * without the guest, so that its descriptor can be closed.
 */
final class EventLoop implements Runnable, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

  private final Kernel kernel;
  private final Fd wake;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition taken = lock.newCondition();

  // All guarded by lock.
  private final List<Guest> guests = new ArrayList<>();
  private long wanted;
  private long seen;
  private boolean running = true;
  private boolean stop;

  EventLoop(Kernel kernel) {
    this.kernel = kernel;
    this.wake = kernel.eventfd(0, Kernel.NONBLOCK);
  }

  /** From now on the guest's events are dispatched. */
  void add(Guest guest) {
    lock.lock();
    try {
      guests.add(guest);
      wanted++;
    } finally {
      lock.unlock();
    }
    kernel.signal(wake);
  }

  /** When this returns, no event of the guest is being dispatched, and none will be. */
  void remove(Guest guest) {
    lock.lock();
    try {
      guests.remove(guest);
      long mine = ++wanted;
      kernel.signal(wake);
      while (running && seen < mine) {
        taken.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void run() {
    try {
      List<Guest> current = take();
      while (!isStopped()) {
        wait(current);
        current = take();
      }
    } finally {
      lock.lock();
      try {
        running = false;
        taken.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private List<Guest> take() {
    lock.lock();
    try {
      seen = wanted;
      taken.signalAll();
      return List.copyOf(guests);
    } finally {
      lock.unlock();
    }
  }

  private boolean isStopped() {
    lock.lock();
    try {
      return stop;
    } finally {
      lock.unlock();
    }
  }

  private void wait(List<Guest> current) {
    List<Fd> fds = new ArrayList<>(current.size() + 1);
    fds.add(wake);
    for (Guest guest : current) {
      fds.add(guest.events());
    }
    short[] events = new short[fds.size()];
    Arrays.fill(events, Kernel.POLLIN);
    short[] ready = new short[fds.size()];
    kernel.poll(fds, events, ready, -1);
    if (ready[0] != 0) {
      kernel.drain(wake);
    }
    for (int i = 0; i < current.size(); i++) {
      if (ready[i + 1] != 0) {
        dispatch(current.get(i));
      }
    }
  }

  private void dispatch(Guest guest) {
    try {
      guest.dispatchEvents();
    } catch (SluiceException e) {
      LOG.atError()
          .addKeyValue("guest", guest.name())
          .setCause(e)
          .log("events of the guest are not delivered any more");
      lock.lock();
      try {
        guests.remove(guest);
      } finally {
        lock.unlock();
      }
    }
  }

  /** Ends the thread; does not wait for it. */
  void stop() {
    lock.lock();
    try {
      stop = true;
    } finally {
      lock.unlock();
    }
    kernel.signal(wake);
  }

  /** After the thread has ended. */
  @Override
  public void close() {
    wake.close();
  }
}

package io.sluice.remoting.host;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.TurnPage;
import io.sluice.remoting.turns.DeviceTurns;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/**
 * The guest's turns at devices, as the daemon grants them in the page that both share. The daemon
 * is told when a session waits, and when a turn that is over is given back.
 */
final class HostTurns implements DeviceTurns {
  private final TurnPage page;
  private final Consumer<HostMessage> tell;
  private final Map<Runnable, Integer> waiters = new ConcurrentHashMap<>(); // devices of each
  private final AtomicLongArray queuedNs = new AtomicLongArray(TurnPage.MOST_DEVICES);

  /**
   * @param page shared with the daemon
   * @param tell tells the daemon, from any thread
   */
  HostTurns(TurnPage page, Consumer<HostMessage> tell) {
    this.page = page;
    this.tell = tell;
  }

  /**
   * Wakes those that wait whenever the daemon has granted something; does not return.
   *
   * @param granted an eventfd that the daemon signals; not blocking
   */
  void serve(Kernel kernel, Fd granted) {
    List<Fd> fds = List.of(granted);
    short[] events = {Kernel.POLLIN};
    while (true) {
      int _ = kernel.poll(fds, events, new short[1], -1);
      long _ = kernel.drain(granted);
      waiters.keySet().forEach(Runnable::run);
    }
  }

  @Override
  public boolean claim(int device) {
    if (!page.isGranted(device)) {
      return false; // who waits looks all the time: of that the daemon is not told
    }
    int _ = page.addClaims(device, 1);
    if (page.isGranted(device)) {
      return true;
    }
    release(device); // taken back in between
    return false;
  }

  @Override
  public boolean isGranted(int device) {
    return page.isGranted(device);
  }

  @Override
  public void release(int device) {
    if (page.addClaims(device, -1) == 0 && !page.isGranted(device)) {
      tell.accept(new HostMessage.Turns());
    }
  }

  @Override
  public void await(int device, Runnable waker) {
    int _ = waiters.merge(waker, 1, Integer::sum);
    page.addWaiting(device, 1);
    tell.accept(new HostMessage.Turns());
  }

  @Override
  public void leave(int device, Runnable waker) {
    page.addWaiting(device, -1);
    Integer _ = waiters.computeIfPresent(waker, (_, count) -> count == 1 ? null : count - 1);
  }

  @Override
  public void advance(int device) {
    page.advance(device);
  }

  @Override
  public void queue(int device, long moreNs) {
    queuedNs.addAndGet(device, moreNs);
  }

  @Override
  public long queuedNs(int device) {
    return queuedNs.get(device);
  }
}

package io.sluice.testbed.attack;

import io.sluice.abi.sys.Kernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.management.local.LocalConnection;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The newcomers while an attack is on: a guest that attaches, allocates and leaves again and again,
 * and an operator who lists the guests.
 */
final class Newcomer implements AutoCloseable {
  private static final int BYTES = 1 << 20;

  /** An operator's pace. */
  private static final long BETWEEN_LISTS_NS = 20_000_000;

  private final List<String> wrong = new CopyOnWriteArrayList<>();
  private final AtomicLong attached = new AtomicLong();
  private final AtomicLong listed = new AtomicLong();
  private final Latencies listing = new Latencies();
  private final Thread guest;
  private final Thread operator;
  private volatile boolean stopped;

  /**
   * @param socket of a guest that nobody else attaches to
   */
  Newcomer(Kernel kernel, Path socket, LocalConnection connection) {
    guest = Thread.ofPlatform().daemon().name("newcomer").start(() -> comeAndGo(kernel, socket));
    operator = Thread.ofPlatform().daemon().name("operator").start(() -> list(connection));
  }

  long attached() {
    return attached.get();
  }

  long listed() {
    return listed.get();
  }

  /** How long listing took. */
  Latencies listing() {
    return listing;
  }

  /** What went wrong since it was asked last. */
  List<String> wrong() {
    List<String> found = List.copyOf(wrong);
    wrong.removeAll(found);
    return found;
  }

  private void comeAndGo(Kernel kernel, Path socket) {
    while (!stopped) {
      try (AttachedDevice device = AttachedDevice.attach(kernel, socket);
          Buffer buffer = device.allocateVideo(BYTES)) {
        buffer.bytes().set(ValueLayout.JAVA_INT, 0, 1);
        attached.incrementAndGet();
      } catch (RuntimeException e) {
        note("a guest that came: ", e);
      }
    }
  }

  private void list(LocalConnection connection) {
    while (!stopped) {
      try {
        long start = System.nanoTime();
        int _ = connection.daemon().getGuests().size();
        listing.add(System.nanoTime() - start);
        listed.incrementAndGet();
        LockSupport.parkNanos(BETWEEN_LISTS_NS);
      } catch (RuntimeException e) {
        note("guest list: ", e);
      }
    }
  }

  private void note(String who, RuntimeException e) {
    String text = String.valueOf(e);
    // Its own former session may still be ending.
    if (!stopped && wrong.size() < 10 && !text.contains("EBUSY")) {
      wrong.add(who + text);
    }
  }

  @Override
  public void close() throws InterruptedException {
    stopped = true;
    guest.join();
    operator.join();
  }
}

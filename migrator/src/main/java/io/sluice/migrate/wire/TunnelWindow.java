package io.sluice.migrate.wire;

import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The window of a tunnel: how many bytes of QEMU's stream are on their way, taken from the source's
 * QEMU, and not yet handed to the destination's. They may wait in buffers of either daemon, of
 * sockets, and of whatever is between; without a limit those take as many as a slow QEMU leaves
 * them, tens of megabytes, and the machine's last pass waits behind them.
 *
 * <p>Connections count from their event loops, the migration's engine looks and sets the limit.
 * With a peer that does not say what it has handed on nothing is counted, and the limit without
 * effect.
 */
final class TunnelWindow {
  /** Until the engine knows what the way carries. */
  static final long INITIAL_BYTES = 16L << 20;

  private final AtomicLong taken = new AtomicLong();
  private final AtomicLong handedOn = new AtomicLong();
  private volatile long limit = INITIAL_BYTES;
  private volatile long end = Long.MAX_VALUE; // of what may be taken, in all
  private volatile boolean counted;

  // Of the one connection of a tunnel; set before anything is counted.
  private volatile @Nullable Channel machine;
  private volatile @Nullable Channel tunnel;

  /**
   * The tunnel is there, and its other end says what it has handed on.
   *
   * @param fromMachine QEMU's connection, which is read while there is room
   */
  void begin(Channel fromMachine, Channel toPeer) {
    tunnel = toPeer;
    machine = fromMachine;
    counted = true;
    pace();
  }

  /** Bytes were taken from QEMU. */
  void take(int bytes) {
    taken.addAndGet(bytes);
    pace();
  }

  /**
   * The peer has handed so many bytes on in all.
   *
   * @throws io.sluice.abi.RefusedException fewer than it had, or more than it was sent
   */
  void handedOn(long bytes) {
    if (bytes < handedOn.get() || bytes > taken.get()) {
      throw WireFailure.protocol("a tunnel that hands on what was not sent, bytes=" + bytes);
    }
    handedOn.set(bytes);
    pace();
  }

  /** Whether anybody counts. */
  boolean isCounted() {
    return counted;
  }

  /** Bytes on their way; 0 when nobody counts them. */
  long bytesQueued() {
    long arrived = handedOn.get(); // first: what is taken meanwhile is on its way
    return taken.get() - arrived;
  }

  /** Bytes that have arrived at the destination's QEMU. */
  long bytesCarried() {
    return handedOn.get();
  }

  /** Bytes taken from QEMU so far. */
  long bytesTaken() {
    return taken.get();
  }

  /** At most so many bytes are to be on their way from now on. */
  void limit(long bytes) {
    if (limit != bytes) {
      limit = bytes;
      pace();
    }
  }

  /**
   * No more is to be taken, from the beginning of the stream on; but for the read that passes it.
   */
  void takeUpTo(long bytes) {
    if (end != bytes) {
      end = bytes;
      pace();
    }
  }

  /** Has QEMU's connection read while there is room, and only then. */
  void pace() {
    Channel from = machine;
    if (from == null) {
      return;
    }
    if (from.eventLoop().inEventLoop()) {
      setReading(from);
    } else {
      from.eventLoop().execute(() -> setReading(from)); // or two threads might undo each other's
    }
  }

  private void setReading(Channel from) {
    Channel to = tunnel;
    boolean room = to != null && to.isWritable() && bytesQueued() < limit;
    from.config().setAutoRead(room && taken.get() < end);
  }
}

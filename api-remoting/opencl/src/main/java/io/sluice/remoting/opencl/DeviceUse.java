package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.turns.DeviceTurns;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The use that a session makes of one device: its claim, and its work there, in windows of about
 * {@link #WINDOW_NS}. Belongs to the session's thread.
 */
final class DeviceUse {
  /** A window is closed when its work is expected to take as long. */
  static final long WINDOW_NS = KernelPace.UNKNOWN_NS;

  private static final int WINDOW_COMMANDS = 256;

  /** Most work of a guest in a device's queues, but for one window of each session. */
  private static final long MOST_QUEUED_NS = 4 * WINDOW_NS;

  private static final int MOST_PACES = 8;

  private final SessionContext context;
  private final DeviceTurns turns;
  private final int device;
  private Claim claim = Claim.NONE;
  private int open; // windows
  private int closed; // windows that have not come to their end
  private long queuedNs;
  private volatile long workedNs;
  private volatile long busySinceNs; // the end of the latest window, or when there was work again
  private volatile boolean busy;

  DeviceUse(SessionContext context, int device) {
    this.context = context;
    this.device = device;
    turns = context.turns();
  }

  /**
   * The states of a session's claim of a device.
   *
   * <pre>
   *  NONE ◄──► WAITING
   *    ▲          │
   *    └──► HELD ◄┘
   * </pre>
   */
  enum Claim {
    /** It has none and waits for none. */
    NONE,
    /** It waits for the device, and is woken when that may be had. */
    WAITING,
    /** It has the device. */
    HELD;

    private Set<Claim> next() {
      return switch (this) {
        case NONE -> EnumSet.of(WAITING, HELD);
        case WAITING -> EnumSet.of(NONE, HELD);
        case HELD -> EnumSet.of(NONE);
      };
    }

    /** Whether another state may follow. */
    boolean mayBecome(Claim following) {
      return next().contains(following);
    }
  }

  /** Commands of one queue, one after another. */
  static final class UseWindow {
    private final DeviceUse use;
    private final long begunNs;
    private final List<KernelPace> paces = new ArrayList<>(1);
    private long ns;
    private long items;
    private int commands;

    private UseWindow(DeviceUse use) {
      this.use = use;
      begunNs = use.context.nanoTime();
    }

    /** Whether it is full with one more command. */
    boolean isFullWith(Effort effort) {
      return commands + 1 >= WINDOW_COMMANDS || ns + effort.ns() >= WINDOW_NS;
    }

    void add(Effort effort) {
      commands++;
      ns += effort.ns();
      items = effort.items();
      KernelPace pace = effort.pace();
      if (pace != null && paces.size() < MOST_PACES && !paces.contains(pace)) {
        paces.add(pace);
      }
    }

    /** Nothing more comes into it. */
    void close() {
      use.close(this);
    }

    /** All of it has run. */
    void done() {
      use.done(this);
    }

    private void took(long tookNs) {
      if (commands == 1 && !paces.isEmpty()) {
        paces.getFirst().seen(items, tookNs);
      } else if (ns > 0) {
        double factor = (double) tookNs / ns;
        paces.forEach(pace -> pace.correct(factor));
      }
    }
  }

  /**
   * Claims the device for a command; false when the session is woken as soon as it may be had. A
   * claim that was just had is good for one: the turn was the guest's then, and who takes it back
   * sees the claim.
   */
  boolean claim() {
    if (isOverdue()) {
      rest();
    }
    if (claim != Claim.HELD) {
      return claimTurn();
    }
    return turns.isGranted(device) && (closed == 0 || turns.queuedNs(device) < MOST_QUEUED_NS);
  }

  private boolean claimTurn() {
    boolean claimed = turns.claim(device);
    if (!claimed && claim == Claim.NONE) {
      enter(Claim.WAITING);
      turns.await(device, context.waker());
      claimed = turns.claim(device);
    }
    if (claimed) {
      boolean waited = claim == Claim.WAITING;
      enter(Claim.HELD);
      if (waited) {
        turns.leave(device, context.waker());
      }
    }
    return claimed;
  }

  /** The one place that changes the state of the claim. */
  private void enter(Claim next) {
    if (!claim.mayBecome(next)) {
      throw new AssertionError("no such transition, from=" + claim + " to=" + next);
    }
    claim = next;
  }

  /** Waits for the device no more. */
  void leave() {
    if (claim == Claim.WAITING) {
      enter(Claim.NONE);
      turns.leave(device, context.waker());
    }
  }

  /** Whether the guest's turn is over while this has a claim. */
  boolean isOverdue() {
    return claim == Claim.HELD && !turns.isGranted(device);
  }

  int device() {
    return device;
  }

  UseWindow begin() {
    open++;
    if (!busy) {
      busySinceNs = context.nanoTime();
      busy = true;
    }
    return new UseWindow(this);
  }

  private void close(UseWindow window) {
    open--;
    closed++;
    queuedNs += window.ns;
    turns.queue(device, window.ns);
  }

  private void done(UseWindow window) {
    long now = context.nanoTime();
    long tookNs = now - Math.max(window.begunNs, busySinceNs);
    closed--;
    queuedNs -= window.ns;
    workedNs += tookNs;
    busySinceNs = now;
    busy = open + closed > 0;
    turns.queue(device, -window.ns);
    turns.advance(device);
    window.took(tookNs);
  }

  /** Gives the claim back if there is no work. */
  void rest() {
    if (claim == Claim.HELD && open + closed == 0) {
      enter(Claim.NONE);
      turns.release(device);
    }
  }

  /** How long the device has worked; a look from any thread. */
  long workedNs() {
    return busy ? workedNs + Math.max(0, context.nanoTime() - busySinceNs) : workedNs;
  }

  /** Nothing of the session is on the device any more. */
  void close() {
    leave();
    turns.queue(device, -queuedNs);
    queuedNs = 0;
    open = 0;
    closed = 0;
    rest();
  }
}

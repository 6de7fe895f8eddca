package io.sluice.migrate.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.MigrationLink;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The links that have come to a server. Each begins with the first of its streams and is whole when
 * all of them have connected; nobody takes its frames before that, so one that does not become
 * whole in time is ended, with all that has come over it.
 */
final class AcceptedLinks {
  /** Links at one time. */
  static final int MOST = 16;

  /** Longer than each stage of a stream's beginning takes at most, one after the other. */
  static final Duration WHOLE_WITHIN = Duration.ofSeconds(40);

  private final FrameMemory frames;
  private final LongSupplier nowNs;
  private final Later later;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<UUID, AcceptedLink> links = new HashMap<>();

  /** The scheduler of what is to be done some time from now. */
  interface Later {
    Future<?> run(Runnable task, Duration after);
  }

  /** The progress of a link; none comes back from its end. */
  private enum Coming {
    INCOMPLETE,
    WHOLE,
    OVER
  }

  /** A link and what of it has come. */
  static final class AcceptedLink {
    final WireLink link;
    private final String address;
    private final Set<Integer> connected = new HashSet<>();
    private Coming coming = Coming.INCOMPLETE;
    private @Nullable Future<?> deadline;

    private AcceptedLink(WireLink link, String address) {
      this.link = link;
      this.address = address;
    }
  }

  /**
   * @param frames payloads of pages
   * @param nowNs the loops' clock
   * @param later by the same clock
   */
  AcceptedLinks(FrameMemory frames, LongSupplier nowNs, Later later) {
    this.frames = frames;
    this.nowNs = nowNs;
    this.later = later;
  }

  /** Whether an address is that of a link's source. */
  boolean hasAny(String address) {
    lock.lock();
    try {
      return links.values().stream().anyMatch(link -> link.address.equals(address));
    } finally {
      lock.unlock();
    }
  }

  /**
   * The link of a stream that says who it is; a new one when it is the first.
   *
   * @throws RefusedException when it cannot be of any
   */
  AcceptedLink find(WireMessages.LinkHello hello, SocketAddress peer) {
    if (hello.streams() < 1 || hello.streams() > MigrationLink.MAX_DATA_STREAMS) {
      throw WireFailure.protocol("a link of " + hello.streams() + " streams");
    }
    lock.lock();
    try {
      AcceptedLink known = links.get(hello.id());
      if (known == null) {
        known = begin(hello, peer);
      }
      if (known.link.dataStreams() != hello.streams()) {
        throw WireFailure.protocol("a stream of another link");
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private AcceptedLink begin(WireMessages.LinkHello hello, SocketAddress peer) {
    if (hello.received() != 0) {
      throw new RefusedException(
          WireCode.FORGOTTEN,
          Errno.ENOTCONN,
          "the link that was cut is not known here any more",
          "");
    }
    if (links.size() >= MOST) {
      throw new RefusedException(
          WireCode.TOO_MANY, Errno.EBUSY, "too many migrations come in, limit=" + MOST, "");
    }
    UUID id = hello.id();
    AcceptedLink begun =
        new AcceptedLink(
            new WireLink(
                id,
                String.valueOf(peer),
                hello.streams(),
                frames,
                nowNs.getAsLong(),
                () -> forget(id)),
            PendingConnections.address(peer));
    begun.deadline = later.run(() -> endUnlessWhole(begun), WHOLE_WITHIN);
    links.put(id, begun);
    return begun;
  }

  /** A stream has connected; whether all have now, for the first time. */
  boolean addStream(AcceptedLink incoming, int stream) {
    Future<?> deadline = null;
    lock.lock();
    try {
      boolean again = !incoming.connected.add(stream);
      if (again) {
        incoming.link.reconnected();
      }
      boolean whole =
          incoming.coming == Coming.INCOMPLETE
              && incoming.connected.size() == incoming.link.dataStreams() + 1;
      if (whole) {
        incoming.coming = Coming.WHOLE;
        deadline = incoming.deadline;
        incoming.deadline = null;
      }
      return whole;
    } finally {
      lock.unlock();
      cancel(deadline);
    }
  }

  private void endUnlessWhole(AcceptedLink incoming) {
    int missing;
    lock.lock();
    try {
      if (incoming.coming == Coming.WHOLE) {
        return;
      }
      incoming.coming = Coming.OVER;
      missing = incoming.link.dataStreams() + 1 - incoming.connected.size();
    } finally {
      lock.unlock();
    }
    incoming.link.refuse(WireFailure.notWhole(missing, WHOLE_WITHIN.toSeconds()));
  }

  /** The deadline goes with its link: it would keep what has come over it. */
  private void forget(UUID id) {
    AcceptedLink gone;
    Future<?> deadline = null;
    boolean untaken = false;
    lock.lock();
    try {
      gone = links.remove(id);
      if (gone != null) {
        untaken = gone.coming != Coming.WHOLE;
        if (untaken) {
          gone.coming = Coming.OVER;
        }
        deadline = gone.deadline;
        gone.deadline = null;
      }
    } finally {
      lock.unlock();
    }
    cancel(deadline);
    if (gone != null && untaken) {
      gone.link.discard();
    }
  }

  private static void cancel(@Nullable Future<?> deadline) {
    if (deadline != null) {
      boolean _ = deadline.cancel(false);
    }
  }

  /** All there are. */
  List<WireLink> all() {
    lock.lock();
    try {
      return links.values().stream().map(each -> each.link).toList();
    } finally {
      lock.unlock();
    }
  }

  /** For tests: the link of an id, if there is one. */
  @Nullable WireLink linkOf(UUID id) {
    lock.lock();
    try {
      AcceptedLink incoming = links.get(id);
      return incoming == null ? null : incoming.link;
    } finally {
      lock.unlock();
    }
  }
}

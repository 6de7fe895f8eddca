package io.sluice.daemon.migration;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.daemon.guest.GuestTable;
import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.daemon.runtime.Threads;
import io.sluice.management.ErrorCode;
import io.sluice.management.local.SocketFile;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.process.UnixLink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The guests that come to this daemon, from others of this host or of another. */
final class Arrivals {
  private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);
  private static final int BACKLOG = 8;
  private static final int MAX_INCOMING = 64;
  private static final int ROOT = 0;

  /** What fails may fail again at once. */
  private static final long FAILED_NS = 100_000_000;

  private final LoopFailures failures = new LoopFailures(LOG, "accepting daemons");
  private final GuestTable guests;
  private final Path socketPath;
  private final CommitLedger ledger;
  private final Kernel kernel;
  private final Threads threads;
  private final LongSupplier clock;
  private final IncomingMigration.PhaseObserver observer;
  private final CopyOnWriteArrayList<IncomingMigration> incoming = new CopyOnWriteArrayList<>();
  private volatile @Nullable Fd listener;
  private volatile boolean closed;

  /**
   * @param socketPath where other daemons of this host connect
   * @param ledger of guests that are this side's
   */
  Arrivals(
      GuestTable guests,
      Path socketPath,
      CommitLedger ledger,
      Migrations.Surroundings surroundings) {
    this.guests = guests;
    this.socketPath = socketPath;
    this.ledger = ledger;
    kernel = surroundings.kernel();
    threads = surroundings.threads();
    clock = surroundings.clock();
    observer = surroundings.observer();
  }

  /** Makes the socket and begins to accept other daemons. */
  void start() throws IOException, OperationsException {
    ledger.forgetFormer();
    new SocketFile(socketPath, "the migration socket", ErrorCode.DAEMON_PATH)
        .publish(
            Optional.empty(),
            ErrorCode.DAEMON_PATH,
            staged -> listener = kernel.listen(staged, BACKLOG));
    Fd socket = Objects.requireNonNull(listener);
    threads.start("sluice-migration-accept", () -> accept(socket));
  }

  private void accept(Fd socket) {
    while (!closed) {
      try {
        admit(kernel.accept(socket));
      } catch (RuntimeException | Error e) {
        // No descriptors, memory or threads are left, most likely: all may come back.
        if (!closed) {
          failures.note(e);
          LockSupport.parkNanos(this, FAILED_NS);
        }
      }
    }
  }

  /** Only daemons of this user, or root's, pass descriptors to us. */
  private void admit(Fd socket) {
    UnixLink link = null;
    try {
      PeerCredentials peer = kernel.peerCredentials(socket);
      incoming.removeIf(IncomingMigration::isOver);
      boolean welcome = (peer.uid() == ownUid() || peer.uid() == ROOT) && !closed;
      if (welcome && incoming.size() < MAX_INCOMING) {
        link = new UnixLink(kernel, socket, threads);
      } else {
        LOG.atWarn().addKeyValue("peer", peer).log("a daemon was refused");
      }
    } finally {
      if (link == null) {
        socket.close();
      }
    }
    if (link != null) {
      welcome(link, new IncomingMigration.Processes(link));
    }
  }

  /** A link has come: a thread of its own sees what it brings. */
  void welcome(MigrationLink link, IncomingMigration.ReceiverFactory bringing) {
    incoming.removeIf(IncomingMigration::isOver);
    if (closed || incoming.size() >= MAX_INCOMING) {
      link.close();
      return;
    }
    IncomingMigration migration = null;
    boolean started = false;
    try {
      migration =
          new IncomingMigration(
              new IncomingMigration.Surroundings(
                  kernel, guests, ledger, clock, observer, this::discardUndecided),
              link,
              bringing,
              MigrationLanes.make(threads));
      incoming.add(migration);
      threads.start("sluice-migration-in", migration);
      started = true;
    } finally {
      if (!started) {
        if (migration != null) {
          incoming.remove(migration);
        }
        link.close();
      }
    }
  }

  private int ownUid() {
    try {
      return (int) Files.getAttribute(socketPath, "unix:uid");
    } catch (IOException _) {
      return ROOT;
    }
  }

  /** Whoever asks for an attempt has given up on its link: it is decided now. */
  private void discardUndecided(UUID id) {
    for (IncomingMigration migration : incoming) {
      if (migration.id().filter(id::equals).isPresent()) {
        migration.abort(new Reason(MigrationCode.CANCELLED, "the source asks again", ""));
        migration.awaitOver();
      }
    }
  }

  /** All that have not been forgotten yet. */
  List<IncomingMigration> all() {
    return List.copyOf(incoming);
  }

  /** Accepts nobody any more. */
  void stop() {
    closed = true;
    Fd socket = listener;
    listener = null;
    if (socket != null) {
      kernel.shutdown(socket);
      socket.close();
    }
  }

  /** Gives up what can be given up. */
  void abortAll(Reason why) {
    incoming.forEach(migration -> migration.abort(why));
  }
}

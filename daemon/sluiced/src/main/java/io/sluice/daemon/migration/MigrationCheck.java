package io.sluice.daemon.migration;

import static io.sluice.management.MigrationCheckView.UNKNOWN;

import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.channel.guest.Guest;
import io.sluice.daemon.config.WireSettings;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.management.ErrorCode;
import io.sluice.management.MigrationBlocker;
import io.sluice.management.MigrationCheckView;
import io.sluice.migrate.engine.DestinationCheck;
import io.sluice.migrate.engine.DestinationCheck.Measured;
import io.sluice.migrate.engine.DowntimeEstimate;
import io.sluice.migrate.engine.MoveQuestion;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.engine.SourceObstacles;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The obstacles of a guest that is to move, each with its remedy. */
final class MigrationCheck {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long IDLE_NS = 1_000_000;

  private final GuestHost host;
  private final List<MigrationBlocker> blockers = new ArrayList<>();
  private Optional<Measured> way = Optional.empty();
  private Optional<DowntimeEstimate> estimate = Optional.empty();

  MigrationCheck(GuestHost host) {
    this.host = host;
  }

  private void add(MigrationBlocker blocker) {
    blockers.add(blocker);
  }

  /** Something that was found elsewhere. */
  void add(Reason why) {
    add(new MigrationBlocker(why.code(), why.what(), why.remedy()));
  }

  /** What was found, with what is known of the time it would take. */
  MigrationCheckView view(Duration downtime) {
    return new MigrationCheckView(
        List.copyOf(blockers),
        host.device().guest().map(guest -> guest.buffers().use().videoBytes()).orElse(0L),
        way.map(Measured::roundTripNs).orElse(UNKNOWN),
        way.map(Measured::bytesPerSecond).orElse(UNKNOWN),
        estimate.map(DowntimeEstimate::leastNs).orElse(UNKNOWN),
        estimate.map(DowntimeEstimate::mostNs).orElse(UNKNOWN),
        downtime.toNanos());
  }

  /**
   * Asks the destination's daemon. Blocks until it has answered, or does not.
   *
   * @param machine whether bytes would go that way, which is measured then
   */
  void destination(MigrationLink link, boolean machine, LongSupplier clock) {
    Optional<Guest> attached = host.device().guest();
    if (attached.isEmpty()) {
      return;
    }
    Guest guest = attached.get();
    DestinationCheck check =
        new DestinationCheck(
            link,
            MoveQuestion.about(guest, !machine),
            machine,
            PATIENCE.toNanos(),
            clock.getAsLong());
    Thread self = Thread.currentThread();
    link.setWaker(() -> LockSupport.unpark(self));
    while (!check.isOver()) {
      if (check.doWork(clock.getAsLong()) == 0) {
        LockSupport.parkNanos(this, IDLE_NS);
      }
    }
    check.objections().forEach(this::add);
    way = check.measured();
    estimate = way.map(found -> DowntimeEstimate.of(guest.buffers().use().videoBytes(), found));
  }

  /** Whether the destination has answered. */
  boolean isAnswered() {
    return way.isPresent();
  }

  /** Whether there is something to move, and its GPU can give it away. */
  void guest() {
    Optional<Guest> attached = host.device().guest();
    if (attached.isEmpty()) {
      add(
          new MigrationBlocker(
              MigrationCode.NOBODY_ATTACHED.code(),
              "nobody is attached to guest \"" + name() + "\"",
              "There is nothing to move: create the guest at the destination instead."));
    } else {
      SourceObstacles.of(attached.get().capabilities()).forEach(this::add);
    }
    if (host.isSuspended()) {
      add(
          new MigrationBlocker(
              ErrorCode.MIGRATION_BLOCKED.code(),
              "guest \"" + name() + "\" is suspended",
              "Let it go on: sluicectl guest resume " + name() + "."));
    }
  }

  /** Sessions that nobody would take along. */
  void sessions() {
    try {
      host.device().requireMovable();
    } catch (RefusedException e) {
      add(new MigrationBlocker(e.code(), e.what(), e.remedy()));
    }
  }

  /** It moves already. */
  void busy() {
    add(
        new MigrationBlocker(
            ErrorCode.MIGRATION_BUSY.code(),
            "guest \"" + name() + "\" moves already",
            "Wait for it, or give it up: sluicectl migration abort " + name() + "."));
  }

  /** What a machine lacks. */
  void machine(@Nullable WireSettings wire) {
    if (wire == null) {
      add(
          new MigrationBlocker(
              ErrorCode.MIGRATION_BLOCKED.code(),
              "this daemon has no certificate to show to another host's",
              "Add [migration] to the configuration: docs/migration.md, \"Certificates\"."));
    }
  }

  /** Nobody is to be asked. */
  void unreachable(Path path, SyscallException why) {
    add(
        new MigrationBlocker(
            ErrorCode.MIGRATION_LINK.code(),
            "no daemon answers at " + path + ": " + why.getMessage(),
            "Start it there; sluicectl migration status shows its socket."));
  }

  private String name() {
    return host.settings().name();
  }
}

package io.sluice.daemon.migration;

import io.sluice.management.ErrorCode;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.Problem;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.management.OperationsException;

/**
 * The views of all migrations, checkpoints and restores.
 *
 * @param departing those that began here
 * @param arrivals those that came from elsewhere
 * @param left those that a predecessor was killed with
 */
record MigrationViews(Departing departing, Arrivals arrivals, LeftMachines left) {
  /** So much of an id that nobody means two by it. */
  private static final int LEAST_OF_ID = 4;

  /** The last of each guest, by its name. */
  Map<String, MigrationStatusView> latest() {
    Map<String, MigrationStatusView> views = new TreeMap<>();
    Map<String, Long> began = new TreeMap<>();
    for (IncomingMigration migration : arrivals.all()) {
      String name = migration.guestName();
      if (!name.isEmpty() && migration.startNs() >= began.getOrDefault(name, Long.MIN_VALUE)) {
        views.put(name, migration.view());
        began.put(name, migration.startNs());
      }
    }
    left.views().forEach(view -> views.put(view.guest(), view));
    departing
        .all()
        .forEach((name, migration) -> {
          if (migration.startNs() >= began.getOrDefault(name, Long.MIN_VALUE)) {
            views.put(name, migration.view());
            began.put(name, migration.startNs());
          }
        });
    for (RestoringGuest restore : departing.restores()) {
      MigrationStatusView view = restore.view();
      if (restore.startNs() >= began.getOrDefault(view.guest(), Long.MIN_VALUE)) {
        views.put(view.guest(), view);
      }
    }
    return views;
  }

  /**
   * One by its id.
   *
   * @param id or the beginning of it
   */
  MigrationStatusView byId(String id) throws OperationsException {
    List<MigrationStatusView> found =
        id.length() < LEAST_OF_ID
            ? List.of()
            : all().filter(view -> view.id().startsWith(id)).limit(2).toList();
    if (found.size() == 1) {
      return found.getFirst();
    }
    throw Problem.of(
            ErrorCode.MIGRATION_UNKNOWN,
            "no migration, checkpoint or restore \"" + id + "\"",
            found.isEmpty()
                ? "there is none with that id, or it was long ago"
                : "several ids begin so",
            "see sluicectl migration status --columns guest,kind,id")
        .exception();
  }

  private Stream<MigrationStatusView> all() {
    return Stream.of(
            departing.all().values().stream().map(OutgoingMigration::view),
            departing.restores().stream().map(RestoringGuest::view),
            arrivals.all().stream().map(IncomingMigration::view),
            left.views().stream(),
            departing.former().stream())
        .flatMap(views -> views);
  }
}

package io.sluice.daemon.migration;

import io.sluice.management.MigrationStatusView;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The migrations, checkpoints and restores that were followed by others of their guests, by id. */
final class FormerOperations {
  /** As many as are remembered. */
  static final int MOST = 100;

  private final Map<String, MigrationStatusView> views = new LinkedHashMap<>();

  /** Remembers one that is over; the oldest is forgotten when there are too many. */
  void add(MigrationStatusView view) {
    views.put(view.id(), view);
    if (views.size() > MOST) {
      Iterator<String> oldest = views.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
  }

  Stream<MigrationStatusView> all() {
    return views.values().stream();
  }
}

package io.sluice.daemon.migration;

import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.wire.WireLoops;
import java.util.concurrent.ThreadFactory;

/**
 * The numbers of threads and connections among which a migration is divided: a quarter of the
 * host's processors look at memory or store it, and another quarter are the network's, so that half
 * are left to the machines.
 */
final class MigrationLanes {
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private MigrationLanes() {}

  /** Lanes of one migration; their threads are made when it needs them. */
  static Lanes make(ThreadFactory threads) {
    return new Lanes(Lanes.usual(PROCESSORS), threads);
  }

  /** Event loops of all migrations between hosts. */
  static int loops() {
    return WireLoops.usual(PROCESSORS);
  }

  /** Streams of pages, when the operator says nothing: one for each loop. */
  static int streams() {
    return loops();
  }
}

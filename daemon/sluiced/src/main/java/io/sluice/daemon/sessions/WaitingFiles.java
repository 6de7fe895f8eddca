package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The files in which sessions wait, or are about to: nothing else may take their places. */
final class WaitingFiles {
  private final LongSupplier nanoTime;

  @GuardedBy("this")
  private final Map<UUID, BooleanSupplier> files = new HashMap<>();

  @GuardedBy("this")
  private long made;

  WaitingFiles(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * A file that a session is to wait in.
   *
   * @param waits whether it does; asked without a lock
   * @return the id of the file, which no other one has
   */
  synchronized UUID add(BooleanSupplier waits) {
    UUID id = new UUID(nanoTime.getAsLong(), ++made);
    files.put(id, waits);
    return id;
  }

  /** No session waits in a file any more. */
  synchronized void remove(UUID id) {
    files.remove(id);
  }

  /** Whether a session waits in a file; one in which none does any more is forgotten. */
  boolean has(UUID id) {
    BooleanSupplier waits;
    synchronized (this) {
      waits = files.get(id);
    }
    if (waits == null || waits.getAsBoolean()) {
      return waits != null;
    }
    synchronized (this) {
      files.remove(id, waits);
    }
    return false;
  }
}

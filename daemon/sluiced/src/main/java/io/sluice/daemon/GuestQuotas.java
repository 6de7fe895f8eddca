package io.sluice.daemon;

import io.sluice.daemon.config.ChangedQuotas;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.config.QuotaSettings;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import javax.management.OperationsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The quotas that were changed at run time, which count instead of those guests were made with.
 * Guarded by the lock of the table of guests.
 */
final class GuestQuotas {
  private static final Logger LOG = LoggerFactory.getLogger(GuestQuotas.class);

  private final ChangedQuotas store;
  private final Map<String, QuotaSettings> changed;
  private final ChangeRate rate;

  /**
   * @param remembered what the store has
   * @param clock monotonic nanoseconds
   */
  GuestQuotas(ChangedQuotas store, Map<String, QuotaSettings> remembered, LongSupplier clock) {
    this.store = store;
    changed = new TreeMap<>(remembered);
    rate = new ChangeRate(clock);
  }

  /** What counts for a guest. */
  QuotaSettings of(GuestSettings guest) {
    return changed.getOrDefault(guest.name(), guest.quota());
  }

  /**
   * Changes a guest's quota and remembers it; when this throws nothing has changed.
   *
   * @return what it is then
   */
  QuotaSettings change(String failed, GuestHost guest, QuotaChange change)
      throws OperationsException {
    QuotaSettings before = of(guest.settings());
    QuotaSettings wanted = change.applyTo(before, failed, guest.gpu().gpu().info().vramBytes());
    set(failed, guest, wanted, before);
    return wanted;
  }

  /** Gives a guest the quota it was made with, which this returns, and remembers that. */
  QuotaSettings reset(String failed, GuestHost guest) throws OperationsException {
    QuotaSettings wanted = guest.settings().quota();
    set(failed, guest, wanted, of(guest.settings()));
    return wanted;
  }

  /** A guest is destroyed: one that gets its name later shall not get its quota. */
  void forget(String guest) {
    QuotaSettings had = changed.remove(guest);
    if (had == null) {
      return;
    }
    try {
      store.save(changed);
    } catch (IOException e) {
      LOG.atWarn()
          .addKeyValue("guest", guest)
          .addKeyValue("file", store.file())
          .setCause(e)
          .log("the quota of a guest that is destroyed is left behind");
    }
  }

  private void set(String failed, GuestHost guest, QuotaSettings wanted, QuotaSettings before)
      throws OperationsException {
    if (wanted.equals(before)) {
      return;
    }
    String name = guest.settings().name();
    if (!rate.take()) {
      throw Problem.of(
              ErrorCode.QUOTA_RATE,
              failed,
              "more than " + ChangeRate.PER_SECOND + " changes a second",
              "retry later")
          .exception();
    }
    guest.gpu().shares().set(failed, name, wanted);
    remember(guest, wanted);
    try {
      store.save(changed);
    } catch (IOException e) {
      guest.gpu().shares().set(failed, name, before);
      remember(guest, before);
      throw Problem.of(
              ErrorCode.QUOTA_STATE,
              failed,
              "it cannot be remembered in " + store.file() + ": " + e.getMessage(),
              "check daemon.state-dir")
          .exception();
    }
  }

  private void remember(GuestHost guest, QuotaSettings quota) {
    if (quota.equals(guest.settings().quota())) {
      changed.remove(guest.settings().name());
    } else {
      changed.put(guest.settings().name(), quota);
    }
  }
}

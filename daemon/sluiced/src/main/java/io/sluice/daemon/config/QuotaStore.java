package io.sluice.daemon.config;

import com.google.common.collect.ImmutableMap;
import io.sluice.management.Quantities;
import io.sluice.quota.Quota;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The quotas that were changed at run time, in {@code STATE-DIR/quotas.toml}: {@code [[guest]]}
 * tables with the name and the keys of a quota, all of them. They count instead of those that the
 * configuration, or the guest's creation, says. Guarded by its owner's lock.
 */
public final class QuotaStore {
  private static final String FILE = "quotas.toml";
  private static final String HEADER =
      "# Quotas changed at run time. sluiced writes this file; edit it only while it is stopped.\n";

  private final Path file;
  private final SortedMap<String, Quota> changed = new ConcurrentSkipListMap<>();

  /** What the configuration says since it was read anew, of guests that were served before. */
  private final SortedMap<String, Quota> reloaded = new ConcurrentSkipListMap<>();

  /**
   * @param stateDir the daemon's state directory
   */
  public QuotaStore(Path stateDir) {
    this.file = stateDir.resolve(FILE);
  }

  /** Where they are kept. */
  public Path file() {
    return file;
  }

  /**
   * Reads the file, if there is one. Guests of that name need not exist any more.
   *
   * @throws ConfigException when the file is wrong
   */
  public void load() throws ConfigException {
    if (!Files.exists(file)) {
      return;
    }
    Draft draft = new Draft();
    new TomlSource(file, draft).read();
    ImmutableMap<String, Quota> quotas = new Resolver(draft).changedQuotas();
    if (!draft.errors().isEmpty()) {
      throw new ConfigException(draft.errors());
    }
    changed.putAll(quotas);
  }

  /** The quota of a guest. */
  public Quota of(GuestSettings guest) {
    return changed.getOrDefault(guest.name(), configured(guest));
  }

  /** The quota that the configuration, or its creation, gives a guest. */
  public Quota configured(GuestSettings guest) {
    return reloaded.getOrDefault(guest.name(), guest.quota());
  }

  /** The configuration gives a guest another quota from now on. */
  public void configure(String guest, Quota quota) {
    reloaded.put(guest, quota);
  }

  /** Whether a guest's quota was changed at run time. */
  public boolean isChanged(String guest) {
    return changed.containsKey(guest);
  }

  /** Keeps a guest's quota, or, when this fails, the one it had. */
  public void put(GuestSettings guest, Quota quota) throws IOException {
    SortedMap<String, Quota> after = new TreeMap<>(changed);
    if (quota.equals(configured(guest))) {
      after.remove(guest.name());
    } else {
      after.put(guest.name(), quota);
    }
    save(after);
    changed.keySet().retainAll(after.keySet());
    changed.putAll(after);
  }

  /**
   * A guest is destroyed: one that gets its name later shall not get its quota.
   *
   * @throws IOException when it is forgotten only until the next start
   */
  public void forget(String guest) throws IOException {
    reloaded.remove(guest);
    if (changed.remove(guest) != null) {
      save(changed);
    }
  }

  private void save(Map<String, Quota> quotas) throws IOException {
    StringBuilder text = new StringBuilder(HEADER);
    quotas.forEach((guest, quota) -> {
      text.append("\n[[guest]]\n");
      line(text, Schema.GUEST_NAME, guest);
      line(text, Schema.GUEST_VRAM_MIN, Quantities.formatSize(quota.minimumBytes()));
      if (quota.hasLimit()) {
        line(text, Schema.GUEST_VRAM_LIMIT, Quantities.formatSize(quota.limitBytes()));
      }
      line(text, Schema.GUEST_WEIGHT, Integer.toString(quota.weight()));
      line(text, Schema.GUEST_BEYOND_SHARE, quota.beyondShare().text());
      line(text, Schema.GUEST_KILL_TIMEOUT, Quantities.formatDuration(quota.killTimeout()));
    });
    StateFile.replace(file, text.toString());
  }

  /** Nothing that is written here needs an escape. */
  private static void line(StringBuilder text, Key<?> key, String value) {
    text.append(key.name()).append(" = \"").append(value).append("\"\n");
  }
}

package io.sluice.daemon.config;

import com.google.common.collect.ImmutableMap;
import io.sluice.management.Quantities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Remembers the quotas that were changed at run time, in {@code STATE-DIR/quotas.toml}: {@code
 * [[guest]]} tables with the name and the keys of a quota, all of them. They count instead of those
 * that the configuration, or the guest's creation, says.
 */
public final class ChangedQuotas {
  private static final String FILE = "quotas.toml";
  private static final String HEADER =
      "# Quotas changed at run time. sluiced writes this file; edit it only while it is stopped.\n";

  private final Path file;

  /**
   * @param stateDir the daemon's state directory
   */
  public ChangedQuotas(Path stateDir) {
    this.file = stateDir.resolve(FILE);
  }

  /** Where they are remembered. */
  public Path file() {
    return file;
  }

  /**
   * The quotas remembered, by the names of guests, which need not exist any more; none when there
   * is no file.
   *
   * @throws ConfigException when the file is wrong
   */
  public ImmutableMap<String, QuotaSettings> load() throws ConfigException {
    if (!Files.exists(file)) {
      return ImmutableMap.of();
    }
    Draft draft = new Draft();
    new TomlSource(file, draft).read();
    ImmutableMap<String, QuotaSettings> quotas = new Resolver(draft).changedQuotas();
    if (!draft.errors().isEmpty()) {
      throw new ConfigException(draft.errors());
    }
    return quotas;
  }

  /** Replaces what is remembered: all of it or, when this fails, nothing. */
  public void save(Map<String, QuotaSettings> quotas) throws IOException {
    StringBuilder text = new StringBuilder(HEADER);
    quotas.forEach((guest, quota) -> {
      text.append("\n[[guest]]\n");
      line(text, Schema.GUEST_NAME, guest);
      line(text, Schema.GUEST_VRAM_MIN, Quantities.formatSize(quota.minimumBytes()));
      if (quota.limitBytes() != 0) {
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

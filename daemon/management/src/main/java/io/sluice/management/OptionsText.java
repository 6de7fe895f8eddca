package io.sluice.management;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/**
 * The options of an operation as one text, {@code name=value,name=value}: what an operator types
 * into a JMX client that cannot make tables, or leave out numbers.
 */
final class OptionsText {
  private static final Set<String> OF_A_QUOTA =
      Set.of("vram-min", "vram-limit", "weight", "beyond-share", "kill-timeout");

  private OptionsText() {}

  /**
   * The values by their names, both without blanks around them.
   *
   * @throws OperationsException when a part has no name or no value
   */
  static Map<String, String> parse(String text) throws OperationsException {
    Map<String, String> options = new TreeMap<>();
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      String name = equals < 0 ? "" : part.substring(0, equals).strip();
      if (equals >= 0 && !name.isEmpty()) {
        options.put(name, part.substring(equals + 1).strip());
      } else if (!part.isBlank()) {
        throw Problem.of(
                ErrorCode.MIGRATION_OPTION,
                "\"" + part.strip() + "\" is not an option",
                "an option is NAME=VALUE; several are separated by commas",
                "write for example bandwidth=100MiB,downtime=300ms")
            .exception();
      }
    }
    return options;
  }

  /**
   * A change of a quota.
   *
   * @param cardBytes the limit that is none
   */
  static void changeQuota(DaemonMXBean daemon, String guest, String text, long cardBytes)
      throws OperationsException {
    Map<String, String> options = parse(text);
    for (String name : options.keySet()) {
      if (!OF_A_QUOTA.contains(name)) {
        throw wrong(guest, "there is no \"" + name + "\" of a quota");
      }
    }
    String limit = options.get("vram-limit");
    daemon.setQuota(
        guest,
        size(guest, options.get("vram-min")),
        number(guest, options.get("weight")),
        "none".equals(limit) ? Long.valueOf(cardBytes) : size(guest, limit),
        options.get("beyond-share"),
        milliseconds(guest, options.get("kill-timeout")));
  }

  private static @Nullable Long size(String guest, @Nullable String text)
      throws OperationsException {
    return text == null
        ? null
        : Quantities.parseSize(text)
            .orElseThrow(() -> wrong(guest, "\"" + text + "\" is not a size such as 512MiB"));
  }

  private static @Nullable Integer number(String guest, @Nullable String text)
      throws OperationsException {
    if (text == null) {
      return null;
    }
    if (!text.matches("[0-9]{1,9}")) {
      throw wrong(guest, "\"" + text + "\" is not a number");
    }
    return Integer.valueOf(text);
  }

  private static @Nullable Long milliseconds(String guest, @Nullable String text)
      throws OperationsException {
    return text == null
        ? null
        : Quantities.parseDuration(text)
            .map(Duration::toMillis)
            .orElseThrow(() -> wrong(guest, "\"" + text + "\" is not a duration such as 500ms"));
  }

  private static OperationsException wrong(String guest, String cause) {
    return Problem.of(
            ErrorCode.QUOTA_VALUE,
            "cannot change the quota of guest \"" + guest + "\"",
            cause,
            "write for example vram-min=64MiB,weight=3; see sluicectl quota set --help")
        .exception();
  }
}

package io.sluice.daemon.migration;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.Quantities;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSettings.DetachTime;
import io.sluice.migrate.engine.MigrationSettings.OnTimeout;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.memory.DirtyDetection;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/** The options of a migration as an operator gives them. */
final class MigrationOptions {
  /** Their names; {@link io.sluice.management.MigrationsMXBean#start} describes each. */
  static final Set<String> KNOWN =
      Set.of(
          "detach",
          "drain-timeout",
          "silence",
          "timeout",
          "on-timeout",
          "passes",
          "bandwidth",
          "downtime",
          "connections",
          "compress",
          "sessions",
          "sessions-at",
          "exact",
          "compared",
          "hashing",
          "sampling",
          "overlapped");

  private static final int MAX_PASSES = 100;

  private MigrationOptions() {}

  static MigrationSettings settings(Map<String, String> options) throws OperationsException {
    Set<String> unknown = new TreeSet<>(options.keySet());
    unknown.removeAll(KNOWN);
    if (!unknown.isEmpty()) {
      throw wrong("no option \"" + unknown.iterator().next() + "\"", String.join(", ", KNOWN));
    }
    MigrationSettings usual = MigrationSettings.DEFAULT;
    return new MigrationSettings(
        choice(options.get("detach"), usual.detach(), DetachTime.class),
        new DirtyDetection(
            flag(options.get("exact")),
            flag(options.get("compared")),
            flag(options.get("hashing")),
            flag(options.get("sampling")),
            flag(options.get("overlapped"))),
        (int) number(options.get("passes"), usual.livePasses(), MAX_PASSES),
        size(options.get("bandwidth")),
        duration(options.get("drain-timeout"), usual.drainTimeout()),
        duration(options.get("timeout"), usual.timeout()),
        choice(options.get("on-timeout"), usual.onTimeout(), OnTimeout.class),
        usual.peer().withHost(duration(options.get("silence"), usual.peer().host())),
        false);
  }

  /** What concerns the way to another host. */
  static HostRoute.LinkRequest linkRequest(Map<String, String> options, long bytesPerSecond)
      throws OperationsException {
    return new HostRoute.LinkRequest(
        bytesPerSecond,
        duration(options.get("downtime"), HostRoute.DEFAULT_DOWNTIME),
        (int)
            number(
                options.get("connections"),
                MigrationLanes.streams(),
                MigrationLink.MAX_DATA_STREAMS),
        compress(options.get("compress")),
        staying(options.get("sessions"), Optional.ofNullable(options.get("sessions-at"))));
  }

  private static Optional<HostRoute.StayingSessions> staying(
      @Nullable String text, Optional<String> at) throws OperationsException {
    if (at.isPresent() && HostRoute.address(at.get()).isEmpty()) {
      throw wrong("\"" + at.get() + "\" is no place of a daemon", "HOST:PORT");
    }
    return switch (text) {
      case null -> stayingAt(at);
      case "stay" -> Optional.of(new HostRoute.StayingSessions(at));
      case "move" -> {
        if (at.isPresent()) {
          throw wrong("sessions that move stay nowhere", "sessions=stay with sessions-at");
        }
        yield Optional.empty();
      }
      default -> throw wrong("\"" + text + "\" is nothing that sessions do", "move, stay");
    };
  }

  /** Whoever says where they stay has them stay. */
  private static Optional<HostRoute.StayingSessions> stayingAt(Optional<String> at) {
    return at.map(place -> new HostRoute.StayingSessions(Optional.of(place)));
  }

  private static Optional<Boolean> compress(@Nullable String text) throws OperationsException {
    if (text == null) {
      return Optional.empty();
    }
    return switch (text) {
      case "zstd" -> Optional.of(true);
      case "none" -> Optional.of(false);
      default -> throw wrong("\"" + text + "\" is no compression", "none, zstd");
    };
  }

  private static boolean flag(@Nullable String text) throws OperationsException {
    if (text == null || text.equals("on")) {
      return true;
    }
    if (text.equals("off")) {
      return false;
    }
    throw wrong("\"" + text + "\" is no switch", "on, off");
  }

  private static <E extends Enum<E>> E choice(@Nullable String text, E usual, Class<E> type)
      throws OperationsException {
    if (text == null) {
      return usual;
    }
    for (E one : type.getEnumConstants()) {
      if (one.name().toLowerCase(Locale.ROOT).equals(text)) {
        return one;
      }
    }
    throw wrong(
        "\"" + text + "\" is not to be chosen",
        Arrays.stream(type.getEnumConstants())
            .map(one -> one.name().toLowerCase(Locale.ROOT))
            .reduce((a, b) -> a + ", " + b)
            .orElse(""));
  }

  private static long number(@Nullable String text, long usual, long most)
      throws OperationsException {
    if (text == null) {
      return usual;
    }
    try {
      long value = Long.parseLong(text);
      if (value >= 1 && value <= most) {
        return value;
      }
    } catch (NumberFormatException _) {
      // Said below.
    }
    throw wrong("\"" + text + "\" is no such number", "1 to " + most);
  }

  private static long size(@Nullable String text) throws OperationsException {
    if (text == null) {
      return 0;
    }
    return Quantities.parseSize(text)
        .filter(bytes -> bytes > 0)
        .orElseThrow(() -> wrong("\"" + text + "\" is no size", "such as 100MiB, for each second"));
  }

  private static Duration duration(@Nullable String text, Duration usual)
      throws OperationsException {
    if (text == null) {
      return usual;
    }
    return Quantities.parseDuration(text)
        .filter(duration -> !duration.isNegative())
        .orElseThrow(() -> wrong("\"" + text + "\" is no duration", "such as 500ms, 10s"));
  }

  private static OperationsException wrong(String what, String choices) {
    return Problem.of(ErrorCode.MIGRATION_OPTION, what, "", "use one of: " + choices).exception();
  }
}

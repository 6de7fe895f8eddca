package io.sluice.sluicectl;

import io.sluice.management.GuestStatus;
import io.sluice.management.QuotaStatus;
import io.sluice.management.SessionStatus;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A guest between two looks at the daemon.
 *
 * @param guest how it stands
 * @param quota what it has
 * @param gpuPercent GPU time used, of the time between the looks
 * @param waitPercent time it had work and others had the GPU, of the same
 * @param sessions what it has of them
 */
record TopRow(
    GuestStatus guest,
    QuotaStatus quota,
    double gpuPercent,
    double waitPercent,
    SessionUse sessions) {
  private static final double PERCENT = 100;
  private static final long NS_PER_MS = 1_000_000;

  /** The columns that are no numbers. */
  private static final Set<String> WORDS = Set.of("guest", "gpu", "state");

  /** The columns that people read, and those with the same as numbers. */
  private static final Map<String, String> NUMBERS =
      Map.of(
          "memory", "held-bytes",
          "evicted", "evicted-bytes",
          "gpu-time", "gpu-percent",
          "waits", "wait-percent",
          "session-memory", "session-memory-bytes",
          "device-time", "device-percent");

  /** A guest of another host has the weight that guests have by default. */
  private static final int FOREIGN_WEIGHT = 1;

  /**
   * An answer of the daemon.
   *
   * @param guests by name
   * @param quotas by the guest's name
   * @param sessions of all guests, those of other hosts too
   * @param atNs when, in nanoseconds
   */
  record Look(
      Map<String, GuestStatus> guests,
      Map<String, QuotaStatus> quotas,
      List<SessionStatus> sessions,
      long atNs) {}

  /**
   * The sessions of a guest.
   *
   * @param number how many it has
   * @param memoryBytes memory of their objects
   * @param devicePercent time that devices worked for them, of the time between the looks
   */
  record SessionUse(int number, long memoryBytes, double devicePercent) {}

  /** A session by its guest and its number there. */
  private record SessionKey(String guest, long number) {
    static SessionKey of(SessionStatus session) {
      return new SessionKey(session.guest(), session.number());
    }
  }

  /** A row for each guest of the second look, the busiest first. */
  static List<TopRow> between(Look before, Look after) {
    return between(before, after, busiestFirst());
  }

  /** A row for each guest of the second look. */
  static List<TopRow> between(Look before, Look after, Comparator<TopRow> order) {
    long elapsedNs = after.atNs() - before.atNs();
    List<TopRow> rows = new ArrayList<>();
    for (GuestStatus guest : after.guests().values()) {
      QuotaStatus now = after.quotas().get(guest.name());
      if (now == null) {
        continue; // destroyed between two questions
      }
      QuotaStatus then = before.quotas().getOrDefault(guest.name(), now);
      rows.add(
          new TopRow(
              guest,
              now,
              percent(now.gpuNs() - then.gpuNs(), elapsedNs),
              percent(now.waitNs() - then.waitNs(), elapsedNs),
              use(guest.name(), before, after)));
    }
    for (String foreign : foreignGuests(after)) {
      rows.add(new TopRow(status(foreign), quota(foreign), 0, 0, use(foreign, before, after)));
    }
    rows.sort(order.thenComparing(row -> row.guest().name()));
    return rows;
  }

  /** The order in which those come first that use most of GPUs and devices. */
  static Comparator<TopRow> busiestFirst() {
    return Comparator.comparingDouble(TopRow::busyPercent).reversed();
  }

  /** The order by a column, the largest first; empty for what is no column of numbers. */
  static Optional<Comparator<TopRow>> largestFirst(String column) {
    return Views.TOP.columns().stream()
        .filter(_ -> orders().contains(column))
        .filter(each -> each.id().equals(NUMBERS.getOrDefault(column, column)))
        .findFirst()
        .map(each -> Comparator.comparingDouble((TopRow row) -> number(each, row)).reversed());
  }

  private static double number(Column<TopRow> column, TopRow row) {
    return ((Number) Objects.requireNonNull(column.raw()).apply(row)).doubleValue();
  }

  /** The columns of numbers, as they are in the table. */
  static List<String> orders() {
    return Views.TOP.ids(Format.table).stream().filter(id -> !WORDS.contains(id)).toList();
  }

  /** The line above rows: the time of day, and their sums. */
  static String summary(LocalTime now, List<TopRow> rows) {
    long attached = rows.stream().filter(row -> row.guest().hasClient()).count();
    long channels = rows.stream().mapToLong(row -> row.guest().channels()).sum();
    long held = rows.stream().mapToLong(row -> row.quota().heldBytes()).sum();
    long evicted = rows.stream().mapToLong(row -> row.quota().evictedBytes()).sum();
    Map<String, Double> busy = new HashMap<>();
    rows.forEach(row -> busy.merge(row.guest().gpu(), row.gpuPercent(), Double::sum));
    double most = busy.values().stream().mapToDouble(percent -> percent).max().orElse(0);
    String memory = held == 0 ? "0" : Views.amount(held);
    return String.format(
        Locale.ROOT,
        "%s  guests %d, %d attached  channels %d  memory %s%s  busiest gpu %.1f %%  q quits",
        now.truncatedTo(ChronoUnit.SECONDS),
        rows.size(),
        attached,
        channels,
        memory,
        evicted == 0 ? "" : ", " + Views.amount(evicted) + " evicted",
        most);
  }

  private double busyPercent() {
    return gpuPercent + sessions.devicePercent();
  }

  private static SessionUse use(String guest, Look before, Look after) {
    Map<SessionKey, Long> then = new HashMap<>();
    before.sessions().forEach(session -> then.put(SessionKey.of(session), session.deviceMs()));
    int number = 0;
    long memoryBytes = 0;
    long workedMs = 0;
    for (SessionStatus session : after.sessions()) {
      if (session.guest().equals(guest)) {
        number++;
        memoryBytes += session.memoryBytes();
        workedMs += worked(then.getOrDefault(SessionKey.of(session), 0L), session.deviceMs());
      }
    }
    double percent = percent(workedMs * NS_PER_MS, after.atNs() - before.atNs());
    return new SessionUse(number, memoryBytes, percent);
  }

  /** Between two looks. A session that is new, or came from elsewhere, counts from 0. */
  private static long worked(long thenMs, long nowMs) {
    return nowMs < thenMs ? nowMs : nowMs - thenMs;
  }

  /** Guests of other hosts, {@code HOST:GUEST}, have nothing here but sessions. */
  private static TreeSet<String> foreignGuests(Look look) {
    TreeSet<String> names = new TreeSet<>();
    for (SessionStatus session : look.sessions()) {
      if (session.guest().indexOf(':') > 0) {
        names.add(session.guest());
      }
    }
    return names;
  }

  private static GuestStatus status(String foreign) {
    return new GuestStatus(foreign, "", "", "", "", "", "", 0, -1, "", 0, 0, 0, 0);
  }

  private static QuotaStatus quota(String foreign) {
    return new QuotaStatus(
        foreign, "", 0, FOREIGN_WEIGHT, 0, "", 0, false, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  /** With one decimal; a guest that was destroyed and made anew has less than before: 0. */
  private static double percent(long ns, long elapsedNs) {
    return elapsedNs <= 0 || ns <= 0 ? 0 : Math.round(PERCENT * 10 * ns / elapsedNs) / 10.0;
  }
}

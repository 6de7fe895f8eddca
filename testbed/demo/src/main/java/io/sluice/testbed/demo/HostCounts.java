package io.sluice.testbed.demo;

import io.sluice.management.GuestCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Counts of what the host had to do for a guest while it worked, by the daemon's counters. */
final class HostCounts {
  /** How often a program in a machine that waits has the module look whether the host is there. */
  private static final long LOOK_NS = 5_000_000_000L;

  /** By which message it does. */
  private static final String LOOK = "region_read";

  private final Report report;
  private final List<String> done = new ArrayList<>();
  private long messages;
  private long calls;

  HostCounts(Report report) {
    this.report = report;
  }

  /**
   * Has some work submitted, and says what the host did meanwhile, which must be nothing.
   *
   * @param counters the daemon's
   * @param recorded messages that a recorder between guest and daemon has seen, if there is one
   */
  void count(GuestWork work, Supplier<GuestCounters> counters, Optional<LongSupplier> recorded)
      throws Exception {
    GuestCounters before = counters.get();
    long recordedBefore = recorded.map(LongSupplier::getAsLong).orElse(0L);
    long beganNs = report.nowNs();
    work.submit();
    long mostLooks = work.machinePrograms() * ((report.nowNs() - beganNs) / LOOK_NS);
    GuestCounters after = counters.get();
    long recordedAfter = recorded.map(LongSupplier::getAsLong).orElse(0L);
    Map<String, Long> kinds = kinds(before, after);
    long looks = Math.min(mostLooks, kinds.getOrDefault(LOOK, 0L));
    long newMessages = after.messages() - before.messages() - looks;
    long newCalls = after.hypercalls() - before.hypercalls();
    report.check(
        newMessages == 0 && newCalls == 0,
        "%s to the host while %s",
        both(newMessages, newCalls),
        work.done());
    report.say(
        "(sluiced has counted %s before, %s after)",
        both(before.messages(), before.hypercalls()), both(after.messages(), after.hypercalls()));
    if (newMessages != 0) {
      report.say("(the messages were %s)", text(kinds));
    }
    if (looks > 0) {
      report.say(
          "(and %s whether the host is there: who waits looks each 5 s)",
          PlainUnits.count(looks, "look"));
    }
    if (recorded.isPresent()) {
      report.check(
          recordedAfter == recordedBefore + looks,
          "the recorder on the socket has seen %s before, %d after",
          PlainUnits.count(recordedBefore, "message"),
          recordedAfter);
    }
    messages += newMessages;
    calls += newCalls;
    done.add(work.done());
  }

  /**
   * Says what all the work cost the host, and what the rest did.
   *
   * @param total the counters when the guest has ended
   */
  void conclude(GuestCounters total) {
    int programs = done.size() - 1;
    report.headline(
        "%s to the host while %s%s.",
        both(messages, calls),
        done.getFirst(),
        programs > 0 ? " and " + PlainUnits.count(programs, "program") + " computed" : "");
    report.say(
        "Everything else, from set-up to tear-down, took %s.",
        both(total.messages() - messages, total.hypercalls() - calls));
  }

  /** How many messages of each kind came meanwhile. */
  private static Map<String, Long> kinds(GuestCounters before, GuestCounters after) {
    Map<String, Long> more = new TreeMap<>(after.messagesByCommand());
    before.messagesByCommand().forEach((kind, count) -> more.merge(kind, -count, Long::sum));
    return more;
  }

  /** {@code region_write 2, set_irqs 1}. */
  private static String text(Map<String, Long> kinds) {
    return kinds.entrySet().stream()
        .filter(kind -> kind.getValue() != 0)
        .map(kind -> kind.getKey() + " " + kind.getValue())
        .collect(Collectors.joining(", "));
  }

  private static String both(long messages, long calls) {
    return PlainUnits.count(messages, "message") + " and " + PlainUnits.count(calls, "call");
  }
}

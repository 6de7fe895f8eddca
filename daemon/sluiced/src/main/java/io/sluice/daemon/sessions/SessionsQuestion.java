package io.sluice.daemon.sessions;

import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.Order.ListSessions;
import io.sluice.remoting.control.SessionReport;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The question for their sessions, put to several session hosts at once: all of them together may
 * take as long as one. A host that does not answer is ended; a list for an operator does not wait
 * for that.
 */
final class SessionsQuestion {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** How long a list waits for all hosts. */
  static final Duration LIST_PATIENCE = Duration.ofSeconds(1);

  /** The tie of a session whose host does not answer just now. */
  static final String SILENT = "silent";

  private final Map<String, Asked> asked = new LinkedHashMap<>();
  private final LongSupplier nanoTime;
  private final long askedNs;

  private record Asked(ServingHost host, CompletableFuture<HostMessage> answer) {}

  /** The hearer of what hosts have. */
  @FunctionalInterface
  interface ReportConsumer {
    /**
     * @param name of the host, as it was asked
     */
    void accept(String name, ServingHost host, SessionReport report);
  }

  /** Asks hosts, by their names. */
  SessionsQuestion(Map<String, ServingHost> hosts, LongSupplier nanoTime) {
    this(hosts, nanoTime, nanoTime.getAsLong(), host -> host.tell(ListSessions::new));
  }

  private SessionsQuestion(
      Map<String, ServingHost> hosts,
      LongSupplier nanoTime,
      long sinceNs,
      Function<ServingHost, CompletableFuture<HostMessage>> way) {
    this.nanoTime = nanoTime;
    askedNs = sinceNs;
    hosts.forEach((name, host) -> asked.put(name, new Asked(host, way.apply(host))));
  }

  /**
   * Asks hosts for a list; one that has not answered the last list is not asked again.
   *
   * @param sinceNs when the list was asked for
   */
  static SessionsQuestion ofList(
      Map<String, ServingHost> hosts, LongSupplier nanoTime, long sinceNs) {
    return new SessionsQuestion(hosts, nanoTime, sinceNs, ServingHost::askToList);
  }

  /**
   * What there is within {@link #LIST_PATIENCE}: of a host that has not answered by then what it
   * said last, marked so.
   */
  void forEachKnown(ReportConsumer consumer) {
    asked.forEach((name, each) -> {
      Duration left = LIST_PATIENCE.minusNanos(nanoTime.getAsLong() - askedNs);
      if (Patience.await(each.answer(), left)) {
        each.host().listed().forEach(report -> consumer.accept(name, each.host(), report));
      } else {
        each.host().missed(LIST_PATIENCE);
        each.host().listed().forEach(report -> consumer.accept(name, each.host(), silent(report)));
      }
    });
  }

  private static SessionReport silent(SessionReport known) {
    Map<String, String> ties = new TreeMap<>(known.ties());
    ties.put(SILENT, "its session host does not answer; this is as it was when it did");
    return new SessionReport(
        known.number(),
        known.pid(),
        known.uid(),
        known.api(),
        known.device(),
        known.objects(),
        known.memoryBytes(),
        known.calls(),
        known.deviceNs(),
        known.sinceMs(),
        ties);
  }

  /** Waits for the answers, in the order in which the hosts were given. */
  void forEachReport(ReportConsumer consumer) {
    asked.forEach((name, each) -> {
      Duration left = PATIENCE.minusNanos(nanoTime.getAsLong() - askedNs);
      if (each.host().await(each.answer(), left).orElse(null) instanceof Sessions answer) {
        answer.sessions().forEach(report -> consumer.accept(name, each.host(), report));
      }
    });
  }
}

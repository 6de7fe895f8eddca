package io.sluice.daemon.sessions;

import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.Order.ListSessions;
import io.sluice.remoting.control.SessionReport;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * The question for their sessions, put to several session hosts at once: all of them together may
 * take as long as one. A host that does not answer is ended.
 */
final class SessionsQuestion {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

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
    this.nanoTime = nanoTime;
    askedNs = nanoTime.getAsLong();
    hosts.forEach((name, host) -> asked.put(name, new Asked(host, host.tell(ListSessions::new))));
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

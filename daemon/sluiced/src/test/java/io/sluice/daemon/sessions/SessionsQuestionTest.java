package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.control.ControlCodec;
import io.sluice.remoting.control.ControlLink;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.Order.ListSessions;
import io.sluice.remoting.control.SessionReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Session hosts that are asked for their sessions, some of which do not answer. */
@Timeout(120)
final class SessionsQuestionTest {
  private static final Duration LINK_PATIENCE = Duration.ofSeconds(60);

  private final Kernel kernel = RealKernel.create();
  private final AtomicLong now = new AtomicLong();
  private final List<ControlLink> others = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Map<String, ServingHost> hosts = new LinkedHashMap<>();

  /** A host, of which there is the other end of its link. */
  private ControlLink host(String name) {
    List<Fd> pair = kernel.socketpair();
    HostLink link = HostLink.of(kernel, pair.get(0), System::nanoTime, UnaryOperator.identity());
    ControlLink other = new ControlLink(kernel, pair.get(1), LINK_PATIENCE);
    Thread thread = new Thread(() -> link.run(new DeafListener()));
    thread.start();
    threads.add(thread);
    others.add(other);
    hosts.put(name, new ServingHost(name, link, now::get));
    return other;
  }

  @AfterEach
  void stop() throws InterruptedException {
    others.forEach(ControlLink::close);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void answer(ControlLink link) throws Exception {
    Order order = ControlCodec.readOrder(link.receive().orElseThrow());
    assertThat(order).isInstanceOf(ListSessions.class);
    link.send(ControlCodec.write(new Sessions(((ListSessions) order).id(), List.of())), List.of());
  }

  @Test
  void hosts_areAllAskedBeforeOneIsWaitedFor() throws Exception {
    ControlLink first = host("first");
    ControlLink second = host("second");
    SessionsQuestion question = new SessionsQuestion(hosts, now::get);
    answer(second);
    answer(first);

    question.forEachReport((_, _, _) -> {});

    assertThat(hosts.values())
        .allSatisfy(host -> assertThat(host.tell(ListSessions::new)).isNotDone());
  }

  private static void answer(ControlLink link, SessionReport report) throws Exception {
    Order order = ControlCodec.readOrder(link.receive().orElseThrow());
    Sessions sessions = new Sessions(((ListSessions) order).id(), List.of(report));
    link.send(ControlCodec.write(sessions), List.of());
  }

  private List<String> known(SessionsQuestion question) {
    List<String> found = new ArrayList<>();
    question.forEachKnown((name, _, report) ->
        found.add(name + " " + report.number() + " " + report.ties().keySet()));
    return found;
  }

  private ServingHost asked(String name) {
    return Objects.requireNonNull(hosts.get(name));
  }

  private SessionsQuestion list() {
    return SessionsQuestion.ofList(hosts, now::get, now.get());
  }

  /** A host that is silent keeps nobody from seeing the others', and its own as they were. */
  @Test
  void list_hostDoesNotAnswer_isAsItWasAndMarked() throws Exception {
    ControlLink silent = host("silent");
    ControlLink other = host("other");
    SessionsQuestion first = list();
    answer(silent, report(1));
    answer(other, report(2));
    assertThat(known(first)).containsExactly("silent 1 []", "other 2 []");

    SessionsQuestion second = list();
    CompletableFuture<?> asked = asked("other").askToList();
    answer(other, report(3));
    Object _ = asked.get();
    now.addAndGet(SessionsQuestion.LIST_PATIENCE.toNanos());
    assertThat(known(second)).containsExactly("silent 1 [silent]", "other 3 []");
    assertThat(asked("silent").isSilent()).isTrue();
    assertThat(asked("other").isSilent()).isFalse();
    assertThat(asked("silent").askToList()).as("nor is it ended").isNotDone();

    CompletableFuture<?> late = asked("silent").askToList();
    answer(silent, report(4));
    Object _ = late.get();
    assertThat(asked("silent").isSilent()).isFalse();
  }

  @Test
  void list_againAndAgain_asksASilentHostOnceAndEndsItInTheEnd() throws Exception {
    ControlLink silent = host("silent");
    for (int i = 0; i < 10; i++) {
      SessionsQuestion question = list();
      now.addAndGet(SessionsQuestion.LIST_PATIENCE.toNanos());
      assertThat(known(question)).isEmpty();
    }
    assertThat(silent.receive()).as("what was asked").isPresent();
    assertThat(silent.receive()).as("it is ended").isEmpty();
  }

  @Test
  void lists_manyAtOnce_waitForASilentHostAsOne() {
    ControlLink _ = host("silent");
    List<SessionsQuestion> questions = Stream.generate(this::list).limit(20).toList();
    now.addAndGet(SessionsQuestion.LIST_PATIENCE.toNanos());
    assertThat(questions).allSatisfy(question -> assertThat(known(question)).isEmpty());
    assertThat(asked("silent").isSilent()).isTrue();
    assertThat(asked("silent").askToList()).as("it is not ended").isNotDone();
  }

  private static SessionReport report(long number) {
    return new SessionReport(number, 1, 0, "opencl", "", Map.of(), 0, 0, 0, 0, Map.of());
  }

  @Test
  void hosts_thatDoNotAnswer_areEndedWhenTheTimeOfAllIsOver() throws Exception {
    ControlLink silent = host("silent");
    ControlLink other = host("other");
    SessionsQuestion question = new SessionsQuestion(hosts, now::get);
    now.set(Duration.ofSeconds(11).toNanos());

    question.forEachReport((_, _, _) -> {});

    for (ControlLink link : List.of(silent, other)) {
      assertThat(link.receive()).as("what was asked").isPresent();
      assertThat(link.receive()).as("it is ended").isEmpty();
    }
  }
}

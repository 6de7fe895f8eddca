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
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
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

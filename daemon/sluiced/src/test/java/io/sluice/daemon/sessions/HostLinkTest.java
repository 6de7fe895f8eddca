package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.control.ControlCodec;
import io.sluice.remoting.control.ControlLink;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Moving;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.HostMessage.Serving;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.HostMessage.Turns;
import io.sluice.remoting.control.Order.ListSessions;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.remoting.control.SessionReport;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The daemon's end of a link whose other end is a host that lies, or says too much. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostLinkTest {
  private static final Serving SERVING = new Serving("seccomp", List.of("a"), List.of("gpu"));

  private final Kernel kernel = RealKernel.create();
  private final List<Fd> pair = kernel.socketpair();
  private final ControlLink host = new ControlLink(kernel, pair.get(1));
  private final LinkPace pace = new LinkPace(() -> this.nowNs, this::park);
  private final HostLink link =
      new HostLink(new ControlLink(kernel, pair.get(0), Duration.ofSeconds(1), pace::read), pace);
  private final Heard heard = new Heard();
  private long nowNs; // of the thread that hears
  private long parkedNs;

  private void park(long ns) {
    nowNs += ns;
    parkedNs += ns;
  }

  /** What was heard. */
  private static final class Heard implements HostLink.Listener {
    int serving;
    int turns;

    @Override
    public void onServing(Serving said) {
      serving++;
    }

    @Override
    public void onOpened(Opened opened) {}

    @Override
    public void onEnded(Ended ended) {}

    @Override
    public void onMoving(Moving moving) {}

    @Override
    public void onTurns() {
      turns++;
    }
  }

  @AfterEach
  void close() {
    link.close();
    host.close();
  }

  private void says(HostMessage message) {
    host.send(ControlCodec.write(message), List.of());
  }

  /** Says all of it on a thread of its own, and ends. */
  private Thread begin(Runnable all) {
    return Thread.ofPlatform()
        .start(() -> {
          all.run();
          host.end();
        });
  }

  @Test
  void run_servingTwice_breaksTheRules() {
    says(SERVING);
    says(SERVING);
    host.end();

    assertThat(link.run(heard)).contains("twice");
    assertThat(heard.serving).isEqualTo(1);
  }

  @Test
  void run_hostThatSaysAllItCan_isHeardAtItsPace() throws InterruptedException {
    int lines = 60_000;
    Thread saying =
        begin(() -> {
          for (int i = 0; i < lines; i++) {
            says(new Turns());
          }
        });

    assertThat(link.run(heard)).contains("ended");
    saying.join();
    assertThat(heard.turns).isEqualTo(lines);
    assertThat(parkedNs).isGreaterThan(lines * LinkPace.EACH_NS - LinkPace.AHEAD_NS);
  }

  @Test
  void run_lineOfAsManyReadsAsItHasBytes_isHeardAtItsPace() throws InterruptedException {
    LinkPace one = new LinkPace(() -> nowNs, this::park);
    int reads = (int) (2 * LinkPace.AHEAD_NS / LinkPace.EACH_NS);
    for (int i = 0; i < reads; i++) {
      one.read(1);
    }
    assertThat(parkedNs).isGreaterThanOrEqualTo(LinkPace.AHEAD_NS);
  }

  @Test
  void run_hostWithAllSessionsItMayHave_isNotMadeToWait() throws InterruptedException {
    SessionReport report =
        new SessionReport(
            7,
            4121,
            1000,
            "opencl",
            "x".repeat(100),
            Map.of("buffer", 3L),
            4096,
            12,
            7,
            99,
            Map.of());
    List<SessionReport> all = Collections.nCopies(SessionLimits.MAX_SESSIONS, report);
    CompletableFuture<HostMessage> answer = link.ask(ListSessions::new, List.of());
    Thread saying =
        begin(() -> {
          says(SERVING);
          for (int i = 0; i < 1000; i++) {
            says(new Turns());
          }
          says(new Sessions(1, all));
        });

    assertThat(link.run(heard)).contains("ended");
    saying.join();
    assertThat(answer).isCompletedWithValue(new Sessions(1, all));
    assertThat(parkedNs).isZero();
  }
}

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
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The daemon's end of a link whose other end is a host that lies. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostLinkTest {
  private static final Serving SERVING = new Serving("seccomp", List.of("a"), List.of("gpu"));

  private final Kernel kernel = RealKernel.create();
  private final List<Fd> pair = kernel.socketpair();
  private final ControlLink host = new ControlLink(kernel, pair.get(1));
  private final HostLink link =
      new HostLink(new ControlLink(kernel, pair.get(0), Duration.ofSeconds(1)));
  private final Heard heard = new Heard();

  /** What was heard. */
  private static final class Heard implements HostLink.Listener {
    int serving;

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
    public void onTurns() {}
  }

  @AfterEach
  void close() {
    host.close();
  }

  private void says(HostMessage message) {
    host.send(ControlCodec.write(message), List.of());
  }

  @Test
  void run_servingTwice_breaksTheRules() {
    says(SERVING);
    says(SERVING);
    host.end();

    assertThat(link.run(heard)).contains("twice");
    assertThat(heard.serving).isEqualTo(1);
  }
}

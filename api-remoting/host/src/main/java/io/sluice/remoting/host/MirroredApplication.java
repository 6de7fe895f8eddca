package io.sluice.remoting.host;

import io.sluice.remoting.relay.Mirror;
import io.sluice.remoting.session.ServedSession;
import org.jspecify.annotations.Nullable;

/** An application on another machine: the far end of its session. */
final class MirroredApplication implements Application {
  private final Mirror mirror;
  private final String devices;
  private final EndableService service;

  /**
   * @param mirror owned, and told to go on
   * @param devices names of those that sessions have
   */
  MirroredApplication(Mirror mirror, String devices) {
    this.mirror = mirror;
    service = new EndableService(mirror.linked(), mirror::serve, mirror::end, mirror::close);
    this.devices = devices;
  }

  /** None that is moved from here: its own machine calls it back. */
  @Override
  public @Nullable ServedSession session() {
    return null;
  }

  @Override
  public String serve() {
    return service.serve();
  }

  @Override
  public void end() {
    service.end();
  }

  @Override
  public SessionContent content() {
    ServedSession session = mirror.linked();
    return SessionContent.of(session.api(), session.session(), devices);
  }
}

package io.sluice.remoting.host;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.remoting.relay.Mirror;
import io.sluice.remoting.session.ServedSession;
import org.jspecify.annotations.Nullable;

/** An application on another machine: the far end of its session. */
final class MirroredApplication implements Application {
  private final Mirror mirror;
  private final String devices;
  private final Object closing = new Object();
  private volatile boolean asked;

  @GuardedBy("closing")
  private boolean closed;

  /**
   * @param mirror owned, and told to go on
   * @param devices names of those that sessions have
   */
  MirroredApplication(Mirror mirror, String devices) {
    this.mirror = mirror;
    this.devices = devices;
  }

  /** None that is moved from here: its own machine calls it back. */
  @Override
  public @Nullable ServedSession session() {
    return null;
  }

  @Override
  public String serve() {
    try {
      mirror.serve();
    } finally {
      synchronized (closing) {
        closed = true;
        mirror.close();
      }
    }
    if (mirror.linked().session().hasDeparted()) {
      return LinkedApplication.MOVED;
    }
    return asked ? "an operator ended it" : "its application left";
  }

  @Override
  public void end() {
    asked = true;
    synchronized (closing) {
      if (!closed) {
        mirror.end();
      }
    }
  }

  @Override
  public SessionContent content() {
    ServedSession session = mirror.linked();
    return SessionContent.of(session.api(), session.session(), devices);
  }
}

package io.sluice.remoting.host;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.remoting.session.ServedSession;

/** The service of an application whose session came to be elsewhere; an operator may end it. */
final class EndableService {
  private final ServedSession session;
  private final Runnable serving;
  private final Runnable closing;
  private final Object lock = new Object();
  private volatile boolean asked;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * @param session that is served
   * @param serving serves it until it ends, or is another host's
   * @param closing closes it after that
   */
  EndableService(ServedSession session, Runnable serving, Runnable closing) {
    this.session = session;
    this.serving = serving;
    this.closing = closing;
  }

  /** Serves it to its end, and says why that came. */
  String serve() {
    try {
      serving.run();
    } finally {
      synchronized (lock) {
        closed = true;
        closing.run();
      }
    }
    if (session.session().hasDeparted()) {
      return LinkedApplication.MOVED;
    }
    return asked ? "an operator ended it" : "its application left";
  }

  /** Ends it, if it is still served here. */
  void end() {
    asked = true;
    synchronized (lock) {
      if (!closed && !session.session().hasDeparted()) {
        session.end();
      }
    }
  }
}

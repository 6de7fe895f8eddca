package io.sluice.remoting.host;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.remoting.session.ServedSession;

/** The service of a session that did not begin here, or lives elsewhere; an operator may end it. */
final class EndableService {
  /** Why it ended, unless there was another reason. */
  static final String LEFT = "its application left";

  private final ServedSession session;
  private final Runnable serving;
  private final Runnable ending;
  private final Runnable closing;
  private final Object lock = new Object();
  private volatile boolean asked;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * @param session that is served
   * @param serving serves it until it ends, or is another host's
   * @param ending has that return soon
   * @param closing closes it after that
   */
  EndableService(ServedSession session, Runnable serving, Runnable ending, Runnable closing) {
    this.session = session;
    this.serving = serving;
    this.ending = ending;
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
    return asked ? "an operator ended it" : LEFT;
  }

  /** Ends it, if it is still served here. */
  void end() {
    asked = true;
    synchronized (lock) {
      if (!closed && !session.session().hasDeparted()) {
        ending.run();
      }
    }
  }
}

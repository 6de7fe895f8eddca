package io.sluice.remoting.host;

import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.session.ServedSession;

/** An application whose session has come from another host. */
final class ArrivedApplication implements Application {
  private final Arrival arrival;
  private final String devices;
  private final Object closing = new Object();
  private volatile boolean asked;
  private boolean closed; // by closing

  /**
   * @param arrival owned, and told to go on
   */
  ArrivedApplication(Arrival arrival, String devices) {
    this.arrival = arrival;
    this.devices = devices;
  }

  @Override
  public ServedSession session() {
    return arrival.session();
  }

  @Override
  public String serve() {
    try {
      arrival.serve();
    } finally {
      synchronized (closing) {
        closed = true;
        arrival.close();
      }
    }
    if (session().session().hasDeparted()) {
      return LinkedApplication.MOVED;
    }
    return asked ? "an operator ended it" : "its application left";
  }

  @Override
  public void end() {
    asked = true;
    synchronized (closing) {
      if (!closed && !session().session().hasDeparted()) {
        session().end();
      }
    }
  }

  @Override
  public SessionContent content() {
    return SessionContent.of(session().api(), session().session(), devices);
  }
}

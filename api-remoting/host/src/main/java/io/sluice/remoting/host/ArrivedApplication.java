package io.sluice.remoting.host;

import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.session.LinkedSession;

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

  LinkedSession session() {
    return arrival.linked();
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
    if (arrival.linked().session().hasDeparted()) {
      return LinkedApplication.MOVED;
    }
    return asked ? "an operator ended it" : "its application left";
  }

  @Override
  public void end() {
    asked = true;
    synchronized (closing) {
      if (!closed && !arrival.linked().session().hasDeparted()) {
        arrival.endConnection();
      }
    }
  }

  @Override
  public SessionContent content() {
    LinkedSession linked = arrival.linked();
    return SessionContent.of(linked.api(), linked.session(), devices);
  }
}

package io.sluice.remoting.host;

import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.session.ServedSession;

/** An application whose session has come from another host. */
final class ArrivedApplication implements Application {
  private final Arrival arrival;
  private final String devices;
  private final EndableService service;

  /**
   * @param arrival owned, and told to go on
   */
  ArrivedApplication(Arrival arrival, String devices) {
    this.arrival = arrival;
    service =
        new EndableService(
            arrival.session(), arrival::serve, arrival.session()::end, arrival::close);
    this.devices = devices;
  }

  @Override
  public ServedSession session() {
    return arrival.session();
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
    return SessionContent.of(session().api(), session().session(), devices);
  }
}

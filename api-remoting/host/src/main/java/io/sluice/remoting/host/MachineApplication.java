package io.sluice.remoting.host;

import io.sluice.remoting.session.MachineSession;

/** An application in the guest's machine. */
final class MachineApplication implements Application {
  private final MachineSession session;
  private final String devices;
  private volatile boolean asked;

  /**
   * @param session owned
   */
  MachineApplication(MachineSession session, String devices) {
    this.session = session;
    this.devices = devices;
  }

  @Override
  public String serve() {
    try (session) {
      session.serve(() -> {});
    }
    if (session.session().hasDeparted()) {
      return LinkedApplication.MOVED;
    }
    return asked ? "it was asked to end" : "its application broke the protocol";
  }

  @Override
  public void end() {
    asked = true;
    session.end();
  }

  @Override
  public MachineSession session() {
    return session;
  }

  @Override
  public SessionContent content() {
    return SessionContent.of(session.api(), session.session(), devices);
  }
}

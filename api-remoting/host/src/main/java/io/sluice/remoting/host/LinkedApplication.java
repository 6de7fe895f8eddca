package io.sluice.remoting.host;

import io.sluice.abi.sys.Fd;
import io.sluice.remoting.session.RemotedApi;
import io.sluice.remoting.session.Session;
import io.sluice.remoting.session.SessionLink;
import io.sluice.remoting.session.SessionSettings;
import org.jspecify.annotations.Nullable;

/** An application that speaks the session link. */
final class LinkedApplication implements Application {
  /** A session and what it speaks, once the application has said. */
  private record Opened(RemotedApi api, Session session) {}

  private final SessionSettings settings;
  private final String devices;
  private final long number;
  private final Fd connection;
  private final Object closing = new Object();
  private volatile @Nullable Opened opened;
  private volatile boolean asked;

  LinkedApplication(SessionSettings settings, String devices, long number, Fd connection) {
    this.settings = settings;
    this.devices = devices;
    this.number = number;
    this.connection = connection;
  }

  @Override
  public String serve() {
    try {
      new SessionLink(settings, number)
          .serve(connection, (api, session) -> opened = new Opened(api, session));
    } finally {
      synchronized (closing) {
        connection.close();
      }
    }
    if (asked) {
      return "an operator ended it";
    }
    return opened == null ? "it was refused" : "its application left";
  }

  @Override
  public void end() {
    asked = true;
    synchronized (closing) {
      if (connection.isOpen()) {
        settings.kernel().shutdown(connection);
      }
    }
  }

  @Override
  public SessionContent content() {
    Opened now = opened;
    return now == null ? SessionContent.NONE : SessionContent.of(now.api(), now.session(), devices);
  }
}

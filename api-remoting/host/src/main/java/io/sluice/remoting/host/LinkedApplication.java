package io.sluice.remoting.host;

import io.sluice.abi.sys.Fd;
import io.sluice.remoting.session.LinkedSession;
import io.sluice.remoting.session.SessionLink;
import io.sluice.remoting.session.SessionSettings;
import org.jspecify.annotations.Nullable;

/** An application that speaks the session link. */
final class LinkedApplication implements Application {
  /** Why it is not served here any more: it is elsewhere. */
  static final String MOVED = "it moved";

  private final SessionSettings settings;
  private final String devices;
  private final long number;
  private final Fd connection;
  private final Object closing = new Object();
  private volatile @Nullable LinkedSession opened; // once the application has said what it speaks
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
      new SessionLink(settings, number).serve(connection, session -> opened = session);
    } finally {
      synchronized (closing) {
        connection.close();
      }
    }
    LinkedSession session = opened;
    if (session != null && session.session().hasDeparted()) {
      return MOVED;
    }
    if (asked) {
      return "an operator ended it";
    }
    return session == null ? "it was refused" : EndableService.LEFT;
  }

  @Override
  public @Nullable LinkedSession session() {
    return opened;
  }

  @Override
  public void end() {
    asked = true;
    synchronized (closing) {
      LinkedSession session = opened;
      boolean isElsewhere = session != null && session.session().hasDeparted();
      if (connection.isOpen() && !isElsewhere) {
        settings.kernel().shutdown(connection);
      }
    }
  }

  @Override
  public SessionContent content() {
    LinkedSession now = opened;
    return now == null ? SessionContent.NONE : SessionContent.of(now.api(), now.session(), devices);
  }
}

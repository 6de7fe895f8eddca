package io.sluice.remoting.host;

import io.sluice.abi.sys.Fd;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.RemotedApi;
import io.sluice.remoting.session.Session;
import io.sluice.remoting.session.SessionLink;
import io.sluice.remoting.session.SessionSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    return now == null ? SessionContent.NONE : content(now);
  }

  private SessionContent content(Opened opened) {
    List<ObjectKind> kinds = opened.api().kinds();
    List<Integer> counts = opened.session().objectCounts();
    Map<String, Long> objects = new LinkedHashMap<>();
    for (int i = 0; i < kinds.size(); i++) {
      if (counts.get(i) > 0) {
        objects.put(kinds.get(i).name(), (long) counts.get(i));
      }
    }
    return new SessionContent(
        opened.api().name(),
        devices,
        objects,
        opened.session().chargedBytes(),
        opened.session().calls());
  }
}

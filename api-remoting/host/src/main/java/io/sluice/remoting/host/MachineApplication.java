package io.sluice.remoting.host;

import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.session.MachineSession;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateLink;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An application in the guest's machine, whose session may come with the machine. */
final class MachineApplication implements Application {
  /** Why it has ended before it was served: the machine's side says what becomes of it. */
  static final String NOT_COME = "it did not come";

  private final MachineSession session;
  private final @Nullable StateLink comes;
  private final String devices;
  private final CompletableFuture<Boolean> go = new CompletableFuture<>();
  private volatile boolean asked;

  /**
   * @param session owned
   * @param comes the stream by which it comes, owned; null when it begins here
   */
  MachineApplication(MachineSession session, @Nullable StateLink comes, String devices) {
    this.session = session;
    this.comes = comes;
    this.devices = devices;
  }

  @Override
  public String serve() {
    try (session) {
      if (comes == null) {
        session.serve(() -> {});
      } else if (!serveArrived(comes)) {
        return NOT_COME;
      }
    }
    if (session.session().hasDeparted()) {
      return LinkedApplication.MOVED;
    }
    return asked ? "it was asked to end" : "its application broke the protocol";
  }

  /** Whether it came to be served. */
  private boolean serveArrived(StateLink stream) {
    try (stream) {
      return comes(stream);
    } catch (StateException | RuntimeException refused) {
      System.err.println("session host: a session does not come: " + refused.getMessage());
      return false;
    }
  }

  private boolean comes(StateLink stream) throws StateException {
    boolean complete = false;
    String why = "it failed";
    try (Arrival arrival = Arrival.withMachine(stream, session)) {
      arrival.awaitComplete();
      complete = true;
      boolean served = go.join();
      stream.end();
      if (served) {
        arrival.serve();
      }
      return served;
    } catch (StateException | RuntimeException refused) {
      why = String.valueOf(refused.getMessage());
      throw refused;
    } finally {
      if (!complete) {
        ArrivalRefusal.tell(
            stream,
            why,
            session.settings().nanoTime()); // nothing reaches the machine's memory any more
      }
    }
  }

  /** The machine is here: serves it, or ends it if it has not come. */
  boolean goOn() {
    return go.complete(true);
  }

  @Override
  public void end() {
    asked = true;
    boolean _ = go.complete(false);
    if (comes != null) {
      comes.end();
    }
    session.end();
  }

  @Override
  public @Nullable MachineSession session() {
    boolean isServed = comes == null || go.getNow(false);
    return isServed ? session : null;
  }

  /** Where its memory is added, also before it is served. */
  MachineSession machine() {
    return session;
  }

  @Override
  public SessionContent content() {
    return SessionContent.of(session.api(), session.session(), devices);
  }
}

package io.sluice.remoting.park;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.CallReader;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.RemotedApi;
import io.sluice.remoting.session.SessionContext;
import java.util.List;

/** The API of a session that waits in a file: no call is taken from its ring. */
final class ParkedApi implements RemotedApi {
  private final RemotedApi api;

  ParkedApi(RemotedApi api) {
    this.api = api;
  }

  @Override
  public int number() {
    return api.number();
  }

  @Override
  public String name() {
    return api.name();
  }

  @Override
  public List<ObjectKind> kinds() {
    return api.kinds();
  }

  @Override
  public ApiSession open(SessionContext context) {
    return new Waiting();
  }

  /** It holds the ring back for as long as it is there. */
  private static final class Waiting implements ApiSession {
    @Override
    public boolean isHeldBack() {
      return true;
    }

    @Override
    public void execute(int number, CallReader in, Answer answer) {
      throw new IllegalStateException("a call of a session that waits, number=" + number);
    }

    @Override
    public int statusOfMissing(ObjectKind kind) {
      throw new IllegalStateException("a call of a session that waits");
    }

    @Override
    public int poll() {
      return 0;
    }

    @Override
    public boolean arm() {
      return true;
    }

    @Override
    public boolean isWaiting() {
      return false;
    }

    @Override
    public void close() {}
  }
}

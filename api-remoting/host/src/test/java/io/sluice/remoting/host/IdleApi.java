package io.sluice.remoting.host;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.CallReader;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.RemotedApi;
import io.sluice.remoting.session.SessionContext;
import java.util.List;

/** An API for tests, without a call. */
final class IdleApi implements RemotedApi {
  static final int NUMBER = 9;

  @Override
  public int number() {
    return NUMBER;
  }

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public List<ObjectKind> kinds() {
    return List.of();
  }

  @Override
  public ApiSession open(SessionContext context) {
    return new Idle();
  }

  private static final class Idle implements ApiSession {
    @Override
    public void execute(int number, CallReader in, Answer answer) {
      throw in.unknown(number);
    }

    @Override
    public int statusOfMissing(ObjectKind kind) {
      return 0;
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
    public void close() {
      // there is nothing
    }
  }
}

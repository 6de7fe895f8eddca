package io.sluice.remoting.session;

import io.sluice.remoting.session.ApiState.SettledEvent;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An API for tests of moves: what call 1 begins does not come to its end before call 2, as a
 * command does that a library keeps behind one which waits for the application.
 */
final class PairedCallsApi implements RemotedApi {
  static final int NUMBER = 9;
  static final int BEGIN = 1;
  static final int END = 2;

  /** It takes long. */
  static final int LONG = 3;

  private static final ObjectKind EVENT = new ObjectKind(1, "event", 1);

  private final Runnable onFinish;

  /**
   * @param onFinish is run by the session's thread each time that all is to come to its end
   */
  PairedCallsApi(Runnable onFinish) {
    this.onFinish = onFinish;
  }

  @Override
  public int number() {
    return NUMBER;
  }

  @Override
  public String name() {
    return "paired calls";
  }

  @Override
  public List<ObjectKind> kinds() {
    return List.of(EVENT);
  }

  @Override
  public ApiSession open(SessionContext context) {
    return new Paired();
  }

  private final class Paired implements ApiSession {
    private final List<Runnable> whenRun = new ArrayList<>();
    private boolean open;

    @Override
    public void execute(int number, CallReader in, Answer answer) {
      open = number == BEGIN;
      if (!open) {
        whenRun.forEach(Runnable::run);
        whenRun.clear();
      }
      in.end();
      answer.give(0);
    }

    @Override
    public boolean takesLong(int number) {
      return number == LONG;
    }

    @Override
    public int statusOfMissing(ObjectKind kind) {
      return -1;
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
    public Optional<ApiState> state() {
      return Optional.of(new State());
    }

    @Override
    public void close() {}

    private final class State implements ApiState {
      @Override
      public String implementation() {
        return "paired";
      }

      @Override
      public List<String> obstacles() {
        return List.of();
      }

      @Override
      public String statusName(int status) {
        return "status " + status;
      }

      @Override
      public ObjectKind events() {
        return EVENT;
      }

      @Override
      public String nameOf(SessionObject root) {
        throw none();
      }

      @Override
      public byte[] payloadOf(SessionObject object) {
        throw none();
      }

      @Override
      public List<CallRecord> changesOf(SessionObject object) {
        throw none();
      }

      @Override
      public List<SessionObject> madeWith(SessionObject object) {
        throw none();
      }

      @Override
      public boolean whenAllHaveRun(Runnable done) {
        if (open) {
          whenRun.add(done);
        } else {
          done.run();
        }
        return true;
      }

      @Override
      public void finish() {
        onFinish.run();
      }

      @Override
      public boolean isFinished() {
        return !open;
      }

      @Override
      public List<OpenCall> openCalls() {
        return List.of();
      }

      @Override
      public SettledEvent settled(SessionObject event) {
        throw none();
      }

      @Override
      public Map<SessionObject, Integer> failures() {
        return Map.of();
      }

      @Override
      public List<StorageMap> maps() {
        return List.of();
      }

      @Override
      public Set<SessionObject> takeTouched() {
        return new HashSet<>();
      }

      @Override
      public Set<SessionObject> withContents(Set<SessionObject> needed) {
        return new HashSet<>();
      }

      @Override
      public Contents contents() {
        return new NoContents();
      }

      @Override
      public String remake(int number, CallReader in, byte[] payload, String implementation) {
        throw none();
      }

      @Override
      public void change(int number, CallReader in, Answer answer) {
        throw none();
      }

      @Override
      public SessionObject addSettled(int index, SettledEvent event) {
        throw none();
      }

      @Override
      public void addFailure(SessionObject object, int status) {
        throw none();
      }

      @Override
      public void addMap(StorageMap map) {
        throw none();
      }

      @Override
      public void readStorage() {}

      @Override
      public void forget(SessionObject object) {
        throw none();
      }
    }
  }

  private static AssertionError none() {
    return new AssertionError("there are no objects");
  }

  private static final class NoContents implements Contents {
    @Override
    public void hold(SessionObject object) {
      throw none();
    }

    @Override
    public void drop(SessionObject object) {
      throw none();
    }

    @Override
    public long bytes(SessionObject object) {
      throw none();
    }

    @Override
    public int pieceBytes(SessionObject object) {
      throw none();
    }

    @Override
    public void read(SessionObject object, long position, MemorySegment into) {
      throw none();
    }

    @Override
    public void write(SessionObject object, long position, MemorySegment from) {
      throw none();
    }

    @Override
    public void await() {}

    @Override
    public void close() {}
  }
}

package io.sluice.remoting.session;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An API for tests: call 1 answers its number plus 1; 2 makes a thing; 3 releases one; 4 sums a
 * range's bytes; 5 tells a notice; 6 is answered by a worker; 7 throws; 8 is answered when the
 * session has been about to sleep four times, of which nothing wakes it.
 */
final class EchoApi implements RemotedApi {
  static final ObjectKind THING = new ObjectKind(1, "thing", 100);
  static final int NOT_THERE = -38;

  @Override
  public int number() {
    return 9;
  }

  @Override
  public String name() {
    return "echo";
  }

  @Override
  public List<ObjectKind> kinds() {
    return List.of(THING);
  }

  @Override
  public ApiSession open(SessionContext context) {
    return new Echo(context);
  }

  private static final class Echo implements ApiSession {
    private static final int SLEEPS = 4;

    private final SessionContext context;
    private @Nullable Answer late;
    private int sleeps;

    Echo(SessionContext context) {
      this.context = context;
    }

    @Override
    public void execute(int number, CallReader in, Answer answer) {
      switch (number) {
        case 1 -> {
          long value = in.readLong();
          in.end();
          answer.give(0, value + 1);
        }
        case 2 -> {
          int index = in.readNew(THING);
          long bytes = in.readLong();
          in.end();
          if (!context.charge(bytes)) {
            answer.give(-4);
            return;
          }
          SessionObject thing = context.objects().add(THING, index, index, in.record());
          context.chargeTo(thing, bytes);
          answer.give(0);
        }
        case 3 -> {
          SessionObject thing = in.readObject(THING);
          in.end();
          context.forget(context.objects().remove(THING, thing.index()));
          answer.give(0);
        }
        case 4 -> {
          MemorySegment range = in.readRange();
          in.end();
          long sum = 0;
          for (long i = 0; i < range.byteSize(); i++) {
            sum += range.get(ValueLayout.JAVA_BYTE, i);
          }
          answer.give(0, sum);
        }
        case 5 -> {
          context.notices().tell(Notices.EVENT, in.readInt(), in.readInt());
          in.end();
          answer.give(0);
        }
        case 6 -> {
          in.end();
          context.work(() -> () -> answer.give(6));
        }
        case 7 -> throw new IllegalStateException("as asked");
        case 8 -> {
          in.end();
          late = answer;
          sleeps = 0;
        }
        default -> throw in.unknown(number);
      }
    }

    @Override
    public boolean takesLong(int number) {
      return number == 6;
    }

    @Override
    public int statusOfMissing(ObjectKind kind) {
      return NOT_THERE;
    }

    @Override
    public int poll() {
      if (late == null || sleeps < SLEEPS) {
        return 0;
      }
      late.give(8);
      late = null;
      return 1;
    }

    @Override
    public boolean arm() {
      sleeps++;
      return true;
    }

    @Override
    public boolean isWaiting() {
      return late != null;
    }

    @Override
    public void close() {}
  }
}

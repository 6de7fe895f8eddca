package io.sluice.remoting.session;

import static io.sluice.remoting.session.RingLayout.HOST_SLEEPING;
import static io.sluice.remoting.session.RingLayout.STATE;
import static io.sluice.remoting.session.RingLayout.WORD;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.waking.LongLook;
import io.sluice.remoting.waking.LookPace;
import io.sluice.remoting.waking.Waker;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session: takes calls from its ring, has them executed, answers. One thread runs it; it looks at
 * the ring for {@link ApiSession#lookNs()} after the last work, then says so in the ring and sleeps
 * until the doorbell, something complete, or its end.
 */
public final class Session implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  private static final Semaphore LONG_LOOKS = LongLook.places();

  private static final long LOOK_NOTICES_NS = 1_000_000;

  /** Calls taken before completions are looked at. */
  private static final int BATCH = 32;

  private enum SessionLife {
    /** Its calls are taken here. */
    SERVED,
    /** It is to end. */
    ENDING,
    /** Another host reads the ring. */
    DEPARTED
  }

  private final Kernel kernel;
  private final LongSupplier nanoTime;
  private final MemorySegment ring;
  private final Fd doorbell;
  private final Fd wake;
  private final SessionSignals.Wakeup application;
  private final Waker waker;
  private final ObjectTable objects;
  private final SessionPort.CallSource submissions;
  private final SessionPort.Answers answers;
  private final Notices notices;
  private final CallReader reader;
  private final SessionContext context;
  private final RemotedApi api;
  private final SessionTasks tasks;
  private final LookPace looks = new LookPace();
  private final LongLook longLook = new LongLook(LONG_LOOKS);
  private volatile @Nullable ApiSession execution; // set by the session's thread, or before it
  private final CallIntake intake = new CallIntake();
  private final AtomicReference<SessionLife> life = new AtomicReference<>(SessionLife.SERVED);
  private volatile long calls;
  private volatile Errno ended = Errno.EPIPE;
  private final CompletableFuture<Void> over = new CompletableFuture<>();

  /**
   * @param memory with segment 0; stays the caller's, as do the descriptors
   * @param port how calls come and are answered
   */
  Session(
      SessionSettings settings,
      RemotedApi api,
      SharedMemory memory,
      SessionSignals signals,
      SessionPort port) {
    kernel = settings.kernel();
    nanoTime = settings.nanoTime();
    this.api = api;
    doorbell = signals.doorbell();
    wake = signals.wake();
    application = signals.application();
    waker = new Waker(kernel, wake);
    ring = memory.segment(0);
    objects = new ObjectTable(api.kinds());
    submissions = port.calls();
    answers = port.answers();
    notices = port.notices();
    reader = new CallReader(objects, memory);
    context = new SessionContext(objects, notices, memory, settings, waker);
    tasks = new SessionTasks(waker);
  }

  /** What executes its calls; opened when this is first asked. By the session's thread. */
  public ApiSession execution() {
    ApiSession now = execution;
    if (now == null) {
      now = api.open(context);
      execution = now;
    }
    return now;
  }

  /** Has something done by the session's thread between two calls. */
  public <T> CompletableFuture<T> ask(Callable<T> work) {
    return tasks.ask(work);
  }

  private CompletableFuture<Boolean> tell(Runnable word) {
    return tasks.ask(() -> {
      word.run();
      return true;
    });
  }

  /**
   * Takes no calls any more, and lets what was taken come to its end.
   *
   * @return done when it has, but for what waits for the application
   */
  public CompletableFuture<Boolean> pause() {
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    var _ =
        tell(() -> intake.pause(result))
            .exceptionally(failure -> result.completeExceptionally(failure));
    return result;
  }

  /**
   * Holds the calls that take long from the moment on in which none is under way. What comes behind
   * one waits, too.
   *
   * @return done when they are held, and none is under way
   */
  public CompletableFuture<Boolean> holdLongCalls() {
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    var _ =
        tell(() -> intake.holdLongCalls(result))
            .exceptionally(failure -> result.completeExceptionally(failure));
    return result;
  }

  /** Holds those that come from now on, though some are under way. */
  void holdNextLongCall() {
    var _ = tell(intake::holdNextLongCall);
  }

  /** Takes them again. */
  public void takeLongCalls() {
    var _ = tell(intake::takeLongCalls);
  }

  /** Takes calls again. */
  public void resume() {
    var _ = tell(intake::resume);
  }

  /**
   * Has another host go on, when this one is quiet. The word is given by the session's thread,
   * which touches nothing of the ring from then on; when it cannot be given, all stays as it was.
   */
  public CompletableFuture<Boolean> handOver(Callable<?> word) {
    return tasks.ask(() -> {
      Object _ = word.call();
      life.set(SessionLife.DEPARTED);
      return true;
    });
  }

  /** Done when nobody runs it any more, here. */
  CompletableFuture<Void> over() {
    return over;
  }

  /** Whether another host reads the ring. */
  public boolean hasDeparted() {
    return life.get() == SessionLife.DEPARTED;
  }

  /** By the session's thread, or before it has one. */
  public SessionContext context() {
    return context;
  }

  /** By the session's thread, or before it has one. */
  CallReader reader() {
    return reader;
  }

  /** By the session's thread, or before it has one. */
  public SessionPort.CallSource submissions() {
    return submissions;
  }

  /** By the session's thread, or before it has one. */
  public SessionPort.Answers answers() {
    return answers;
  }

  /** What it speaks. */
  RemotedApi api() {
    return api;
  }

  /** Counts the calls that other hosts took before. */
  public void goOn(long taken) {
    calls = taken;
  }

  /** Gives back all of a session that no thread has run. */
  public void discard() {
    try (ApiSession _ = execution()) {
      context.finishWorks();
    } finally {
      tasks.close();
      waker.close();
      context.releaseAll();
    }
  }

  /** Ends it soon; from any thread. */
  public void end() {
    life.compareAndSet(SessionLife.SERVED, SessionLife.ENDING);
    api.ending();
    waker.run();
  }

  /** Ends it soon with an error that is not its application's; from any thread. */
  public void end(Errno why) {
    ended = why;
    end();
  }

  /** Calls taken so far; from any thread. */
  public long calls() {
    return calls;
  }

  /** Why it has ended. */
  Errno ended() {
    return ended;
  }

  /** How many objects of each kind there are, in the order of the kinds; a look from any thread. */
  public List<Integer> objectCounts() {
    return objects.kinds().stream().map(objects::count).toList();
  }

  /** Time that devices have worked for it, nanoseconds; a look from any thread. */
  public long deviceNs() {
    ApiSession now = execution;
    return now == null ? 0 : now.deviceNs();
  }

  /** What may keep it from moving, by name: why; a look from any thread. */
  public Map<String, String> ties() {
    ApiSession now = execution;
    return now == null ? Map.of() : now.ties();
  }

  /** Bytes charged; a look from any thread. */
  public long chargedBytes() {
    return context.chargedBytes();
  }

  @Override
  public void run() {
    try (ApiSession executing = execution()) {
      serve(executing);
    } catch (ProtocolException breach) {
      ended = breach.errno();
      LOG.atWarn()
          .addKeyValue("api", api.name())
          .addKeyValue("errno", breach.errno())
          .log("session ends, its application broke the protocol: {}", breach.getMessage());
    } catch (RuntimeException | Error failure) {
      ended = Errno.EIO;
      LOG.atError()
          .setCause(failure)
          .addKeyValue("api", api.name())
          .log("session ends by a failure of the host");
    } finally {
      tasks.close();
      intake.cancel();
      waker.close();
      context.releaseAll();
      if (!hasDeparted()) {
        WORD.setRelease(ring, STATE, ended.number());
        application.wake(ring.asSlice(STATE, Integer.BYTES));
      }
      boolean _ = over.complete(null);
    }
  }

  private void serve(ApiSession executing) {
    try {
      serveCalls(executing);
    } finally {
      longLook.end();
      context.finishWorks();
    }
  }

  /** The sleep before a round of the session's thread, if there was one. */
  private enum Rest {
    /** Another round. */
    NONE,
    /** A sleep that was ended by the library or another thread. */
    WOKEN,
    /** A sleep that was ended by the application alone, or none since there was something to do. */
    RUNG,
    /** A sleep until it was time to look. */
    OVER
  }

  private void serveCalls(ApiSession executing) {
    long lastWork = nanoTime.getAsLong();
    Rest rest = Rest.NONE;
    while (life.get() == SessionLife.SERVED) {
      int work = takeCalls(executing);
      work += context.runResults();
      int completed = executing.poll();
      if (completed > 0 && (rest == Rest.WOKEN || rest == Rest.OVER)) {
        looks.completed(rest == Rest.WOKEN);
      }
      rest = Rest.NONE;
      work += completed;
      work += intake.takes() ? notices.write() : 0; // those that wait go with the session
      work += tasks.run();
      work += intake.poll(executing, context);
      if (work > 0) {
        longLook.end();
        lastWork = nanoTime.getAsLong();
      } else {
        long idleNs = nanoTime.getAsLong() - lastWork;
        if (looksOn(executing.lookNs(), idleNs)) {
          Thread.onSpinWait();
        } else {
          longLook.end();
          rest = sleep(executing, idleNs);
          lastWork = rest == Rest.OVER ? lastWork : nanoTime.getAsLong();
        }
      }
    }
  }

  private boolean looksOn(long lookNs, long idleNs) {
    return idleNs < Math.min(lookNs, ApiSession.LOOK_NS) || idleNs < lookNs && longLook.goesOn();
  }

  private int takeCalls(ApiSession executing) {
    int taken = 0;
    while (taken < BATCH && intake.takesNext(executing, submissions) && reader.next(submissions)) {
      taken++;
      Answer answer = answers.to(reader.answerSlot());
      try {
        executing.execute(reader.call(), reader, answer);
      } catch (NoSuchObjectException missing) {
        answer.give(executing.statusOfMissing(missing.kind()));
      }
    }
    if (taken > 0) {
      calls += taken;
    }
    return taken;
  }

  /**
   * Sleeps.
   *
   * @param idleNs since the last work
   */
  private Rest sleep(ApiSession executing, long idleNs) {
    Rest rest = Rest.RUNG;
    WORD.setVolatile(ring, HOST_SLEEPING, 1);
    boolean nothing = !intake.takesNext(executing, submissions) || submissions.isEmpty();
    if (nothing
        && !context.hasResults()
        && !tasks.areWaiting()
        && life.get() == SessionLife.SERVED
        && executing.arm()) {
      short[] events = {Kernel.POLLIN, Kernel.POLLIN};
      long timeoutNs = lookAgainNs(executing, idleNs);
      short[] ready = new short[2];
      int count = kernel.pollNs(List.of(wake, doorbell), events, ready, timeoutNs);
      rest = count == 0 ? Rest.OVER : ready[0] == 0 ? Rest.RUNG : Rest.WOKEN;
    }
    WORD.setVolatile(ring, HOST_SLEEPING, 0);
    long _ = kernel.drain(wake);
    drainDoorbell();
    return rest;
  }

  /** When to look again if nobody wakes us; negative for never. */
  private long lookAgainNs(ApiSession execution, long idleNs) {
    if (notices.areWaiting()) { // for room: the application does not say that it has made some
      return LOOK_NOTICES_NS;
    }
    return execution.isWaiting() ? looks.nextNs(idleNs) : -1;
  }

  /** The application's own descriptor: whatever reads as nothing now is no reason to end. */
  private void drainDoorbell() {
    long _ = kernel.drain(doorbell);
  }
}

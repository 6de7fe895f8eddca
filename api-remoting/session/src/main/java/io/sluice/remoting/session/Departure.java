package io.sluice.remoting.session;

import io.sluice.remoting.state.StateCodec;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.StateStage;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The move of a session away from this host: the stages of {@link StateStage}, on a thread of its
 * own. Until the other host is told to go on, the session goes on here whatever happens.
 */
public final class Departure implements Leaving {
  /** Rounds in which contents are sent while the application runs. */
  private static final int MOST_ROUNDS = 6;

  /** So little that it is sent when nothing runs any more. */
  private static final long LITTLE_BYTES = 4 << 20;

  /** How long the other host may build programs. */
  private static final int PREPARE_MS = 600_000;

  /** How long what was taken may run on at the last attempt, and the other host make ready. */
  private static final int STOP_MS = 20_000;

  /** How long what was taken may run on before the application is let go on once more. */
  private static final int SHORT_STOP_MS = 500;

  /** How often the session is stopped for a short time before it is for a long one. */
  private static final int SHORT_STOPS = 8;

  /** How long the application is let go on between two attempts, at most. */
  private static final int LET_GO_MS = 500;

  /**
   * How long is waited for calls that take long, before the session is stopped in spite of them.
   */
  private static final int LONG_CALLS_MS = 10_000;

  /** How long is waited for a moment without any, before those that come are held. */
  private static final int GAP_MS = 1_000;

  /** How long they are held for a machine that does not come to its stop. */
  private static final long MOST_HELD_NS = 60_000_000_000L;

  /** How long is waited for commands before contents are read that they may write. */
  private static final int RUN_MS = 5_000;

  private static final int LINK_MS = 2_000;

  /** How long contents may be behind those of a machine that is being copied. */
  private static final int ROUND_MS = 500;

  /** Ranges of pages that are told. */
  public static final int MOST_RANGES = 1024;

  private final ServedSession served;
  private final Session session;
  private final StateLink link;
  private final Consumer<StateStage> entered;
  private final Set<SessionObject> again = // to be looked at when nothing runs
      Collections.newSetFromMap(new IdentityHashMap<>());
  private volatile StateStage stage = StateStage.PREPARE;
  private final CompletableFuture<Void> approach = new CompletableFuture<>();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CompletableFuture<Void> halt = new CompletableFuture<>();
  private final CompletableFuture<Void> decided = new CompletableFuture<>();
  private volatile boolean givenUp;
  private long stoppedNs;
  private long waitedNs;
  private int rounds;
  private long roundBytes; // sent in the latest
  private Set<SessionObject> wanted = Set.of(); // in the next one

  /**
   * The figures of a move.
   *
   * @param rounds in which contents were sent while the application ran
   * @param sentBytes of the stream
   * @param stoppedNs for how long no messages were taken, here
   */
  public record Result(int rounds, long sentBytes, long stoppedNs) {}

  /**
   * A session that stands still, of a machine that is about to.
   *
   * @param pages of the machine's memory that this host may have written
   */
  public record HaltedSession(Result result, List<SharedMemory.SegmentRange> pages) {}

  /**
   * @param link to the other host; stays the caller's
   * @param entered is told each stage as it begins
   */
  public Departure(ServedSession served, StateLink link, Consumer<StateStage> entered) {
    this.served = served;
    this.link = link;
    this.entered = entered;
    session = served.session();
  }

  /** Gives up, unless the other host has been told to go on; from any thread. */
  @Override
  public void giveUp() {
    givenUp = true;
    boolean _ = decided.complete(null);
    if (stage.mayAbort()) {
      link.end();
    }
  }

  /**
   * Moves the session, or finds out whether it could be moved.
   *
   * @param checkOnly whether it stays in any case
   * @throws UnmovableException when it cannot be moved, because of what it has
   * @throws StateException when it was not moved for another reason; it goes on here either way
   */
  public Result run(boolean checkOnly) throws UnmovableException, StateException {
    boolean done = false;
    entered.accept(stage);
    try {
      done = move(false, checkOnly);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted, stage=" + stage);
    } finally {
      if (!done && stage.mayAbort()) {
        goOn();
      }
    }
    return new Result(rounds, link.sentBytes(), waitedNs);
  }

  private void goOn() {
    session.resume();
    session.takeLongCalls();
    served.release();
    boolean _ = ready.complete(null);
    enter(StateStage.ABORTED);
  }

  @Override
  public CompletableFuture<?> approach() {
    boolean _ = approach.complete(null);
    return ready;
  }

  @Override
  public void halt() {
    boolean _ = halt.complete(null);
  }

  @Override
  public void leave(Consumer<HaltedSession> halted) throws UnmovableException, StateException {
    entered.accept(stage);
    try {
      requireMachine();
      move(true, false);
      long waited = now() - stoppedNs;
      List<SharedMemory.SegmentRange> pages = ask(() -> served.memory().touchedPages(MOST_RANGES));
      halted.accept(new HaltedSession(new Result(rounds, link.sentBytes(), waited), pages));
      Object _ = CompletableFuture.anyOf(decided, session.over()).get();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted, stage=" + stage);
    } catch (ExecutionException e) {
      throw new StateException("the move failed: " + e.getCause());
    } finally {
      goOn();
    }
  }

  @Override
  public Result tryOut() throws UnmovableException, StateException {
    try {
      requireMachine();
      boolean _ = move(true, true);
      return new Result(rounds, link.sentBytes(), 0);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the trial was interrupted");
    }
  }

  private void requireMachine() throws StateException {
    if (served.place() != StateItem.ApplicationPlace.MACHINE) {
      throw new StateException("it is no session of a machine");
    }
  }

  private long now() {
    return served.settings().nanoTime().getAsLong();
  }

  private void enter(StateStage next) {
    if (!stage.mayBecome(next)) {
      throw new IllegalStateException("no such stage follows, from=" + stage + ", to=" + next);
    }
    stage = next;
    entered.accept(next);
  }

  /**
   * @param withMachine whether the machine moves, which decides when the other host goes on
   */
  private boolean move(boolean withMachine, boolean checkOnly)
      throws UnmovableException, StateException, InterruptedException {
    ApiState state = ask(() -> session.execution().state().orElse(null));
    if (state == null) {
      throw new UnmovableException(List.of("sessions of " + session.api().name()));
    }
    List<String> obstacles = ask(state::obstacles);
    if (!obstacles.isEmpty()) {
      throw new UnmovableException(obstacles);
    }
    StateCapture capture = new StateCapture(session, served.memory(), state, withMachine);
    String implementation = ask(state::implementation);
    link.write(
        new StateItem.Head(
            session.api().number(),
            withMachine ? StateItem.ApplicationPlace.MOVING_MACHINE : served.place(),
            implementation),
        withMachine ? List.of() : served.descriptors());
    prepare(capture);
    if (checkOnly) {
      return false; // and has changed nothing
    }
    Set<SessionObject> _ = ask(state::takeTouched); // all of it is sent now
    try (Arena arena = Arena.ofConfined();
        Contents contents = ask(state::contents)) {
      MemorySegment room = arena.allocate(StateCodec.CONTENT_BYTES, Long.BYTES);
      ContentSender sender = new ContentSender(session, link, contents, room);
      enter(StateStage.COPY);
      do {
        copyRound(capture, state, sender);
      } while (withMachine ? goesOn(approach) : goesOn());
      if (session.submissions().leavesCalls() && holdLongCalls()) {
        copyRound(capture, state, sender); // what they have led to, and was written meanwhile
      }
      long heldNs = now();
      boolean _ = ready.complete(null);
      while (withMachine && goesOn(halt)) {
        copyRound(capture, state, sender);
        if (now() - heldNs > MOST_HELD_NS) {
          session.takeLongCalls();
        }
      }
      again.addAll(wanted);
      enter(StateStage.STOP);
      stop(state, withMachine);
      enter(StateStage.FINISH);
      ask(() -> {
        // what keeps it may have come since
        List<String> late = state.obstacles();
        if (!late.isEmpty()) {
          throw new UnmovableException(late);
        }
        return true;
      });
      finish(capture, state, sender);
      if (!withMachine) {
        handOver();
      }
    }
    return true;
  }

  /** Has the other host make what it has not yet. */
  private void prepare(StateCapture capture)
      throws UnmovableException, StateException, InterruptedException {
    sendObjects(capture);
    link.write(new StateItem.Prepared());
    expectReady(PREPARE_MS);
  }

  private void sendObjects(StateCapture capture)
      throws UnmovableException, StateException, InterruptedException {
    for (StateCapture.Outgoing outgoing : ask(capture::objects)) {
      if (outgoing.files().isEmpty()) {
        link.write(outgoing.item());
      } else {
        link.write(outgoing.item(), outgoing.files());
      }
    }
  }

  /** Sends what has changed while the application runs. */
  private void copyRound(StateCapture capture, ApiState state, ContentSender sender)
      throws UnmovableException, StateException, InterruptedException {
    long before = link.sentBytes();
    Set<SessionObject> now = rounds == 0 ? ask(() -> state.withContents(capture.needed())) : wanted;
    if (!haveRun(state)) {
      again.addAll(now); // what writes to them may run on while they are read
    }
    copy(now, sender, true);
    rounds++;
    prepare(capture);
    wanted = ask(() -> touched(capture, state));
    roundBytes = link.sentBytes() - before;
  }

  /** Whether there is another round before the session stops. */
  private boolean goesOn() {
    return rounds < MOST_ROUNDS && roundBytes > LITTLE_BYTES;
  }

  /**
   * Whether there is another round before the machine has come so far: not sooner than that is
   * worth it.
   *
   * @param event that is waited for
   */
  private boolean goesOn(CompletableFuture<?> event) throws StateException, InterruptedException {
    CompletableFuture<?> first = CompletableFuture.anyOf(event, halt, decided, session.over());
    try {
      Object _ = first.get(roundBytes > LITTLE_BYTES ? 0 : ROUND_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      return true;
    } catch (ExecutionException e) {
      throw new StateException("the move failed: " + e.getCause());
    }
    if (!event.isDone() && !halt.isDone()) {
      throw new StateException("the session has ended, or the move was given up");
    }
    return false;
  }

  /**
   * Has the calls that take long wait from now on, and those under way come to their end. They are
   * no reason to give up.
   *
   * @return whether it has come to that: otherwise the session is stopped in spite of them
   */
  private boolean holdLongCalls() throws StateException, InterruptedException {
    CompletableFuture<Boolean> held = session.holdLongCalls();
    CompletableFuture<?> first = CompletableFuture.anyOf(held, halt, decided, session.over());
    if (!isOver(first, GAP_MS)) {
      session.holdNextLongCall();
      boolean _ = isOver(first, LONG_CALLS_MS);
    }
    requireWanted();
    return held.isDone();
  }

  private static boolean isOver(CompletableFuture<?> event, int patienceMs)
      throws InterruptedException {
    try {
      Object _ = event.get(patienceMs, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (ExecutionException _) {
      return true; // what is asked next fails if the session has ended
    }
  }

  /** Waits for the commands that were taken so far; false if they take long. */
  private boolean haveRun(ApiState state)
      throws UnmovableException, StateException, InterruptedException {
    CompletableFuture<Boolean> all = allHaveRun(state);
    try {
      Object _ = CompletableFuture.anyOf(all, halt).get(RUN_MS, TimeUnit.MILLISECONDS);
      return all.isDone();
    } catch (TimeoutException | ExecutionException _) {
      return false;
    }
  }

  private CompletableFuture<Boolean> allHaveRun(ApiState state)
      throws UnmovableException, StateException, InterruptedException {
    CompletableFuture<Boolean> all = new CompletableFuture<>();
    boolean _ = ask(() -> state.whenAllHaveRun(() -> all.complete(true)));
    return all;
  }

  private static Set<SessionObject> touched(StateCapture capture, ApiState state) {
    Set<SessionObject> touched = state.takeTouched();
    touched.retainAll(state.withContents(capture.needed()));
    return touched;
  }

  /**
   * Has nothing run any more. What was taken may wait for what the application says next, where the
   * library keeps it behind other things that do: so the first attempts are short, and between them
   * the application goes on.
   *
   * <p>Memory that is added to a machine's session the other host is given by its own machine.
   */
  private void stop(ApiState state, boolean withMachine)
      throws UnmovableException, StateException, InterruptedException {
    long stoodNs = 0;
    for (int attempt = 0; ; attempt++) {
      requireWanted();
      long beganNs = now();
      if (!withMachine && !served.hold(LINK_MS)) {
        throw new StateException("the application is in the middle of a link's message");
      }
      boolean isLast = attempt == SHORT_STOPS;
      if (comes(session.pause(), isLast ? STOP_MS : SHORT_STOP_MS)) {
        stoppedNs = beganNs - stoodNs;
        return;
      }
      if (isLast) {
        throw new StateException("commands run for too long, milliseconds=" + STOP_MS);
      }
      if (attempt > 0) {
        session.takeLongCalls(); // what runs may wait for what comes behind one
      }
      session.resume();
      served.release();
      stoodNs += now() - beganNs;
      boolean _ = comes(allHaveRun(state), LET_GO_MS);
    }
  }

  /** Whether something comes to pass in time. */
  private static boolean comes(CompletableFuture<Boolean> event, int patienceMs)
      throws StateException, InterruptedException {
    try {
      return event.get(patienceMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      return false;
    } catch (CancellationException | ExecutionException _) {
      throw new StateException("the session has ended meanwhile");
    }
  }

  private void finish(StateCapture capture, ApiState state, ContentSender sender)
      throws UnmovableException, StateException, InterruptedException {
    sendObjects(capture);
    Set<SessionObject> wanted =
        ask(() -> {
          Set<SessionObject> all = touched(capture, state);
          again.retainAll(state.withContents(capture.needed()));
          all.addAll(again);
          all.addAll(unsent(capture, state, sender));
          return all;
        });
    copy(wanted, sender, false);
    for (StateItem item : ask(capture::rest)) {
      link.write(item);
    }
    link.write(new StateItem.Complete());
    expectReady(STOP_MS);
  }

  private static Set<SessionObject> unsent(
      StateCapture capture, ApiState state, ContentSender sender) {
    Set<SessionObject> all = state.withContents(capture.needed());
    all.removeIf(sender::hasBegun);
    return all;
  }

  private void handOver() throws UnmovableException, StateException, InterruptedException {
    requireWanted();
    // The session's thread does nothing else now, so that this comes to an end, one or the other.
    boolean _ =
        SessionTasks.answer(
            session.handOver(() -> {
              link.write(new StateItem.Go());
              link.flush();
              return true;
            }),
            Integer.MAX_VALUE);
    waitedNs = now() - stoppedNs;
    enter(StateStage.HAND_OVER);
    served.leave();
    enter(StateStage.DONE);
  }

  private void copy(Set<SessionObject> objects, ContentSender sender, boolean mayVanish)
      throws UnmovableException, StateException, InterruptedException {
    for (ContentSender.Batch batch : sender.batches(objects)) {
      requireWanted();
      sender.send(batch, mayVanish);
    }
  }

  private void requireWanted() throws StateException {
    if (givenUp) {
      throw new StateException("the move was given up, stage=" + stage);
    }
  }

  private void expectReady(int patienceMs) throws UnmovableException, StateException {
    link.flush();
    link.patience(patienceMs);
    switch (link.read()) {
      case StateItem.Ready _ -> {}
      case StateItem.Refused refused -> throw new UnmovableException(refused.reasons());
      default -> throw new StateException("the other session host does not answer what was asked");
    }
  }

  private <T> T ask(Callable<T> work)
      throws UnmovableException, StateException, InterruptedException {
    return SessionTasks.answer(session.ask(work));
  }
}

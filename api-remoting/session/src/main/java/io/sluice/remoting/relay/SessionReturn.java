package io.sluice.remoting.relay;

import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.Notices;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.session.Session;
import io.sluice.remoting.session.SharedMemory;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.StateStage;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The return of a session from another host, as its near end sees it: the state that comes over the
 * wire goes to a host that gets the application's descriptors with it. What belongs to the ring is
 * the near end's own.
 *
 * <p>The other host is the source of the move. It asks for calls to be held before it stops; so all
 * that were sent have been taken by then. Where the machine moves, too, {@link MachineGate} says
 * when, and whether; the other host is never told that it may go.
 */
final class SessionReturn {
  private static final int LINK_MS = 2_000;
  private static final int ITEMS = 1024;

  /** A host that makes programs may take its time. */
  private static final int PATIENCE_MS = 600_000;

  private final Near near;
  private final StateLink link;
  private final Consumer<StateStage> entered;
  private final CallRanges ranges;
  private final BlockingQueue<StateItem> items = new ArrayBlockingQueue<>(ITEMS);
  private final CompletableFuture<Departure.Result> over = new CompletableFuture<>();
  private long wanted; // bytes that were asked for; by the thread that reads the wire
  private StateItem.@Nullable Kept late; // waits for those; by the same
  private volatile List<MemoryRange> storage = List.of();
  private volatile long stoppedNs;
  private final Set<Integer> sent = new HashSet<>(); // segments; by the thread that writes
  private final Optional<MachineGate> machine;
  private volatile boolean asked; // whether all is complete, as the host that gets it is asked
  private volatile int rounds; // by the thread that reads the wire

  /** The near end. */
  record Near(ServedSession linked, RelayApi api, SharedMemory memory, RelayWire wire) {
    long now() {
      return linked.settings().nanoTime().getAsLong();
    }

    Thread thread(Runnable work) {
      Thread thread = linked.settings().threads().newThread(work);
      thread.start();
      return thread;
    }
  }

  /**
   * @param link to the host that gets the session; stays the caller's
   * @param entered is told each stage as it begins
   * @param machine of a session that moves with its machine
   */
  SessionReturn(
      Near near, StateLink link, Consumer<StateStage> entered, Optional<MachineGate> machine) {
    this.near = near;
    this.machine = machine;
    this.link = link;
    this.entered = entered;
    ranges = near.api().freshRanges();
  }

  Departure.Result run(boolean checkOnly) throws UnmovableException, StateException {
    link.patience(PATIENCE_MS);
    Thread writer = near.thread(this::write);
    Thread answers = near.thread(() -> answer(checkOnly));
    boolean triedOut = false;
    try {
      near.wire().send(new StateItem.Recall(checkOnly));
      Departure.Result result = over.get();
      triedOut = checkOnly && machine.isPresent();
      return result;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted");
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof UnmovableException unmovable) {
        throw unmovable;
      }
      Throwable cause = failed.getCause();
      throw new StateException(String.valueOf(cause == null ? null : cause.getMessage()));
    } finally {
      if (!triedOut) { // else what was made for that is there until it is told that it is over
        link.end();
      }
      stopWriting();
      ThreadEnds.join(writer);
      ThreadEnds.join(answers);
    }
  }

  /** It does not come to its end. */
  void end(String why) {
    boolean _ = over.completeExceptionally(new StateException(why));
    machine.ifPresent(MachineGate::decide);
  }

  private void stopWriting() {
    items.clear();
    boolean _ = items.offer(new StateItem.Go());
  }

  // ---- by the thread that reads the wire ----

  /** Hears what the other host says of the session. */
  void hear(StateItem item) throws StateException {
    switch (item) {
      case StateItem.Stage stage -> stage(StateStage.values()[stage.number()]);
      case StateItem.Segment _ -> {} // the application's own are here
      case StateItem.Ring ring -> ring(ring);
      case StateItem.Complete _ -> complete();
      case StateItem.Go _ -> go();
      case StateItem.Kept kept -> kept(kept);
      case StateItem.Made _, StateItem.Gone _, StateItem.Mapped _ -> {
        ranges.take(item);
        put(item);
      }
      case StateItem.Prepared _ -> {
        rounds++;
        put(item);
      }
      case StateItem.Head _,
          StateItem.Root _,
          StateItem.Changed _,
          StateItem.Content _,
          StateItem.Settled _,
          StateItem.Open _,
          StateItem.Failure _,
          StateItem.Hold _,
          StateItem.Resume _ ->
          put(item);
      default -> throw new StateException("an item that is out of place, item=" + item);
    }
  }

  private void put(StateItem item) throws StateException {
    try {
      while (!items.offer(item, 1, TimeUnit.SECONDS)) {
        if (over.isDone()) {
          return;
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted");
    }
  }

  /** The last two are said by the near end, which knows. */
  private void stage(StateStage stage) {
    boolean stands = machine.map(MachineGate::isStanding).orElse(false);
    if (stage != StateStage.HAND_OVER && stage != StateStage.DONE && !stands) {
      entered.accept(stage);
    }
  }

  private void ring(StateItem.Ring ring) throws StateException {
    Session session = near.linked().session();
    List<StateItem> own =
        get(
            session.ask(() -> {
              int _ = near.api().calls().poll();
              List<StateItem> all = new ArrayList<>();
              Notices notices = session.context().notices();
              for (long[] notice : notices.waiting()) {
                all.add(new StateItem.Notice((int) notice[0], (int) notice[1], (int) notice[2]));
              }
              all.add(
                  new StateItem.Ring(
                      session.submissions().tail(), notices.head(), session.calls()));
              return all;
            }));
    for (StateItem item : own) {
      put(item);
    }
  }

  /** Objects' storage in the application's memory is brought here before all is complete. */
  private void complete() throws StateException {
    storage = ranges.unmappedStorage(); // what is mapped is here, or newer here
    wanted = storage.stream().mapToLong(MemoryRange::size).sum();
    if (wanted == 0) {
      put(new StateItem.Complete());
    }
    for (MemoryRange range : storage) {
      near.wire().send(new StateItem.Wanted(range));
    }
  }

  /** Whether bytes were asked for. */
  boolean wants(StateItem.Bytes bytes) {
    int length = bytes.bytes().length;
    long end = bytes.place() + length;
    return length <= wanted
        && storage.stream()
            .anyMatch(
                range -> bytes.place() >= range.place() && end <= range.place() + range.size());
  }

  /** Bytes that were asked for are here. */
  void came(StateItem.Bytes bytes) throws StateException {
    wanted -= bytes.bytes().length;
    if (wanted == 0) {
      put(late == null ? new StateItem.Complete() : late);
    }
  }

  /** The session stays there. What was asked for still comes, and belongs to this. */
  private void kept(StateItem.Kept kept) throws StateException {
    if (wanted == 0) {
      put(kept);
    } else {
      late = kept;
    }
  }

  private void go() throws StateException {
    if (machine.isPresent()) {
      throw new StateException("a session goes that was not told to");
    }
    boolean _ =
        get(
            near.linked()
                .session()
                .handOver(() -> {
                  link.write(new StateItem.Go());
                  link.flush();
                  return true;
                }));
    entered.accept(StateStage.HAND_OVER);
    near.linked().leave();
    entered.accept(StateStage.DONE);
    boolean _ =
        over.complete(new Departure.Result(rounds, link.sentBytes(), near.now() - stoppedNs));
  }

  private static <T> T get(CompletableFuture<T> result) throws StateException {
    try {
      return result.get();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted");
    } catch (CancellationException | ExecutionException failed) {
      throw new StateException("the session is at its end: " + failed.getMessage());
    }
  }

  // ---- by the thread that writes to the host that gets the session ----

  private void write() {
    try {
      for (StateItem item = items.take(); !(item instanceof StateItem.Go); item = items.take()) {
        write(item);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (StateException gone) {
      giveUp();
    }
  }

  private void write(StateItem item) throws StateException {
    switch (item) {
      case StateItem.Head head -> head(head);
      case StateItem.Hold _ -> hold();
      case StateItem.Resume _ -> resume();
      case StateItem.Kept kept -> stays(kept);
      case StateItem.Prepared _, StateItem.Complete _ -> {
        segments();
        asked = item instanceof StateItem.Complete;
        link.write(item);
        link.flush();
      }
      default -> link.write(item);
    }
  }

  private void head(StateItem.Head head) throws StateException {
    ServedSession here = near.linked(); // the application is where it was, whatever the other says
    boolean moves = machine.isPresent();
    link.write(
        new StateItem.Head(
            here.api().number(),
            moves ? StateItem.ApplicationPlace.MOVING_MACHINE : here.place(),
            head.implementation()),
        moves ? List.of() : here.descriptors());
    segments();
  }

  private void segments() throws StateException {
    for (int i = 0; i < SharedMemory.MOST_SEGMENTS; i++) {
      long bytes = near.memory().segmentBytes(i);
      if (bytes > 0 && sent.add(i)) {
        SharedMemory.BackingFiles backing =
            machine.isPresent() ? SharedMemory.BackingFiles.NONE : near.memory().backing(i);
        link.write(new StateItem.Segment(i, bytes, backing.parts()), backing.files());
      }
    }
  }

  private void hold() throws StateException {
    stoppedNs = near.now();
    try {
      // What a machine that moves adds to its sessions' memory it tells the other machine itself.
      if (machine.isEmpty() && !near.linked().hold(LINK_MS)) {
        giveUp();
        return;
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted");
    }
    Session session = near.linked().session();
    CompletableFuture<Boolean> _ = session.pause();
    boolean _ =
        get(
            session.ask(() -> {
              near.api().calls().flush();
              near.wire().send(new StateItem.Held());
              return true;
            }));
    machine.ifPresent(MachineGate::hold);
  }

  private void resume() {
    if (machine.map(MachineGate::resume).orElse(true)) {
      goOn();
    }
  }

  private void goOn() {
    near.linked().session().resume();
    near.linked().release();
  }

  private void stays(StateItem.Kept kept) {
    machine.ifPresent(MachineGate::giveUp);
    if (!kept.reasons().isEmpty()) {
      boolean _ = over.completeExceptionally(new UnmovableException(kept.reasons()));
    } else if (!kept.error().isEmpty()) {
      boolean _ = over.completeExceptionally(new StateException(kept.error()));
    } else {
      boolean _ = over.complete(new Departure.Result(rounds, link.sentBytes(), 0));
    }
  }

  /** The other host goes on with the session, and says so. */
  private void giveUp() {
    sendStay();
    drain();
  }

  private void sendStay() {
    try {
      near.wire().send(new StateItem.Stay());
    } catch (StateException _) {
      // who reads the wire knows, too
    }
  }

  /** Nobody takes the state any more: what concerns the near end is still heeded. */
  private void drain() {
    try {
      for (StateItem item = items.take(); !(item instanceof StateItem.Go); item = items.take()) {
        switch (item) {
          case StateItem.Resume _ -> resume();
          case StateItem.Kept kept -> stays(kept);
          default -> {}
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- by the thread that reads what that host answers ----

  private void answer(boolean checkOnly) {
    try {
      for (int answers = 0; answers == 0 || !checkOnly; answers++) {
        StateItem item = link.read();
        if (!(item instanceof StateItem.Ready) && !(item instanceof StateItem.Refused)) {
          throw new StateException("a host that makes a session again says something else");
        }
        if (item instanceof StateItem.Ready && machine.isPresent()) {
          if (asked) {
            stand(machine.get());
            return;
          }
          awaitHalt(machine.get(), answers);
        }
        near.wire().send(item);
      }
    } catch (StateException _) {
      if (!over.isDone()) {
        sendStay();
      }
    }
  }

  // ---- with its machine ----

  /**
   * The first round is over when the machine is about to stop: what follows is what has changed.
   */
  private static void awaitHalt(MachineGate gate, int answers) throws StateException {
    if (answers == 1) {
      gate.awaitHalt();
    }
  }

  /** All of it is at the other machine: stands until that is decided. */
  private void stand(MachineGate gate) throws StateException {
    Session session = near.linked().session();
    List<SharedMemory.SegmentRange> pages =
        get(
            session.ask(() -> {
              for (MemoryRange range : storage) { // was brought here
                MemorySegment _ = near.memory().named(range.place(), range.size());
              }
              return near.memory().touchedPages(Departure.MOST_RANGES);
            }));
    Departure.Result result =
        new Departure.Result(rounds, link.sentBytes(), near.now() - stoppedNs);
    gate.stand(new Departure.HaltedSession(result, pages));
    sendStay();
    if (gate.endStanding()) {
      goOn();
    }
  }
}

package io.sluice.testbed.opencl;

import static io.sluice.testbed.opencl.RelayRig.HEAD;
import static io.sluice.testbed.opencl.RelayRig.MOST_BYTES;
import static io.sluice.testbed.opencl.RelayRig.RING;
import static io.sluice.testbed.opencl.RelayRig.SEGMENT;
import static io.sluice.testbed.opencl.RelayRig.SEGMENT_BYTES;
import static io.sluice.testbed.opencl.RelayRig.begin;
import static io.sluice.testbed.opencl.RelayRig.call;
import static io.sluice.testbed.opencl.RelayRig.next;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.remoting.relay.Mirror;
import io.sluice.remoting.relay.SessionRelay;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.Leaving;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each end of a session whose memory is elsewhere, and a hostile other end. */
final class RelayEndsTest {
  private static final long STATE = 0x1c0; // of segment 0
  private static final int MINUTES = 2;
  private static final StateItem.Head IN_MACHINE =
      new StateItem.Head(1, StateItem.ApplicationPlace.MACHINE, "a test");
  private static final StateItem.Segment IN_PARTS =
      new StateItem.Segment(
          0,
          SEGMENT_BYTES,
          List.of(
              new StateItem.FilePart(0, 0, SEGMENT_BYTES / 2),
              new StateItem.FilePart(0, SEGMENT_BYTES, SEGMENT_BYTES / 2)));

  private RelayRig rig;
  private Kernel kernel;
  private ExecutorService workers;
  private SessionSettings settings;

  @BeforeEach
  void make() {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    rig = new RelayRig();
    kernel = rig.kernel;
    workers = rig.workers;
    settings = rig.settings;
  }

  @AfterEach
  void stop() {
    if (rig != null) {
      rig.close();
    }
  }

  // ---- the far end ----

  /** Streams of which no session comes. */
  static List<List<StateItem>> beginnings() {
    return List.of(
        List.of(SEGMENT),
        List.of(HEAD, HEAD),
        List.of(HEAD, new StateItem.Segment(1, SEGMENT_BYTES, List.of())),
        List.of(HEAD, new StateItem.Segment(0, MOST_BYTES * 2, List.of())),
        List.of(HEAD, new StateItem.Segment(0, 4096, List.of())),
        List.of(HEAD, new StateItem.Segment(0, 4097, List.of())),
        List.of(new StateItem.Head(1, StateItem.ApplicationPlace.MACHINE, "a test"), SEGMENT),
        List.of(
            HEAD,
            new StateItem.Segment(
                0, SEGMENT_BYTES, List.of(new StateItem.FilePart(1, 0, SEGMENT_BYTES)))),
        List.of(HEAD, SEGMENT, SEGMENT),
        List.of(HEAD, SEGMENT, new StateItem.Bytes(0, SEGMENT_BYTES - 1, new byte[2])),
        List.of(HEAD, SEGMENT, new StateItem.Bytes(0, 9L << 48, new byte[2])),
        List.of(
            HEAD, SEGMENT, new StateItem.Writes(4, List.of(new MemoryRange(SEGMENT_BYTES - 1, 2)))),
        List.of(HEAD, SEGMENT, new StateItem.Sent(1, List.of(), call(58, 0, 1))),
        List.of(HEAD, SEGMENT, new StateItem.Go()));
  }

  @ParameterizedTest
  @MethodSource("beginnings")
  void mirror_streamThatCannotBe_isRefusedAndLeavesNothing(List<StateItem> items) throws Exception {
    List<Fd> pair = kernel.socketpair();
    try (StateLink near = new StateLink(kernel, pair.get(0));
        StateLink far = new StateLink(kernel, pair.get(1))) {
      for (StateItem item : items) {
        near.write(item);
      }
      near.write(new StateItem.Prepared());
      near.flush();

      CompletableFuture<Void> begun =
          CompletableFuture.runAsync(
              () ->
                  assertThatThrownBy(() -> Mirror.begin(settings, far))
                      .isInstanceOf(StateException.class),
              workers);
      begun.get(MINUTES, TimeUnit.MINUTES);
    }
    assertThat(settings.account().heldBytes()).isZero();
  }

  /** What ends a session that is served. */
  static List<StateItem> ends() {
    return List.of(
        new StateItem.Sent(1, List.of(), new byte[15]),
        new StateItem.Sent(1, List.of(), call(99, 0)),
        new StateItem.Sent(1, List.of(), call(1, 1, SEGMENT_BYTES - 8, 16)),
        new StateItem.Sent(1, List.of(new MemoryRange(SEGMENT_BYTES - 8, 16)), call(58, 0, 1)),
        new StateItem.Sent(1, List.of(new MemoryRange(1L << 62, 16)), call(58, 0, 1)),
        new StateItem.Bytes(0, SEGMENT_BYTES - 8, new byte[16]),
        new StateItem.Wanted(new MemoryRange(SEGMENT_BYTES - 8, 16)),
        new StateItem.Segment(0, 4096, List.of()),
        new StateItem.Segment(1, MOST_BYTES, List.of()),
        new StateItem.Answered(1, 0, List.of()),
        new StateItem.Go());
  }

  @ParameterizedTest
  @MethodSource("ends")
  void mirror_itemThatCannotBe_endsTheSession(StateItem item) throws Exception {
    List<Fd> pair = kernel.socketpair();
    try (StateLink near = new StateLink(kernel, pair.get(0));
        StateLink far = new StateLink(kernel, pair.get(1))) {
      CompletableFuture<Void> served = rig.serve(far);
      begin(near);

      near.write(
          new StateItem.Sent(1, List.of(new MemoryRange(0x60000, 64)), call(1, 1, 0x60000, 64)));
      near.flush();
      near.patience(60_000);
      assertThat(next(near)).isInstanceOf(StateItem.Bytes.class);
      assertThat(next(near)).isInstanceOf(StateItem.Answered.class);
      near.write(item);
      near.flush();

      served.get(MINUTES, TimeUnit.MINUTES);
    }
    assertThat(settings.account().heldBytes()).isZero();
  }

  // ---- the near end ----

  static List<StateItem> lies() {
    return List.of(
        new StateItem.Bytes(0, 0x60000, new byte[] {1}),
        new StateItem.Bytes(1, 0x60000, new byte[] {1}),
        new StateItem.Answered(1, 0, List.of()),
        new StateItem.Stage(0),
        new StateItem.Segment(1, SEGMENT_BYTES, List.of()),
        new StateItem.Complete(),
        new StateItem.Go(),
        new StateItem.Held(),
        new StateItem.Refused(List.of("no")));
  }

  @ParameterizedTest
  @MethodSource("lies")
  void relay_itemThatNobodyAskedFor_endsTheSessionAndTouchesNothing(StateItem lie)
      throws Exception {
    List<Fd> application = kernel.socketpair();
    Fd file = kernel.memfdCreate("application", SEGMENT_BYTES);
    kernel.addSeals(file, Kernel.F_SEAL_GROW | Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_SEAL);
    try (Fd _ = application.get(0);
        Fd connection = application.get(1);
        Fd doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
        Fd own = file) {
      lie(lie, HEAD, List.of(connection, doorbell), SEGMENT, own);
    }
  }

  @ParameterizedTest
  @MethodSource("lies")
  void relay_ofAMachine_itemThatNobodyAskedFor_endsTheSessionAndTouchesNothing(StateItem lie)
      throws Exception {
    try (Fd file = kernel.memfdCreate("machine", 2 * SEGMENT_BYTES);
        Fd doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
        Fd notify = kernel.eventfd(0, Kernel.NONBLOCK)) {
      kernel.addSeals(file, Kernel.F_SEAL_SHRINK); // it is the machine's, which may grow
      lie(lie, IN_MACHINE, List.of(doorbell, notify), IN_PARTS, file);
      assertThat(kernel.drain(notify)).as("the machine is told of the end").isPositive();
    }
  }

  /** What the source says of memory, and of an application in a machine, stays on its host. */
  private void lie(
      StateItem lie, StateItem.Head head, List<Fd> fds, StateItem.Segment segment, Fd file)
      throws Exception {
    List<Fd> state = kernel.socketpair();
    List<Fd> net = kernel.socketpair();
    try (StateLink source = new StateLink(kernel, state.get(0));
        StateLink far = new StateLink(kernel, net.get(0));
        Mapping memory =
            kernel.mmap(file, 0, SEGMENT_BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      CompletableFuture<Void> served =
          CompletableFuture.runAsync(() -> relay(state.get(1), net.get(1)), workers);
      source.write(head, fds);
      source.write(segment, List.of(file));
      source.write(RING);
      source.write(new StateItem.Complete());
      source.flush();
      far.patience(60_000);
      assertThat(far.read()).isEqualTo(HEAD);
      assertThat(far.read()).isEqualTo(SEGMENT);
      assertThat(far.read()).isEqualTo(RING);
      assertThat(far.read()).isEqualTo(new StateItem.Complete());
      far.write(new StateItem.Ready());
      far.flush();
      source.write(new StateItem.Go());
      source.flush();
      assertThat(far.read()).isEqualTo(new StateItem.Go());

      far.write(lie);
      far.flush();

      served.get(MINUTES, TimeUnit.MINUTES);
      assertThat(memory.segment().get(ValueLayout.JAVA_INT, STATE)).isNotZero();
      assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 0x60000)).isZero();
    }
  }

  /** Heads and segments with which no near end begins. */
  static List<List<StateItem>> strangeMachines() {
    return List.of(
        List.of(new StateItem.Head(1, StateItem.ApplicationPlace.MOVING_MACHINE, "a test")),
        List.of(IN_MACHINE, new StateItem.Segment(0, SEGMENT_BYTES, List.of())),
        List.of(
            IN_MACHINE,
            new StateItem.Segment(
                0,
                SEGMENT_BYTES,
                List.of(new StateItem.FilePart(0, SEGMENT_BYTES, 2 * SEGMENT_BYTES)))),
        List.of(
            IN_MACHINE,
            new StateItem.Segment(0, 4096, List.of(new StateItem.FilePart(0, 0, 4096)))));
  }

  @ParameterizedTest
  @MethodSource("strangeMachines")
  void relay_ofMemoryThatCannotBe_isRefusedAndTheOtherHostHearsNothing(List<StateItem> items)
      throws Exception {
    List<Fd> state = kernel.socketpair();
    List<Fd> net = kernel.socketpair();
    try (Fd file = kernel.memfdCreate("machine", 2 * SEGMENT_BYTES);
        Fd doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
        Fd notify = kernel.eventfd(0, Kernel.NONBLOCK);
        StateLink source = new StateLink(kernel, state.get(0));
        StateLink from = new StateLink(kernel, state.get(1));
        StateLink far = new StateLink(kernel, net.get(0));
        StateLink to = new StateLink(kernel, net.get(1))) {
      kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
      source.write(
          items.getFirst(),
          ((StateItem.Head) items.getFirst()).place() == StateItem.ApplicationPlace.MOVING_MACHINE
              ? List.of()
              : List.of(doorbell, notify));
      for (StateItem item : items.subList(1, items.size())) {
        source.write(item, List.of(file));
      }
      source.flush();
      source.end();

      assertThatThrownBy(() -> SessionRelay.begin(settings, from, to))
          .isInstanceOf(StateException.class);
      to.end();
      assertThatThrownBy(far::read).isInstanceOf(StateException.class);
    }
  }

  private void relay(Fd state, Fd net) {
    try (StateLink from = new StateLink(kernel, state);
        StateLink to = new StateLink(kernel, net);
        SessionRelay relay = SessionRelay.begin(settings, from, to)) {
      relay.awaitGo();
      relay.serve();
    } catch (StateException refused) {
      throw new AssertionError(refused);
    }
  }

  // ---- the near end, whose machine moves ----

  /**
   * A machine's session that lives elsewhere and leaves with its machine; both others are played.
   */
  private final class Leaver implements AutoCloseable {
    final Fd file = kernel.memfdCreate("machine", 2 * SEGMENT_BYTES);
    final Fd doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
    final Fd notify = kernel.eventfd(0, Kernel.NONBLOCK);
    final List<Fd> net = kernel.socketpair();
    final List<Fd> way = kernel.socketpair();
    final StateLink far = new StateLink(kernel, net.get(0));
    final StateLink target = new StateLink(kernel, way.get(0));
    final StateLink out = new StateLink(kernel, way.get(1));
    final CompletableFuture<SessionRelay> relay = new CompletableFuture<>();
    final CompletableFuture<Departure.HaltedSession> halted = new CompletableFuture<>();
    final CompletableFuture<Void> served;
    final Leaving leaving;
    final CompletableFuture<String> left;

    Leaver() throws Exception {
      kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
      List<Fd> state = kernel.socketpair();
      far.patience(60_000);
      target.patience(60_000);
      served = CompletableFuture.runAsync(() -> serve(state.get(1)), workers);
      try (StateLink source = new StateLink(kernel, state.get(0))) {
        source.write(IN_MACHINE, List.of(doorbell, notify));
        source.write(IN_PARTS, List.of(file));
        source.write(RING);
        source.write(new StateItem.Complete());
        source.flush();
        while (!(far.read() instanceof StateItem.Complete)) {
          // what the session is
        }
        say(far, new StateItem.Ready());
        source.write(new StateItem.Go());
        source.flush();
        assertThat(far.read()).isEqualTo(new StateItem.Go());
      }
      leaving = relay.get().leaving(out, _ -> {});
      left = CompletableFuture.supplyAsync(this::leave, workers);
      assertThat(far.read()).isEqualTo(new StateItem.Recall(false));
      say(far, HEAD, SEGMENT, new StateItem.Prepared());
      assertThat(target.read())
          .isEqualTo(new StateItem.Head(1, StateItem.ApplicationPlace.MOVING_MACHINE, "a test"));
      assertThat(target.read()).isEqualTo(SEGMENT);
      assertThat(target.read()).isEqualTo(new StateItem.Prepared());
      say(target, new StateItem.Ready());
      assertThat(far.read()).isEqualTo(new StateItem.Ready());
      say(far, new StateItem.Prepared());
      assertThat(target.read()).isEqualTo(new StateItem.Prepared());
      say(target, new StateItem.Ready()); // which the other host hears when the machine stops
    }

    private void serve(Fd state) {
      try (StateLink from = new StateLink(kernel, state);
          StateLink to = new StateLink(kernel, net.get(1));
          SessionRelay made = SessionRelay.begin(settings, from, to)) {
        made.awaitGo();
        boolean _ = relay.complete(made);
        made.serve();
      } catch (StateException refused) {
        throw new AssertionError(refused);
      }
    }

    /** Why it has not left; empty if it has, or that was decided otherwise. */
    private String leave() {
      try {
        leaving.leave(halted::complete);
        return "";
      } catch (StateException | UnmovableException why) {
        return String.valueOf(why.getMessage());
      }
    }

    void say(StateLink link, StateItem... items) throws StateException {
      for (StateItem item : items) {
        link.write(item);
      }
      link.flush();
    }

    /** The machine is about to stop. */
    void halt() throws StateException {
      leaving.halt();
      assertThat(far.read()).isEqualTo(new StateItem.Ready());
    }

    /** All is at the target. */
    void complete() throws StateException {
      say(far, new StateItem.Hold());
      assertThat(far.read()).isEqualTo(new StateItem.Held());
      say(far, RING, new StateItem.Complete());
      assertThat(target.read()).isEqualTo(RING);
      assertThat(target.read()).isEqualTo(new StateItem.Complete());
      say(target, new StateItem.Ready());
    }

    @Override
    public void close() throws Exception {
      far.end();
      served.get(MINUTES, TimeUnit.MINUTES);
      out.end();
      String _ = left.get(MINUTES, TimeUnit.MINUTES);
      for (StateLink link : List.of(far, target, out)) {
        link.close();
      }
      for (Fd fd : List.of(file, doorbell, notify)) {
        fd.close();
      }
    }
  }

  @Test
  void leaving_withTheMachine_standsUntilItIsDecidedAndGoesOn() throws Exception {
    try (Leaver leaver = new Leaver()) {
      leaver.halt();
      leaver.complete();
      Departure.HaltedSession halted = leaver.halted.get(MINUTES, TimeUnit.MINUTES);
      assertThat(halted.pages()).anyMatch(range -> range.index() == 0 && range.offset() == 0);
      assertThat(leaver.left).isNotDone();

      leaver.leaving.giveUp();
      assertThat(leaver.far.read()).isEqualTo(new StateItem.Stay());
      leaver.say(leaver.far, new StateItem.Resume(), new StateItem.Kept("given up", List.of()));
      assertThat(leaver.left.get(MINUTES, TimeUnit.MINUTES)).isEmpty();
      assertThat(leaver.served).isNotDone();
    }
  }

  @Test
  void leaving_otherHostGivesItUpWhileItStands_standsAndGoesOnWhenItStays() throws Exception {
    try (Leaver leaver = new Leaver()) {
      leaver.halt();
      leaver.complete();
      Departure.HaltedSession _ = leaver.halted.get(MINUTES, TimeUnit.MINUTES);
      leaver.say(leaver.far, new StateItem.Resume(), new StateItem.Kept("too long", List.of()));
      assertThat(leaver.left).isNotDone();
      leaver.leaving.giveUp();
      assertThat(leaver.far.read()).isEqualTo(new StateItem.Stay());
      assertThat(leaver.left.get(MINUTES, TimeUnit.MINUTES)).isEmpty();
      assertThat(leaver.served).isNotDone();
    }
  }

  @Test
  void leaving_otherHostThatDoesNotHoldCalls_doesNotStand() throws Exception {
    try (Leaver leaver = new Leaver()) {
      leaver.halt();
      leaver.say(leaver.far, new StateItem.Complete());
      assertThat(leaver.target.read()).isEqualTo(new StateItem.Complete());
      leaver.say(leaver.target, new StateItem.Ready());
      assertThat(leaver.far.read()).isEqualTo(new StateItem.Stay());
      leaver.say(leaver.far, new StateItem.Resume(), new StateItem.Kept("stays", List.of()));
      assertThat(leaver.left.get(MINUTES, TimeUnit.MINUTES)).contains("stays");
      assertThat(leaver.halted).isNotDone();
      assertThat(leaver.served).isNotDone();
    }
  }

  @Test
  void leaving_otherHostThatGoesWithoutBeingTold_endsTheSession() throws Exception {
    try (Leaver leaver = new Leaver()) {
      leaver.halt();
      leaver.say(leaver.far, new StateItem.Hold(), new StateItem.Go());
      leaver.served.get(MINUTES, TimeUnit.MINUTES);
      assertThat(leaver.halted).isNotDone();
    }
  }

  @Test
  void leaving_targetThatRefuses_saysWhyAndTheSessionGoesOn() throws Exception {
    try (Leaver leaver = new Leaver()) {
      leaver.halt();
      leaver.say(leaver.far, new StateItem.Prepared());
      assertThat(leaver.target.read()).isEqualTo(new StateItem.Prepared());
      leaver.say(leaver.target, new StateItem.Refused(List.of("no room")));
      assertThat(leaver.far.read()).isEqualTo(new StateItem.Refused(List.of("no room")));
      leaver.say(
          leaver.far,
          new StateItem.Resume(),
          new StateItem.Kept("it cannot be moved as it is", List.of("no room")));
      assertThat(leaver.left.get(MINUTES, TimeUnit.MINUTES)).contains("no room");
      assertThat(leaver.served).isNotDone();
    }
  }

  @Test
  void relay_farEndThatIsGone_endsTheSession() throws Exception {
    relay_itemThatNobodyAskedFor_endsTheSessionAndTouchesNothing(
        new StateItem.Wanted(new MemoryRange(0, 1)));
  }
}

package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.opencl.KernelOutput;
import io.sluice.remoting.opencl.OpenClApi;
import io.sluice.remoting.relay.Mirror;
import io.sluice.remoting.relay.SessionRelay;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.Range;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.turns.DeviceTurns;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each end of a session whose memory is elsewhere, and a hostile other end. */
final class RelayEndsTest {
  private static final long SEGMENT_BYTES = 1 << 20;
  private static final long MOST_BYTES = 4 << 20;
  private static final long STATE = 0x1c0; // of segment 0
  private static final int MINUTES = 2;
  private static final StateItem.Head HEAD = new StateItem.Head(1, StateItem.Place.HOST, "a test");
  private static final StateItem.Segment SEGMENT =
      new StateItem.Segment(0, SEGMENT_BYTES, List.of());
  private static final StateItem.Ring RING = new StateItem.Ring(0, 0, 0);

  private final Kernel kernel = RealKernel.create();
  private final ExecutorService workers = Executors.newCachedThreadPool();
  private SessionSettings settings;

  @BeforeEach
  void make() {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    OpenClApi api = new OpenClApi(new KernelOutput(kernel, kernel.socketpair().getFirst()));
    settings =
        new SessionSettings(
            kernel,
            Map.of(api.number(), api),
            MOST_BYTES,
            new MemoryAccount(() -> MOST_BYTES),
            DeviceTurns.alone(),
            Thread::new,
            workers,
            System::nanoTime);
  }

  @AfterEach
  void stop() {
    workers.shutdownNow();
  }

  private static byte[] call(int number, int slot, long... words) {
    ByteBuffer bytes =
        ByteBuffer.allocate(16 + 8 * words.length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(0, 16 + 8 * words.length)
            .putShort(4, (short) number)
            .putInt(8, slot)
            .position(16);
    for (long word : words) {
      bytes.putLong(word);
    }
    return bytes.array();
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
        List.of(new StateItem.Head(1, StateItem.Place.MACHINE, "a test"), SEGMENT),
        List.of(
            HEAD,
            new StateItem.Segment(
                0, SEGMENT_BYTES, List.of(new StateItem.Part(1, 0, SEGMENT_BYTES)))),
        List.of(HEAD, SEGMENT, SEGMENT),
        List.of(HEAD, SEGMENT, new StateItem.Bytes(0, SEGMENT_BYTES - 1, new byte[2])),
        List.of(HEAD, SEGMENT, new StateItem.Bytes(0, 9L << 48, new byte[2])),
        List.of(HEAD, SEGMENT, new StateItem.Writes(4, List.of(new Range(SEGMENT_BYTES - 1, 2)))),
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
        new StateItem.Sent(1, List.of(new Range(SEGMENT_BYTES - 8, 16)), call(58, 0, 1)),
        new StateItem.Sent(1, List.of(new Range(1L << 62, 16)), call(58, 0, 1)),
        new StateItem.Bytes(0, SEGMENT_BYTES - 8, new byte[16]),
        new StateItem.Wanted(new Range(SEGMENT_BYTES - 8, 16)),
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
      CompletableFuture<Void> served = serve(far);
      begin(near);

      near.write(new StateItem.Sent(1, List.of(new Range(0x60000, 64)), call(1, 1, 0x60000, 64)));
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

  private CompletableFuture<Void> serve(StateLink far) {
    return CompletableFuture.runAsync(
        () -> {
          try (Mirror mirror = Mirror.begin(settings, far)) {
            mirror.serve();
          } catch (StateException refused) {
            throw new AssertionError(refused);
          }
        },
        workers);
  }

  private static void begin(StateLink near) throws StateException {
    near.patience(60_000);
    for (StateItem item : List.of(HEAD, SEGMENT, new StateItem.Prepared())) {
      near.write(item);
    }
    near.flush();
    assertThat(next(near)).isEqualTo(new StateItem.Ready());
    near.write(RING);
    near.write(new StateItem.Complete());
    near.flush();
    assertThat(next(near)).isEqualTo(new StateItem.Ready());
    near.write(new StateItem.Go());
    near.flush();
  }

  private static StateItem next(StateLink link) throws StateException {
    StateItem item = link.read();
    return item instanceof StateItem.Beat ? next(link) : item;
  }

  // ---- the near end ----

  static List<StateItem> lies() {
    return List.of(
        new StateItem.Bytes(0, 0x60000, new byte[] {1}),
        new StateItem.Bytes(1, 0x60000, new byte[] {1}),
        new StateItem.Answered(1, 0, List.of()),
        new StateItem.Stage(0),
        new StateItem.Complete(),
        new StateItem.Go(),
        new StateItem.Held(),
        new StateItem.Refused(List.of("no")));
  }

  @ParameterizedTest
  @MethodSource("lies")
  void relay_itemThatNobodyAskedFor_endsTheSessionAndTouchesNothing(StateItem lie)
      throws Exception {
    List<Fd> state = kernel.socketpair();
    List<Fd> net = kernel.socketpair();
    List<Fd> application = kernel.socketpair();
    Fd file = kernel.memfdCreate("application", SEGMENT_BYTES);
    kernel.addSeals(file, Kernel.F_SEAL_GROW | Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_SEAL);
    try (StateLink source = new StateLink(kernel, state.get(0));
        StateLink far = new StateLink(kernel, net.get(0));
        Fd _ = application.get(0);
        Fd connection = application.get(1);
        Fd doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
        Fd own = file;
        Mapping memory = kernel.mmap(own, 0, SEGMENT_BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      CompletableFuture<Void> served =
          CompletableFuture.runAsync(() -> relay(state.get(1), net.get(1)), workers);
      source.write(HEAD, List.of(connection, doorbell));
      source.write(SEGMENT, List.of(own));
      source.write(RING);
      source.write(new StateItem.Complete());
      source.flush();
      far.patience(60_000);
      while (!(far.read() instanceof StateItem.Complete)) {
        // what it was told before
      }
      far.write(new StateItem.Ready());
      far.flush();
      source.write(new StateItem.Go());
      source.flush();
      while (!(far.read() instanceof StateItem.Go)) {
        // it is told to go on
      }

      far.write(lie);
      far.flush();

      served.get(MINUTES, TimeUnit.MINUTES);
      assertThat(memory.segment().get(ValueLayout.JAVA_INT, STATE)).isNotZero();
      assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 0x60000)).isZero();
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

  @Test
  void relay_farEndThatIsGone_endsTheSession() throws Exception {
    relay_itemThatNobodyAskedFor_endsTheSessionAndTouchesNothing(
        new StateItem.Wanted(new Range(0, 1)));
  }
}

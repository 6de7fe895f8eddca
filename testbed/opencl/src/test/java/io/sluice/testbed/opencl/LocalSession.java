package io.sluice.testbed.opencl;

import static io.sluice.testbed.opencl.RelayRig.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.LinkedSession;
import io.sluice.remoting.session.Notices;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.session.Session;
import io.sluice.remoting.session.SessionPort;
import io.sluice.remoting.session.SharedMemory;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A session of this host's OpenCL whose calls are a test's, and whose memory outlives it. */
final class LocalSession implements AutoCloseable {
  private static final int MINUTES = 5;
  private static final int TEXT_AT = 0x60000; // in segment 0, which nothing else uses

  private final RelayRig rig;
  private final Kernel kernel;
  private final Fd doorbell;
  private final List<Fd> connection;
  private final SharedMemory memory;
  private final LinkedSession linked;
  private final SessionPort port;
  private final Calls calls = new Calls();
  private final BlockingQueue<long[]> answers = new ArrayBlockingQueue<>(1);
  private CompletableFuture<Void> over;
  private @Nullable Arrival moved;

  /** Makes one, of what it needs; where this host has no OpenCL the test is skipped. */
  static LocalSession open() throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    return new LocalSession(new RelayRig());
  }

  private LocalSession(RelayRig rig) {
    this.rig = rig;
    kernel = rig.kernel;
    doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
    connection = kernel.socketpair();
    memory = new SharedMemory(kernel, RelayRig.MOST_BYTES);
    try (Fd file = kernel.memfdCreate("session", RelayRig.SEGMENT_BYTES)) {
      kernel.addSeals(file, Kernel.F_SEAL_GROW | Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_SEAL);
      memory.add(0, file, RelayRig.SEGMENT_BYTES);
    }
    port = new SessionPort(calls, this::answer, new NoNotices());
    linked =
        LinkedSession.arriving(
            rig.settings,
            Objects.requireNonNull(rig.settings.apis().get(1)),
            List.of(connection.getFirst(), doorbell),
            memory,
            _ -> port);
    over = CompletableFuture.runAsync(() -> linked.serve(() -> {}), rig.workers);
  }

  private ServedSession served() {
    return moved == null ? linked : moved.session();
  }

  Session session() {
    return served().session();
  }

  /** Moves it, once, to a session of this process that is made of its state. */
  void move() throws Exception {
    List<Fd> pair = kernel.socketpair();
    CompletableFuture<Arrival> arriving =
        CompletableFuture.supplyAsync(() -> arrive(pair.get(1)), rig.workers);
    try (StateLink link = new StateLink(kernel, pair.get(0))) {
      Departure.Result _ = new Departure(linked, link, _ -> {}).run(false);
    }
    over.get(MINUTES, TimeUnit.MINUTES);
    Arrival arrival = arriving.get(MINUTES, TimeUnit.MINUTES);
    moved = arrival;
    over = CompletableFuture.runAsync(arrival::serve, rig.workers);
  }

  /** Moves it to where nobody is any more when contents come; it goes on here. */
  void moveInVain() throws Exception {
    List<Fd> pair = kernel.socketpair();
    CompletableFuture<Void> leaving =
        CompletableFuture.runAsync(() -> endAtContents(pair.get(1)), rig.workers);
    try (StateLink link = new StateLink(kernel, pair.get(0))) {
      assertThatThrownBy(() -> new Departure(linked, link, _ -> {}).run(false))
          .isInstanceOf(StateException.class);
    }
    leaving.get(MINUTES, TimeUnit.MINUTES);
  }

  private void endAtContents(Fd socket) {
    try (StateLink link = new StateLink(kernel, socket)) {
      StateItem item = link.read();
      while (!(item instanceof StateItem.Content)) {
        if (item instanceof StateItem.Prepared) {
          link.write(new StateItem.Ready());
          link.flush();
        }
        item = link.read();
      }
    } catch (StateException lost) {
      throw new AssertionError(lost);
    }
  }

  private Arrival arrive(Fd socket) {
    try (StateLink link = new StateLink(kernel, socket)) {
      Arrival arrival = Arrival.begin(rig.settings, link, _ -> port);
      arrival.awaitGo();
      return arrival;
    } catch (StateException lost) {
      throw new AssertionError(lost);
    }
  }

  /** Segment 0. */
  MemorySegment memory() {
    return memory.slice(0, RelayRig.SEGMENT_BYTES);
  }

  /** Makes a call that nobody waits for. */
  void post(int number, long... words) {
    calls.put(call(number, 0, words));
    kernel.signal(doorbell);
  }

  /** Makes a call that must succeed. */
  void does(int number, long... words) throws InterruptedException {
    assertThat(status(number, words)).as("call %s", number).isZero();
  }

  /** Makes a call; the status. */
  int status(int number, long... words) throws InterruptedException {
    return (int) answer(number, words)[0];
  }

  /** Makes a call; value 0. */
  long value(int number, long... words) throws InterruptedException {
    long[] answer = answer(number, words);
    assertThat(answer[0]).as("call %s", number).isZero();
    return answer[1];
  }

  private long[] answer(int number, long... words) throws InterruptedException {
    calls.put(call(number, 1, words));
    kernel.signal(doorbell);
    long[] answer = answers.poll(MINUTES, TimeUnit.MINUTES);
    assertThat(answer).as("call %s", number).isNotNull();
    return answer;
  }

  /** Puts text into its memory; the range. */
  long[] text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    memory().asSlice(TEXT_AT, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
    return new long[] {TEXT_AT, bytes.length};
  }

  int word(long at) {
    return memory().get(ValueLayout.JAVA_INT, at);
  }

  /** Ends it; but for its memory nothing of it is left when this returns. */
  void end() throws Exception {
    session().end();
    over.get(MINUTES, TimeUnit.MINUTES);
  }

  @Override
  public void close() throws Exception {
    end();
    if (moved != null) {
      moved.close();
    }
    linked.close();
    memory.close();
    connection.forEach(Fd::close);
    rig.close();
  }

  private Answer answer(int slotPlusOne) {
    return slotPlusOne == 0
        ? Answer.NONE
        : new Answer() {
          @Override
          public boolean isWaitedFor() {
            return true;
          }

          @Override
          public void give(int status, long... values) {
            answers.add(new long[] {status, values.length == 0 ? 0 : values[0]});
          }
        };
  }

  /** The calls that a test has made. */
  private static final class Calls implements SessionPort.CallSource {
    private final Queue<byte[]> made = new ConcurrentLinkedQueue<>();

    void put(byte[] call) {
      made.add(call);
    }

    @Override
    public boolean isEmpty() {
      return made.isEmpty();
    }

    @Override
    public int take(byte[] into) {
      byte[] call = made.poll();
      if (call == null) {
        return 0;
      }
      System.arraycopy(call, 0, into, 0, call.length);
      return call.length;
    }

    @Override
    public int tail() {
      return 0;
    }

    @Override
    public void goOn(int taken) {}
  }

  /** Notices that nobody hears. */
  private static final class NoNotices implements Notices {
    @Override
    public void tell(int kind, int status, int index) {}

    @Override
    public int write() {
      return 0;
    }

    @Override
    public void hold(boolean hold) {}

    @Override
    public int head() {
      return 0;
    }

    @Override
    public List<long[]> waiting() {
      return List.of();
    }

    @Override
    public void goOn(int written) {}

    @Override
    public void add(int kind, int status, int index) {}

    @Override
    public boolean areWaiting() {
      return false;
    }
  }
}

package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.HostLimits;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.Capability;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.testbed.checks.Held;
import io.sluice.vdevice.dma.MapBudget;
import io.sluice.vdevice.dma.MapLimits;
import io.sluice.vdevice.dma.MapPace;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.state.StateTransfers;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A served device and a client that can send anything, over a socket pair. After each test
 * everything is shut down, and no descriptor, region, buffer or channel may be left.
 */
abstract class ServerTest {
  final Kernel kernel = RealKernel.create();
  FakeGpu gpu = new FakeGpu(kernel);
  RawClient client;
  DeviceSession session;
  MapBudget.GuestShare share;
  long heapLimit = Long.MAX_VALUE;
  final MemoryBudget heap = MemoryBudget.upTo(() -> heapLimit);

  static final long ALL_BYTES = 1L << 45;

  private Fd serverSocket;
  private Thread serving;
  private Thread calls;

  @BeforeEach
  void startServer() {
    gpu = new FakeGpu(kernel, missingCapabilities());
    List<Fd> pair = kernel.socketpair();
    serverSocket = pair.get(0);
    client = new RawClient(kernel, pair.get(1));
    DeviceCounters.Live counters = new DeviceCounters.Live();
    share = new MapBudget(host(), ALL_BYTES).share("test", most());
    GuestLog log = new GuestLog("test", LogRate.DEFAULT, System::nanoTime);
    PromptSignals signals = new PromptSignals(kernel, System::nanoTime);
    SessionPlace place = new SessionPlace(kernel, "test", share, pace(), log, signals, Thread::new);
    session = DeviceSession.open(place, new Source(), counters);
    calls = new Thread(session.calls(), "calls");
    calls.start();
    serving =
        new Thread(
            () -> {
              try (Arena arena = Arena.ofConfined()) {
                UnaryOperator<Fd> atOnce = UnaryOperator.identity();
                new Connection(kernel, serverSocket, atOnce, session, counters, arena)
                    .serve(() -> false);
                session.close();
              } finally {
                kernel.shutdown(serverSocket);
              }
            },
            "serving");
    serving.start();
    if (negotiates()) {
      client.negotiate();
    }
  }

  /** As the daemon's, but that nobody waits. */
  MapPace pace() {
    return new MapPace(1 << 20, System::nanoTime, _ -> {});
  }

  /** Whether the client has said VERSION when a test begins. */
  boolean negotiates() {
    return true;
  }

  Capability[] missingCapabilities() {
    return new Capability[0];
  }

  /** What the process has. */
  HostLimits host() {
    return new HostLimits(65_536, 65_530, 1L << 40);
  }

  /** Memory that the guest may have mapped. */
  MapLimits most() {
    return new MapLimits(1L << 40, MapLimits.MAX_MAPS);
  }

  /** How the client may move the device. */
  Optional<StateTransfers> transfers() {
    return Optional.empty();
  }

  /** Who serves the guest's API sessions. */
  Optional<ApiSessions> sessions() {
    return Optional.empty();
  }

  @AfterEach
  void stopServer() throws InterruptedException {
    client.close();
    serving.join();
    calls.join();
    serverSocket.close();
    FakeGpu.Open open = gpu.last();
    assertThat(open.closed).isTrue();
    assertThat(share.used()).isEqualTo(new MapLimits(0, 0));
    assertThat(heap.bytes()).isZero();
    assertThat(open.regions).isEmpty();
    assertThat(open.buffers).isZero();
    assertThat(open.spaces).isZero();
    assertThat(open.channels).isZero();
  }

  /** A command is refused, costs no descriptor, and the server goes on. */
  void refused(Errno errno, int command, byte[] body, Fd... fds) {
    Map<Integer, String> open = Held.now().fds();
    try (RawClient.Message reply = client.call(command, body, fds)) {
      assertThat(reply.isError()).isTrue();
      assertThat(Errno.nameOf(reply.errno())).isEqualTo(errno.name());
      assertThat(reply.size()).isEqualTo(16);
    }
    assertGoesOn();
    assertThat(Held.now().fds()).isEqualTo(open);
  }

  /** GET_INFO still works: the stream is in step. */
  void assertGoesOn() {
    assertThat(client.ok(4, RawClient.body(16, 0, 0, 0)).getInt(8)).isEqualTo(9);
  }

  private final class Source implements GuestSource {
    @Override
    public Guest open(GuestListener listener) {
      return new Guest("test", gpu, kernel, listener);
    }

    @Override
    public MemoryBudget heap() {
      return heap;
    }

    @Override
    public Optional<StateTransfers> transfers() {
      return ServerTest.this.transfers();
    }

    @Override
    public Optional<ApiSessions> sessions() {
      return ServerTest.this.sessions();
    }

    @Override
    public void release(Guest guest) {
      guest.close();
    }
  }
}

package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static io.sluice.vdevice.RawClient.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.testbed.checks.Held;
import io.sluice.testbed.checks.StandIn;
import io.sluice.testbed.fakes.LingeringFd;
import io.sluice.vdevice.dma.MapBudget;
import io.sluice.vdevice.dma.MapLimits;
import io.sluice.vdevice.protocol.MessageReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attaching and going, and what may fail on the way. */
final class GuestDeviceTest implements GuestSource {
  private static final MapLimits MOST = new MapLimits(1L << 36, MapLimits.MAX_MAPS);

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir Path directory;

  private final Kernel kernel = RealKernel.create();
  private final FakeGpu gpu = new FakeGpu(kernel);
  private final DeviceHost host = host(kernel);
  private final AtomicBoolean noThreads = new AtomicBoolean();
  private final AtomicBoolean noCallsThread = new AtomicBoolean();
  private volatile @Nullable Error gpuError;
  private boolean gpuFails;
  private GuestDevice device;

  private DeviceHost host(Kernel of) {
    return new DeviceHost(
        of, this::thread, System::nanoTime, new MapBudget(kernel.hostLimits(), 1L << 40));
  }

  @BeforeEach
  void create() {
    device = new GuestDevice("g", directory.resolve("s"), host, MOST, this);
  }

  @AfterEach
  void close() {
    device.close();
  }

  /** A thread; as the host has it, one that may not start. */
  private Thread thread(Runnable action) {
    return new Thread(action) {
      @Override
      public void start() {
        boolean serving = getName().endsWith("-serve");
        if (serving && noThreads.get() || getName().endsWith("-calls") && noCallsThread.get()) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        super.start();
      }
    };
  }

  private RawClient connect() {
    return new RawClient(kernel, kernel.connect(device.path()));
  }

  @Override
  public Guest open(GuestListener listener) {
    Error error = gpuError;
    if (error != null) {
      throw error;
    }
    if (gpuFails) {
      throw new RefusedException("SLU-TST-002", Errno.ENOMEM, "no GPU for you", "");
    }
    return new Guest("g", gpu, kernel, listener);
  }

  @Override
  public void release(Guest guest) {
    guest.close();
  }

  @Test
  void start_whereAFileStands_eaddrinuse() {
    device.start();
    GuestDevice second = new GuestDevice("h", directory.resolve("s"), host, MOST, this);
    assertThatThrownBy(second::start).hasMessageContaining("EADDRINUSE");
    second.close();
  }

  @Test
  void start_twice_throws() {
    device.start();
    assertThatThrownBy(() -> device.start()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_beforeStart_doesNothing() {
    device.close();
    assertThatThrownBy(() -> device.start()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void client_whenTheGpuCannotBeOpened_isDisconnectedAndTheNextIsServed() {
    device.start();
    gpuFails = true;
    try (RawClient client = connect()) {
      assertThat(client.isClosed()).isTrue();
    }
    gpuFails = false;
    try (RawClient client = connect()) {
      client.negotiate();
      assertThat(device.guest()).isPresent();
    }
  }

  /**
   * The next client waits until the last one's device is gone, however long that takes to begin.
   */
  @Test
  void client_thatComesBackAtOnce_meetsANewDevice() {
    device.start();
    for (int i = 0; i < 20; i++) {
      try (RawClient client = connect()) {
        client.negotiate();
        assertThat(client.read32(1, 0x7ff0)).isZero();
        client.write32(1, 0x7ff0, 5);
      }
    }
    device.detach();
    assertThat(gpu.opens).hasSize(20).allMatch(open -> open.closed);
    assertThat(device.counters().connectionsRefused()).isZero();
  }

  /** Threads may be had again later; a guest whose accept thread is gone cannot be attached. */
  @Test
  void client_whileNoThreadsAreToBeHad_isRefusedAndALaterOneServed() {
    noThreads.set(true);
    device.start();
    try (RawClient client = connect()) {
      assertThat(client.isClosed()).isTrue();
    }
    noThreads.set(false);
    assertServed();
    assertThat(gpu.opens).hasSize(1);
  }

  @Test
  void client_whenTheThreadOfCallsCannotBeHad_losesItsConnectionAndHoldsNothing() {
    device.start();
    noCallsThread.set(true);
    try (RawClient client = connect()) {
      assertThat(client.isClosed()).isTrue();
    }
    device.detach();
    assertThat(gpu.last().closed).as("the session was closed").isTrue();
    noCallsThread.set(false);
    assertServed();
  }

  @Test
  void client_whenTheGpuFailsWithAnError_leavesNothingAndTheNextIsServed() {
    device.start();
    gpuError = new OutOfMemoryError("no memory for you");
    Map<Integer, String> before = Held.now().fds();
    try (RawClient client = connect()) {
      assertThat(client.isClosed()).isTrue();
    }
    device.detach();
    assertThat(Held.now().fds()).isEqualTo(before);
    gpuError = null;
    assertServed();
  }

  /** In flight, closed by whoever closes the socket: it must not be who counts, or accepts. */
  @Test
  void descriptorInFlightThatHangs_keepsNobodyWaiting() throws Exception {
    try (LingeringFd lingering = new LingeringFd(kernel)) {
      device.start();
      try (RawClient client = connect()) {
        client.negotiate();
        for (int i = 0; i < 16; i++) { // more replies than the socket has room for
          client.send(9, 0, body(0L, 1, 32_768));
        }
        client.sendRaw(header(9, 9, 8, 0, 0)); // ends the connection
        client.sendRaw(new byte[MessageReader.AHEAD]); // received with it, in part
        client.sendRaw(new byte[16], lingering.fd());
        lingering.giveUp();
        for (int i = 0; i < 17; i++) {
          client.receive().close();
        }
      }
      await().atMost(PATIENCE).until(() -> device.peer().isEmpty());
      assertThat(device.counters().connections()).isEqualTo(1);
      await().atMost(PATIENCE).until(() -> device.descriptorsWaiting() > 0);
      assertServed();
    }
    device.detach();
    assertThat(device.descriptorsWaiting()).isZero();
  }

  /** The device has the other end of its own connection then, and would wait for itself. */
  @Test
  void clientThatSendsItsOwnSocketInPartOfAMessage_isGoneWhenItIsGone() throws IOException {
    device.start();
    try (RawClient client = connect()) {
      client.negotiate();
      client.sendRaw(header(9, 2, 16 + 32, 0, 0), client.socket());
    }
    await().atMost(PATIENCE).until(() -> device.peer().isEmpty());
    assertServed();
  }

  @Test
  void descriptorOfARefusedClient_keepsNobodyWaiting() throws Exception {
    try (LingeringFd lingering = new LingeringFd(kernel)) {
      device.start();
      try (RawClient first = connect();
          RawClient second = connect()) {
        first.negotiate();
        sendToWhoMayBeGone(lingering, second);
      }
      assertServed();
    }
  }

  /** Nobody has accepted it: it is closed with the socket at which it has connected. */
  @Test
  void descriptorOfAClientThatNobodyAccepted_keepsCloseFromNothing() throws Exception {
    Kernel deaf =
        StandIn.of(
            Kernel.class,
            kernel,
            call -> {
              if (call.is("accept")) {
                throw new SyscallException("accept4", "injected", Errno.EMFILE.number());
              }
              return call.pass();
            });
    device = new GuestDevice("g", directory.resolve("s"), host(deaf), MOST, this);
    Thread closing = new Thread(device::close);
    try (LingeringFd lingering = new LingeringFd(kernel)) {
      device.start();
      try (RawClient client = connect()) {
        client.sendRaw(header(1, 4, 32, 0, 0), lingering.fd());
        lingering.giveUp();
      }
      closing.start();
      await().atMost(PATIENCE).until(() -> device.descriptorsWaiting() > 0);
    }
    assertThat(closing.join(PATIENCE)).isTrue();
    assertThat(device.descriptorsWaiting()).isZero();
  }

  /** Who refuses a client waits for its first message, but not for long. */
  private static void sendToWhoMayBeGone(LingeringFd lingering, RawClient client) {
    try {
      client.sendRaw(header(1, 4, 32, 0, 0), lingering.fd());
      lingering.giveUp();
      assertThat(client.receive().errno()).isEqualTo(Errno.EBUSY.number());
    } catch (SyscallException e) {
      assertThat(e.errno()).isIn(Errno.EPIPE.number(), Errno.ECONNRESET.number());
    }
  }

  /** 88 connections in a second wrote 41 KB of log; each is a device that is made. */
  @Test
  void clients_moreThanTheRate_waitForTheirTurn() {
    AtomicLong clock = new AtomicLong();
    DeviceHost still = new DeviceHost(kernel, this::thread, clock::get, host.budget());
    try (GuestDevice slow = new GuestDevice("h", directory.resolve("t"), still, MOST, this)) {
      slow.start();
      for (int i = 0; i < GuestDevice.CONNECTION_BURST; i++) {
        try (RawClient client = new RawClient(kernel, kernel.connect(slow.path()))) {
          client.negotiate();
        }
        slow.detach();
      }
      try (RawClient client = new RawClient(kernel, kernel.connect(slow.path()))) {
        client.send(1, 0, RawClient.version(0, 0, RawClient.QEMU_VERSION_DATA));
        await().during(Duration.ofMillis(200)).atMost(PATIENCE).until(() -> slow.peer().isEmpty());
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
        client.receive().close();
      }
    }
  }

  private void assertServed() {
    await().atMost(PATIENCE).ignoreExceptions().until(this::isServed);
  }

  private boolean isServed() {
    try (RawClient client = connect()) {
      try (RawClient.Message reply =
          client.call(1, RawClient.version(0, 0, RawClient.QEMU_VERSION_DATA))) {
        return !reply.isError();
      }
    }
  }

  @Test
  void detach_whileACallRuns_waitsForIt() throws InterruptedException {
    device.start();
    try (RawClient client = connect()) {
      client.negotiate();
      CountDownLatch gate = new CountDownLatch(1);
      gpu.gate = gate;
      client.write32(1, 0x14, 2); // slot 0: MEM_ALLOC of a page
      client.write32(1, 4, 2);
      client.write32(1, 0x20, 4096);
      client.write32(1, 0, 1);
      client.write32(0, 0x100, 0);
      Thread detaching = new Thread(device::detach);
      detaching.start();
      assertThat(client.isClosed()).isTrue();
      assertThat(gpu.last().closed).isFalse();
      gate.countDown();
      detaching.join();
    }
    assertThat(gpu.last().closed).isTrue();
  }

  @Test
  void limitHoldAndDma_withNobodyAttached() {
    device.start();
    device.setVramLimit(4096);
    device.holdInterrupts();
    device.releaseInterrupts();
    device.detach();
    MemorySegment data = MemorySegment.ofArray(new byte[1]);
    assertThatThrownBy(() -> device.memory().dmaRead(new Iova(0), data, Duration.ofSeconds(1)))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOTCONN));
    assertThat(device.counters().connections()).isZero();
    assertThat(device.peer()).isEmpty();
  }

  @Test
  void peer_ofAClientOfThisProcess_isThisProcess() {
    device.start();
    try (RawClient client = connect()) {
      client.negotiate();
      assertThat(device.peer().orElseThrow().pid()).isEqualTo((int) ProcessHandle.current().pid());
    }
  }
}

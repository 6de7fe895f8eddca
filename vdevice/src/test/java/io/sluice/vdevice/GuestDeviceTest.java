package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.Guest;
import io.sluice.channel.GuestListener;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attaching and going, and what may fail on the way. */
final class GuestDeviceTest implements GuestSource {
  @TempDir Path directory;

  private final Kernel kernel = RealKernel.create();
  private final FakeGpu gpu = new FakeGpu(kernel);
  private boolean gpuFails;
  private GuestDevice device;

  @BeforeEach
  void create() {
    device = new GuestDevice("g", directory.resolve("s"), kernel, this, Thread::new);
  }

  @AfterEach
  void close() {
    device.close();
  }

  private RawClient connect() {
    return new RawClient(kernel, kernel.connect(device.path()));
  }

  @Override
  public Guest open(GuestListener listener) {
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
    GuestDevice second = new GuestDevice("h", directory.resolve("s"), kernel, this, Thread::new);
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
    assertThatThrownBy(() -> device.dmaRead(new Iova(0), data, Duration.ofSeconds(1)))
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

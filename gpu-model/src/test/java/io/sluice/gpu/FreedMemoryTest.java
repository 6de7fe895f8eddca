package io.sluice.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.pscnv.ExtFileQuery;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.checks.StandIn;
import io.sluice.testbed.fakes.FakeKernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Memory on its way back: emptied without the GPU's lock, and nobody's until it is empty. */
class FreedMemoryTest {
  private static final long BYTES = 1 << 20;

  private final PunchedKernel kernel = new PunchedKernel();
  private final SoftwareGpu gpu =
      new SoftwareGpu(kernel.proxy(), new GpuConfig(BYTES, BYTES, 0), () -> 0, IdleStrategy.none());

  /** An operating system whose punches wait, and are told. */
  private final class PunchedKernel {
    final List<Boolean> underLock = new ArrayList<>();
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    volatile boolean waits;
    final FakeKernel real = new FakeKernel();

    Kernel proxy() {
      return StandIn.of(
          Kernel.class,
          real,
          call -> {
            if (call.is("punchHole")) {
              underLock.add(gpu.card().lock().isHeldByCurrentThread());
              begun.countDown();
              if (waits) {
                goOn.await();
              }
            }
            return call.pass();
          });
    }
  }

  private Client open() {
    return new Client(kernel.real, gpu.open());
  }

  @Test
  void everyWayOfFreeing_punchesWithoutTheLock() {
    try (gpu;
        Client client = open()) {
      client.gemClose(client.gemNew(PscnvGem.VRAM_SMALL, 4096));
      int mapped = client.gemNew(PscnvGem.SYSRAM_SNOOP, 4096);
      int vid = client.vspaceNew();
      long va = client.map(vid, mapped);
      client.gemClose(mapped);
      client.unmap(vid, va);
      int kept = client.gemNew(PscnvGem.VRAM_SMALL, 4096);
      client.map(vid, kept);
      client.gemClose(kept);
      int cid = client.chanNew(vid);
      client.vspaceFree(vid);
      client.chanFree(cid);
      assertThat(kernel.underLock).as("three buffers and a control page").hasSize(4);
      assertThat(kernel.underLock).doesNotContain(true);
    }
  }

  @Test
  void gemClose_untilThePunchIsOver_nobodyIsGivenTheRange() throws InterruptedException {
    try (gpu;
        Client client = open();
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      int handle = client.gemNew(PscnvGem.VRAM_SMALL, BYTES);
      kernel.waits = true;
      var closing = other.submit(() -> client.gemClose(handle));
      kernel.begun.await();
      assertThatThrownBy(() -> client.gemNew(PscnvGem.VRAM_SMALL, 4096))
          .isInstanceOfSatisfying(
              SyscallException.class, e -> assertThat(e.is(Errno.ENOMEM)).isTrue());
      assertThat(ExtFileQuery.VRAM_BYTES.get(client.usage())).isEqualTo(BYTES);
      kernel.goOn.countDown();
      assertThat(closing).succeedsWithin(Duration.ofMinutes(5));
      assertThat(client.gemNew(PscnvGem.VRAM_SMALL, BYTES)).isPositive();
    } finally {
      kernel.goOn.countDown();
    }
  }

  @Test
  void gemClose_punchFails_keepsTheRangeFromEverybody() {
    try (gpu;
        Client client = open()) {
      int handle = client.gemNew(PscnvGem.VRAM_SMALL, BYTES);
      kernel.real.fail("punchHole", 1, Errno.EIO);
      client.gemClose(handle);
      assertThatThrownBy(() -> client.gemNew(PscnvGem.VRAM_SMALL, 4096))
          .isInstanceOf(SyscallException.class);
    }
  }
}

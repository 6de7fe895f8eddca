package io.sluice.gpu;

import static io.sluice.gpu.Words.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtExtent;
import io.sluice.abi.pscnv.ExtGemImport;
import io.sluice.abi.pscnv.ExtGemImportPages;
import io.sluice.abi.pscnv.ExtRegionAdd;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.checks.StandIn;
import io.sluice.testbed.fakes.FakeKernel;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whatever is thrown in the engine's thread ends one channel at most, and never the engine. */
class EngineSurvivalTest {
  private static final int ACQUIRE = 1;
  private static final int BYTES = 1 << 20;

  /** A buffer of a page of somebody's file. */
  private static long imported(Client client, int vid, Fd file) {
    MemorySegment region = Client.block(PscnvIoctl.REGION_ADD);
    ExtRegionAdd.FD.set(region, file.number());
    ExtRegionAdd.FLAGS.setBits(region, ExtRegionAdd.WRITABLE);
    ExtRegionAdd.SIZE_FIELD.set(region, BYTES);
    int id = ExtRegionAdd.REGION.bits(client.call(PscnvIoctl.REGION_ADD, region));
    MemorySegment buffer = Client.block(PscnvIoctl.GEM_IMPORT);
    ExtGemImport.FLAGS.setBits(buffer, PscnvGem.SYSRAM_SNOOP);
    ExtGemImport.SIZE_FIELD.set(buffer, 4096);
    int handle = ExtGemImport.HANDLE.bits(client.call(PscnvIoctl.GEM_IMPORT, buffer));
    MemorySegment pages = Client.block(PscnvIoctl.GEM_IMPORT_PAGES);
    ExtGemImportPages.HANDLE.setBits(pages, handle);
    ExtGemImportPages.COUNT.setBits(pages, 1);
    ExtExtent.REGION.setBits(pages, ExtGemImportPages.EXTENTS.offsetOf(0), id);
    ExtExtent.BYTES.set(pages, ExtGemImportPages.EXTENTS.offsetOf(0), 4096);
    client.call(PscnvIoctl.GEM_IMPORT_PAGES, pages);
    return client.map(vid, handle);
  }

  /** The engine looks at what the acquire waits for outside any slice. */
  @Test
  void pageOfAnAcquireThatIsGone_endsItsChannelOnly() throws IOException {
    try (Rig rig = new Rig();
        Fd guest = rig.kernel.memfdCreate("guest", BYTES)) {
      Client client = rig.open();
      int vid = client.vspaceNew();
      GuestChannel channel = client.channel(vid);
      GuestChannel other = client.channel(vid);
      channel.submit(semaphore(imported(client, vid, guest), 1, ACQUIRE));
      for (int i = 0; i < 20; i++) {
        rig.cycle();
      }
      assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
      try (RandomAccessFile file = new RandomAccessFile("/proc/self/fd/" + guest.number(), "rw")) {
        file.setLength(0);
      }
      rig.run();
      assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
      assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_DEVICE);
      other.submit(0x20010014, 4);
      rig.run();
      assertThat(other.reference()).isEqualTo(4);
    }
  }

  @Test
  void sweepThatFails_isTriedAgainAndChannelsAreServed() {
    FakeKernel kernel = new FakeKernel();
    GpuConfig config = new GpuConfig(BYTES, BYTES, 0);
    try (SoftwareGpu gpu = new SoftwareGpu(kernel, config, () -> 0, IdleStrategy.none());
        Client client = new Client(kernel, gpu.open())) {
      GuestChannel channel = client.channel(client.vspaceNew());
      kernel.fail("fstat", 1, Errno.EIO);
      channel.submit(0x20010014, 4);
      gpu.engine().doWork(2_000_000_000L);
      gpu.engine().doWork(2_000_000_001L);
      assertThat(channel.reference()).isEqualTo(4);
    }
  }

  /** A host without memory, met while an interrupt is delivered. */
  @Test
  void outOfMemory_endsTheChannelTheEngineWasAt() {
    FakeKernel real = new FakeKernel();
    AtomicInteger failures = new AtomicInteger(1);
    Kernel kernel =
        StandIn.of(
            Kernel.class,
            real,
            call -> {
              if (call.is("signal") && failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("none left for this test");
              }
              return call.pass();
            });
    GpuConfig config = new GpuConfig(BYTES, BYTES, 0);
    try (SoftwareGpu gpu = new SoftwareGpu(kernel, config, () -> 0, IdleStrategy.none());
        Client client = new Client(real, gpu.open())) {
      int vid = client.vspaceNew();
      GuestChannel channel = client.channel(vid);
      GuestChannel other = client.channel(vid);
      channel.submit(0x20010008, 0); // NON_STALL_INTERRUPT
      other.submit(0x20010014, 4);
      for (int i = 0; i < 20; i++) {
        gpu.engine().doWork(i * 8_000_000L);
      }
      assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_DEVICE);
      assertThat(other.reference()).isEqualTo(4);
    }
  }
}

package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu.SharedArea;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The end of a channel, as a guest sees it that looks at the control page all the time. */
final class ChannelEndTest {
  private static final int ROUNDS = 2000;
  private static final int INFO = 4711;
  private static final long PAGE = 4096;

  private final AtomicInteger cid = new AtomicInteger();
  private final AtomicInteger incomplete = new AtomicInteger();

  @Test
  void kill_whileTheGuestLooks_neitherEndNorReasonIsSeenBeforeTheRest() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Guest guest = rig.attach("guest");
      SharedArea pages = guest.controlPages();
      try (var fd = pages.fd();
          Mapping mapping =
              rig.kernel.mmap(fd, pages.offset(), pages.sizeBytes(), Kernel.PROT_READ)) {
        int vid = guest.spaces().create();
        CyclicBarrier round = new CyclicBarrier(2);
        Thread looking = Thread.ofPlatform().start(() -> look(mapping.segment(), round));
        for (int i = 0; i < ROUNDS; i++) {
          int made = guest.channels().create(vid);
          cid.set(made);
          round.await();
          guest.channels().kill(made, GuestAbi.ERROR_TIMEOUT, INFO);
          round.await();
          guest.channels().free(made);
        }
        looking.join();
      }
    }
    assertThat(incomplete).hasValue(0);
  }

  private void look(MemorySegment pages, CyclicBarrier round) {
    try {
      for (int i = 0; i < ROUNDS; i++) {
        round.await();
        long at = cid.get() * PAGE + GuestAbi.CONTROL_OFFSET;
        boolean byReason = i % 2 == 0;
        while (byReason
            ? ControlWords.ERROR.bitsAcquire(pages, at) == 0
            : ControlWords.STATE.bitsAcquire(pages, at) != GuestAbi.CHANNEL_DEAD) {
          Thread.onSpinWait();
        }
        if (ControlWords.ERROR_INFO.bits(pages, at) != INFO
            || ControlWords.ERROR.bits(pages, at) != GuestAbi.ERROR_TIMEOUT) {
          incomplete.incrementAndGet();
        }
        round.await();
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}

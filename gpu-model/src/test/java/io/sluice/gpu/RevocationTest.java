package io.sluice.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.PscnvGem;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * With the engine on a thread of its own: once an ioctl has taken something away, the GPU touches
 * none of it any more.
 */
class RevocationTest {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final int BYTES = 1 << 20;
  private static final int ROUNDS = 40;

  private final Rig rig = new Rig();
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();
  private final Client.Memory source = client.memory(vid, PscnvGem.VRAM_SMALL, BYTES);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stopped;
  private final Thread engine = new Thread(this::runEngine, "engine");

  private void runEngine() {
    try {
      while (!stopped) {
        rig.cycle();
      }
    } catch (Throwable t) {
      failure.set(t);
    }
  }

  @BeforeEach
  void start() {
    source.bytes().fill((byte) 0x11);
    engine.start();
  }

  @AfterEach
  void close() throws InterruptedException {
    stopped = true;
    engine.join();
    rig.close();
    assertThat(failure.get()).isNull();
  }

  /** Copies without end to a target. */
  private GuestChannel copyForEver(long target) {
    GuestChannel channel = client.channel(vid);
    channel.submit(
        new int[] {
          0x20014000,
          0x9039,
          0x2002408e,
          0,
          (int) target,
          0x200640c3,
          0,
          (int) source.va(),
          0,
          0,
          BYTES,
          -1,
          0x200140c0,
          0x110
        });
    return channel;
  }

  private static void awaitWrites(MemorySegment bytes) {
    while ((long) LONG.varHandle().getVolatile(bytes, BYTES - 8L) == 0) {
      Thread.onSpinWait();
    }
  }

  /** Clears what was copied, and sees whether the engine's next cycles write anything. */
  private void assertQuiet(MemorySegment bytes) {
    bytes.fill((byte) 0);
    long cycles = rig.nowNs + 10 * Rig.CYCLE_NS;
    while (rig.nowNs < cycles && engine.isAlive()) {
      Thread.onSpinWait();
    }
    for (int offset = 0; offset < BYTES; offset += 8) {
      if (bytes.get(LONG, offset) != 0) {
        throw new AssertionError("written after it was taken away, offset=" + offset);
      }
    }
  }

  @Test
  void unmap_inTheMiddleOfACopy_isCompleteWhenItReturns() {
    Client.Memory target = client.memory(vid, PscnvGem.SYSRAM_SNOOP, BYTES);
    long va = target.va();
    for (int i = 0; i < ROUNDS; i++) {
      GuestChannel channel = copyForEver(va);
      awaitWrites(target.bytes());
      client.unmap(vid, va);
      assertQuiet(target.bytes());
      while (channel.state() != GuestAbi.CHANNEL_DEAD) {
        Thread.onSpinWait();
      }
      assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
      client.chanFree(channel.cid);
      va = client.map(vid, target.handle());
    }
  }

  /**
   * A kill waits no longer than a slice may take; on a busy host the engine's thread may be without
   * a processor for longer. Whatever changes something of the open waits for that as well.
   */
  @Test
  void kill_inTheMiddleOfACopy_isCompleteWhenTheNextCallReturns() {
    Client.Memory target = client.memory(vid, PscnvGem.SYSRAM_SNOOP, BYTES);
    for (int i = 0; i < ROUNDS; i++) {
      GuestChannel channel = copyForEver(target.va());
      awaitWrites(target.bytes());
      client.control(channel.cid, ExtChanControl.KILL);
      client.vspaceFree(client.vspaceNew());
      assertQuiet(target.bytes());
      client.chanFree(channel.cid);
    }
  }

  @Test
  void suspend_inTheMiddleOfACopy_isCompleteWhenItReturns() {
    Client.Memory target = client.memory(vid, PscnvGem.SYSRAM_SNOOP, BYTES);
    GuestChannel channel = copyForEver(target.va());
    for (int i = 0; i < ROUNDS; i++) {
      awaitWrites(target.bytes());
      client.control(channel.cid, ExtChanControl.SUSPEND);
      assertQuiet(target.bytes());
      assertThat(ExtChanQuery.STATE.bits(channel.query())).isEqualTo(GuestAbi.CHANNEL_SUSPENDED);
      client.control(channel.cid, ExtChanControl.RESUME);
    }
  }

  @Test
  void close_inTheMiddleOfACopy_isCompleteWhenItReturns() {
    for (int i = 0; i < ROUNDS; i++) {
      Client other = rig.open();
      int otherVid = other.vspaceNew();
      Client.Memory target = other.memory(otherVid, PscnvGem.SYSRAM_SNOOP, BYTES);
      GuestChannel channel = other.channel(otherVid);
      channel.submit(
          new int[] {
            0x20014000,
            0x9039,
            0x2002408e,
            0,
            (int) target.va(),
            0x200640c3,
            0,
            (int) target.va(),
            0,
            0,
            BYTES,
            -1,
            0x200140c0,
            0x110
          });
      while (ExtChanQuery.ENTRIES.get(channel.query()) == 0) {
        Thread.onSpinWait();
      }
      other.close();
    }
  }
}

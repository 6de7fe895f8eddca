package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.Outcome;
import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuAddressSpace;
import io.sluice.gpu.mmu.GpuUnit;
import io.sluice.gpu.mmu.Run;

/**
 * PFIFO's pusher for one channel: sees a new GP_PUT, takes ring entries, fetches the words of their
 * segments. What it cannot reach, and what is no entry, ends the channel. Guarded as the channel
 * is.
 */
final class Pusher {
  private final GpuAddressSpace space;
  private final Userd userd;
  private final Ring ring;
  private final ChannelLife life;
  private final ChannelFaults faults;
  private final Run run = new Run();

  Pusher(GpuAddressSpace space, Userd userd, Ring ring, ChannelLife life, ChannelFaults faults) {
    this.space = space;
    this.userd = userd;
    this.ring = ring;
    this.life = life;
    this.faults = faults;
  }

  /** Whether there is an entry to take; reads GP_PUT from the control page if none is known. */
  boolean seesWork() {
    if (ring.gpGet() != ring.gpPut()) {
      return true;
    }
    if (life.isDetached()) {
      return false;
    }
    int put = userd.gpPut();
    if (!ring.see(put)) {
      Outcome _ = faults.fault(EndReason.PUT_OVERFLOW, put, ring.size());
      return false;
    }
    return ring.gpGet() != put;
  }

  /** Takes the next entry of the ring. */
  Outcome nextEntry() {
    FaultReason reason = ring.locateEntry(space);
    if (reason != FaultReason.NONE) {
      return faults.pageFault(reason, false, GpuUnit.PSUBFIFO, ring.entryAddress());
    }
    long entry = ring.readEntry();
    if (RingEntry.words(entry) > 0) {
      ring.open(entry);
    } else if (RingEntry.isLegalControl(entry)) {
      ring.close(userd);
    } else {
      return faults.fault(EndReason.ILLEGAL_ENTRY, RingEntry.upperWord(entry), ring.gpGet());
    }
    return Outcome.DONE;
  }

  /** Fills the window with the next words of the entry. */
  Outcome fetch(PushbufferWindow window) {
    int wanted = PushbufferWindow.limit(ring.wordsLeft());
    FaultReason reason = space.translate(ring.address(), wanted * 4L, false, run);
    if (reason != FaultReason.NONE) {
      return faults.pageFault(reason, false, GpuUnit.PSUBFIFO, ring.address());
    }
    window.fill(run.segment(), run.offset(), (int) (run.length() >>> 2));
    return Outcome.DONE;
  }
}

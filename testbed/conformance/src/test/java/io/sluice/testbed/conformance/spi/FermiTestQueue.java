package io.sluice.testbed.conformance.spi;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.guest.Pushbuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** A queue of a Fermi GPU, as the embedded one is. */
final class FermiTestQueue implements TestQueue {
  private static final int ORDER = 8;
  private static final int ENTRIES = 1 << ORDER;
  private static final long SEMAPHORE = ENTRIES * 8L;
  private static final long PUSHBUFFERS = 4096;
  private static final int PUSHBUFFER_BYTES = 4096;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory;
  private final GpuVa base;
  private final Pushbuffer words = new Pushbuffer();
  private MemorySegment control = MemorySegment.NULL;
  private boolean bound;
  private int put;
  private int submitted;

  FermiTestQueue(MemorySegment memory, GpuVa base) {
    this.memory = memory;
    this.base = base;
  }

  @Override
  public int order() {
    return ORDER;
  }

  /** Whatever it binds. */
  @Override
  public int[] classes() {
    return new int[0];
  }

  @Override
  public void attach(MemorySegment page, MemorySegment doorbell) {
    control = page;
  }

  @Override
  public void moveTo(MemorySegment page, MemorySegment doorbell) {
    control = page;
    announce();
  }

  private void announce() {
    INT.setRelease(control, (long) GuestAbi.USERD_GP_PUT, put);
  }

  @Override
  public TestQueue begin() {
    words.clear();
    if (!bound) {
      bound = true;
      words.bindEngines();
    }
    return this;
  }

  @Override
  public TestQueue copy(long from, long to, long bytes) {
    words.copyM2mf(new GpuVa(from), new GpuVa(to), bytes);
    return this;
  }

  @Override
  public TestQueue store(GpuVa at, int word) {
    words.release(at, word);
    return this;
  }

  @Override
  public TestQueue acquire(GpuVa at, int word) {
    words.acquire(at, word);
    return this;
  }

  @Override
  public TestQueue interrupt() {
    words.interrupt();
    return this;
  }

  @Override
  public long submit() {
    submitted++;
    int[] all = words.release(new GpuVa(base.value() + SEMAPHORE), submitted).toArray();
    while ((put + 1) % ENTRIES == (int) INT.getAcquire(control, (long) GuestAbi.USERD_GP_GET)) {
      Thread.onSpinWait();
    }
    long at = PUSHBUFFERS + (long) put * PUSHBUFFER_BYTES;
    MemorySegment.copy(all, 0, memory, ValueLayout.JAVA_INT, at, all.length);
    memory.set(ValueLayout.JAVA_LONG, put * 8L, base.value() + at | (long) all.length << 42);
    put = (put + 1) % ENTRIES;
    announce();
    return submitted;
  }

  @Override
  public boolean isDone(long submission) {
    return (int) INT.getAcquire(memory, SEMAPHORE) - submission >= 0;
  }
}

package io.sluice.channel.nvidia.submit;

import io.sluice.abi.Layouts;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The words of a channel's control page that guest, GPU and we store: its ring pointers and the
 * doorbell token.
 *
 * <p>The token also says whether the pointers can be believed. It is 0 while the page is being
 * replaced or the guest must hold still, and another one after each such time. A guest that stores
 * GP_PUT reads the token before and after: if they differ, or are 0, its store may be lost, and it
 * stores again. So either we see the guest's store or the guest sees ours; both sides have a full
 * fence between their store and their load.
 */
public final class UserdWords {
  private static final VarHandle WORD = Layouts.U32.varHandle();

  private final MemorySegment page;

  public UserdWords(MemorySegment page) {
    this.page = page;
  }

  public int get() {
    return (int) WORD.getAcquire(page, (long) GuestAbi.USERD_GP_GET);
  }

  public int put() {
    return (int) WORD.getAcquire(page, (long) GuestAbi.USERD_GP_PUT);
  }

  /** Both, one after the other. */
  public RingPointers pointers() {
    return new RingPointers(get(), put());
  }

  public void get(int value) {
    WORD.setRelease(page, (long) GuestAbi.USERD_GP_GET, value);
  }

  public void put(int value) {
    WORD.setRelease(page, (long) GuestAbi.USERD_GP_PUT, value);
  }

  /** Stores GP_PUT unless somebody has; 0 is what a fresh page holds. */
  public void putIfFresh(int value) {
    boolean _ = WORD.compareAndSet(page, (long) GuestAbi.USERD_GP_PUT, 0, value);
  }

  /** Stores GP_PUT if it still is what we stored. */
  public void replacePut(int ours, int value) {
    boolean _ = WORD.compareAndSet(page, (long) GuestAbi.USERD_GP_PUT, ours, value);
  }

  int token() {
    return ControlWords.DOORBELL_TOKEN.bitsAcquire(page, GuestAbi.CONTROL_OFFSET);
  }

  /** Of the device, for the guest: another one each time it was moved. */
  public int generation() {
    return ControlWords.GENERATION.bitsAcquire(page, GuestAbi.CONTROL_OFFSET);
  }

  /** What was stored before is seen by whoever sees the token. */
  public void publish(int token) {
    ControlWords.DOORBELL_TOKEN.setRelease(page, GuestAbi.CONTROL_OFFSET, token);
    VarHandle.fullFence();
  }

  /** Has the guest hold still: what it stores from now on it will store again. */
  public void withdraw() {
    publish(0);
  }

  public MemorySegment page() {
    return page;
  }
}

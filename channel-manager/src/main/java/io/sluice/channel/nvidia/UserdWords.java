package io.sluice.channel.nvidia;

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
final class UserdWords {
  private static final VarHandle WORD = Layouts.U32.varHandle();

  private final MemorySegment page;

  UserdWords(MemorySegment page) {
    this.page = page;
  }

  int get() {
    return (int) WORD.getAcquire(page, (long) GuestAbi.USERD_GP_GET);
  }

  int put() {
    return (int) WORD.getAcquire(page, (long) GuestAbi.USERD_GP_PUT);
  }

  /** Both, one after the other. */
  RingPointers pointers() {
    return new RingPointers(get(), put());
  }

  void get(int value) {
    WORD.setRelease(page, (long) GuestAbi.USERD_GP_GET, value);
  }

  void put(int value) {
    WORD.setRelease(page, (long) GuestAbi.USERD_GP_PUT, value);
  }

  /** Stores GP_PUT unless somebody has; 0 is what a fresh page holds. */
  void putIfFresh(int value) {
    boolean _ = WORD.compareAndSet(page, (long) GuestAbi.USERD_GP_PUT, 0, value);
  }

  /** Stores GP_PUT if it still is what we stored. */
  void replacePut(int ours, int value) {
    boolean _ = WORD.compareAndSet(page, (long) GuestAbi.USERD_GP_PUT, ours, value);
  }

  int token() {
    return ControlWords.DOORBELL_TOKEN.bitsAcquire(page, GuestAbi.CONTROL_OFFSET);
  }

  /** Of the device, for the guest: another one each time it was moved. */
  int generation() {
    return ControlWords.GENERATION.bitsAcquire(page, GuestAbi.CONTROL_OFFSET);
  }

  /** What was stored before is seen by whoever sees the token. */
  void publish(int token) {
    ControlWords.DOORBELL_TOKEN.setRelease(page, GuestAbi.CONTROL_OFFSET, token);
    VarHandle.fullFence();
  }

  /** Has the guest hold still: what it stores from now on it will store again. */
  void withdraw() {
    publish(0);
  }

  MemorySegment page() {
    return page;
  }
}

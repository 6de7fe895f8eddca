package io.sluice.channel.table;

import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvLimits;
import io.sluice.channel.state.ChannelError;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Our half of a channel's control page, {@code struct sluice_control}. The guest can store there
 * too; nothing is ever read back, so that hurts nobody but the guest.
 *
 * <p>Two orders matter to readers. {@code generation} is 0 while the other words change for another
 * reason than an error, and is stored last when they count again. {@code error_seq} is stored after
 * the words that describe the error.
 */
public final class ControlPage {
  /** Bytes of a control page. */
  static final long PAGE_BYTES = PscnvLimits.CONTROL_PAGE_BYTES;

  private final MemorySegment pages;
  private final long at;
  private int errors;

  /**
   * @param pages the mapped control pages
   * @param index index of this one
   */
  ControlPage(MemorySegment pages, int index) {
    this.pages = pages;
    at = index * PAGE_BYTES + GuestAbi.CONTROL_OFFSET;
  }

  /** Makes the page count, with a state and no error. */
  public void publish(int generation, int token, int state) {
    withdraw();
    ControlWords.DOORBELL_TOKEN.setRelease(pages, at, token);
    ControlWords.STATE.setRelease(pages, at, state);
    ControlWords.ERROR.setRelease(pages, at, 0);
    ControlWords.ERROR_INFO.set(pages, at, 0);
    ControlWords.ERROR_ADDRESS.set(pages, at, 0);
    ControlWords.ERROR_TIME_NS.set(pages, at, 0);
    ControlWords.ERROR_SEQ.setRelease(pages, at, errors);
    ControlWords.GENERATION.setRelease(pages, at, generation);
  }

  /** Nobody may believe the page until it is published. */
  public void withdraw() {
    ControlWords.GENERATION.setRelease(pages, at, 0);
    // What follows must not be seen before the 0: a release store alone does not order later ones.
    VarHandle.fullFence();
  }

  /** Tells of another state than the end: {@link #setError}. */
  public void setState(int state) {
    ControlWords.STATE.setRelease(pages, at, state);
  }

  /** Tells that the channel has ended, and why: whoever sees the reason or the end sees all. */
  public void setError(ChannelError error) {
    ControlWords.ERROR_INFO.setBits(pages, at, error.info());
    ControlWords.ERROR_ADDRESS.set(pages, at, error.address());
    ControlWords.ERROR_TIME_NS.set(pages, at, error.timeNs());
    ControlWords.ERROR.setRelease(pages, at, error.reason());
    ControlWords.STATE.setRelease(pages, at, GuestAbi.CHANNEL_DEAD);
    errors++;
    ControlWords.ERROR_SEQ.setRelease(pages, at, errors);
  }
}

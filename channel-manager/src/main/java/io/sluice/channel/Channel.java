package io.sluice.channel;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.state.GuestLimits;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A command-submission channel of a backend. Closing it ends it. {@link GuestGpu} says how refusals
 * are written here. SLU-GPU-007 is a real pscnv's, which cannot take a channel in hand.
 */
public interface Channel extends AutoCloseable {
  /** The guest's id of it, also the index of its control page. */
  int id();

  /**
   * Gives the channel its ring and lets it run (FIFO_INIT_IB).
   *
   * @param ringStart GPU address of the ring, mapped already; a multiple of 8
   * @param ringOrder the ring has 1 &lt;&lt; ringOrder entries of 8 bytes: 0 to {@link
   *     GuestLimits#MAX_RING_ORDER}, with NVIDIA 1 to 20
   * @param slimask pscnv's word, normally 1
   * @throws RefusedException EINVAL (SLU-GPU-001, SLU-RM-008): no such address or order; EBUSY
   *     (SLU-GPU-001, SLU-RM-011): it has a ring or has ended
   */
  void start(GpuVa ringStart, int ringOrder, int slimask);

  /** Its control page on its own, for process guests; the caller closes the fd. */
  GuestGpu.SharedArea controlPage();

  /**
   * What the guest stores in the doorbell to have this channel looked at; 0 without {@link
   * Capability#DOORBELL}.
   */
  int doorbellToken();

  /**
   * Declares an engine object (OBJ_ENG_NEW).
   *
   * @param handle the guest's own number for it
   * @param objectClass number of an engine class
   * @param flags pscnv's word
   * @throws RefusedException ENODEV (SLU-GPU-001, SLU-RM-010): the GPU has no such class; EBUSY
   *     (SLU-RM-011): it would need another engine than the channel runs on
   */
  void declareObject(int handle, int objectClass, int flags);

  /**
   * Words of methods that set its engines up, to be run before anything else when it goes on in
   * another channel of the hardware; a backend that saves the state of engines needs none.
   *
   * @param words at most {@link GuestLimits#MAX_SETUP_WORDS}; none for what is customary
   */
  default void setupSegment(int[] words) {}

  /**
   * Builds beforehand what {@link #restoreState} will need, so that it is short; on a channel that
   * has not started, whose objects are declared, and whose ring is mapped. Nobody notices.
   *
   * @param ringStart as for {@link #start}
   * @param ringOrder as for {@link #start}
   * @throws RefusedException EBUSY (SLU-RM-011): it has a ring or has ended; EINVAL (SLU-RM-008):
   *     no such order
   */
  default void prepareRestore(GpuVa ringStart, int ringOrder) {}

  /**
   * Stops taking entries; the guest's page stays live. Not counted: who suspends for several
   * reasons counts them.
   *
   * @throws RefusedException EOPNOTSUPP (SLU-GPU-007)
   */
  void suspend();

  /**
   * Takes entries again, however often it was suspended.
   *
   * @throws RefusedException EOPNOTSUPP (SLU-GPU-007)
   */
  void resume();

  /**
   * Stops reading GP_PUT: the guest's page becomes the shadow copy. What was put still runs.
   *
   * @throws RefusedException EBUSY (SLU-RM-011): it does not run; ENOENT (SLU-RM-009): its ring is
   *     not mapped any more; EOPNOTSUPP (SLU-RM-016): that is in video memory; EIO (SLU-RM-013):
   *     the GPU does not answer; EOPNOTSUPP (SLU-GPU-007)
   */
  void detach();

  /**
   * Reads GP_PUT again. A channel that cannot go on ends; nothing is thrown then.
   *
   * @throws RefusedException EBUSY (SLU-RM-011): it is not detached; EIO (SLU-RM-013): the GPU does
   *     not answer; EOPNOTSUPP (SLU-GPU-007)
   */
  void attach();

  /**
   * Ends the channel, unless it has ended.
   *
   * @param reason SLUICE_ERROR_* that it reports
   * @param info detail of the reason
   * @throws RefusedException EOPNOTSUPP (SLU-GPU-007)
   */
  void kill(int reason, int info);

  /**
   * Where its interrupts go: with an eventfd the GPU itself sets the channel's bit in the pending
   * bitmap and, when the bit was clear, signals the eventfd; without, they come as events. When
   * this returns a former eventfd is used no more. Needs {@link Capability#DIRECT_INTERRUPTS} and
   * {@link GuestGpu#setPendingBitmap}.
   *
   * @param eventfd stays the caller's; null for events
   * @throws RefusedException EOPNOTSUPP (SLU-CHN-009): the capability is missing; EINVAL
   *     (SLU-GPU-001): no eventfd, or no bitmap was set; EOPNOTSUPP (SLU-GPU-001): the host cannot
   *     signal it
   */
  default void setInterruptTarget(@Nullable Fd eventfd) {
    throw Refusal.missing(Capability.DIRECT_INTERRUPTS, "signalling eventfds");
  }

  /**
   * Its share of GPU time; needs {@link Capability#TIME_SHARES}.
   *
   * @param weight 1 to 1024, relative to the other channels of its guest
   * @throws RefusedException EINVAL (SLU-GPU-001, SLU-RM-008): out of range; EOPNOTSUPP
   *     (SLU-GPU-007)
   */
  void setWeight(int weight);

  /** Where it stands, as far as is known: the GPU is not asked, and nothing notices. */
  Status status();

  /**
   * Looks where it stands. What cannot be known otherwise the GPU is asked, and a command that
   * keeps others waiting may have to leave its engine for a moment. By the watchdog, and by whoever
   * moves the guest.
   */
  default Status look() {
    return status();
  }

  /**
   * A number that is another one when it has got on or was given more, as far as that can be told
   * without asking the GPU; empty when it cannot, or when it has nothing to do.
   */
  default OptionalLong progress() {
    return OptionalLong.empty();
  }

  /**
   * Everything the backend needs to go on elsewhere; needs {@link Capability#STATE_SAVE}.
   *
   * @throws RefusedException EBUSY (SLU-GPU-001): it is neither suspended nor detached, or within a
   *     command; EBUSY (SLU-RM-011): it is not detached and drained; EINVAL (SLU-GPU-001): it has
   *     no ring or has ended; EOPNOTSUPP (SLU-GPU-007)
   */
  byte[] saveState();

  /**
   * Sets what {@link #saveState} gave, on a channel that has not started. It is suspended then.
   *
   * @throws RefusedException EINVAL (SLU-GPU-001) or EPROTO (SLU-RM-014): no state of a channel;
   *     EBUSY (SLU-GPU-001, SLU-RM-011): it has a ring or has ended; EIO (SLU-RM-013): the GPU does
   *     not answer; EIO (SLU-RM-015): a buffer is not mapped any more where the guest had it;
   *     EOPNOTSUPP (SLU-GPU-007)
   */
  void restoreState(byte[] state);

  @Override
  void close();

  /**
   * The place of a channel in its life and in its work.
   *
   * @param cause of its end; {@link Cause#NONE} while it lives
   */
  record Status(ChannelState state, Cause cause, Progress progress, Usage usage) {
    /**
     * The cause of an end.
     *
     * @param reason SLUICE_ERROR_*, 0 while the channel lives
     * @param info detail of the reason
     * @param address of a fault; of a revoked region the byte offset in it; of the semaphore that
     *     it waited for when its time was over; otherwise 0
     */
    public record Cause(int reason, int info, long address) {
      /** Of a channel that lives. */
      public static final Cause NONE = new Cause(0, 0, 0);
    }

    /**
     * The progress of its work.
     *
     * @param gpGet next entry to fetch
     * @param gpPut as last read
     * @param drained nothing that was put is unfinished
     * @param waiting blocked on a semaphore acquire
     * @param semaphore the address it waits for, where the backend knows; otherwise 0
     */
    public record Progress(
        int gpGet, int gpPut, boolean drained, boolean waiting, long semaphore) {}

    /**
     * The use that it has made of the GPU, as far as the backend counts it.
     *
     * @param entries ring entries taken since it started
     * @param interrupts interrupts it asked for, those that count as one included
     * @param busyNs GPU time used
     * @param runningNs how long the running command has run; 0 when none does
     * @param instructions warp instructions of grids that have ended
     * @param interpreted those of them that a software GPU did not compile
     */
    public record Usage(
        long entries,
        long interrupts,
        long busyNs,
        long runningNs,
        long instructions,
        long interpreted) {
      /** Of a channel of which nothing is counted. */
      public static final Usage NONE = new Usage(0, 0, 0, 0, 0, 0);
    }
  }
}

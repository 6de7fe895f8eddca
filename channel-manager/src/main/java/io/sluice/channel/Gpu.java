package io.sluice.channel;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import java.util.Optional;

/**
 * One GPU of this host: the seam between Sluice and a backend.
 *
 * <p>docs/adr/0002-gpu-spi.md writes down how each call maps to pscnv and to NVIDIA's RM. {@link
 * GuestGpu} says how refusals are written here.
 */
public interface Gpu extends AutoCloseable {
  /** What the GPU is. */
  GpuInfo info();

  /** What this backend can do. */
  ImmutableSet<Capability> capabilities();

  /** What all guests together may have at one time, as far as the GPU itself limits it. */
  default SlotLimits slots() {
    return SlotLimits.NONE;
  }

  /** GPU time in nanoseconds (PTIMER). */
  long timeNs();

  /**
   * Opens the GPU for one guest: one DRM file, or one set of RM clients.
   *
   * @param guestName for messages only
   * @throws RefusedException what the driver refuses (SLU-GPU-001, SLU-RM-004)
   */
  GuestGpu open(String guestName);

  /**
   * Opens the GPU for a guest whose memory another daemon of this host has given away: control
   * pages and video memory are those files, with what is in them; without {@link
   * Capability#VRAM_APERTURE} the control pages alone. Needs {@link Capability#STATE_SAVE}.
   *
   * @param files stay the caller's
   * @throws RefusedException EOPNOTSUPP (SLU-CHN-009, SLU-GPU-008): the capability is missing;
   *     EPROTO (SLU-GPU-009): the file of video memory is missing; EINVAL (SLU-GPU-001) or EPROTO
   *     (SLU-RM-014): not such a file, by its length or its seals
   */
  default GuestGpu adopt(String guestName, AdoptedFiles files) {
    throw Refusal.missing(Capability.STATE_SAVE, "taking a guest's memory over");
  }

  /**
   * The files of a guest's memory, whole.
   *
   * @param control its control pages
   * @param vram its video memory; empty of a GPU whose video memory is no file
   */
  record AdoptedFiles(Fd control, Optional<Fd> vram) {}

  /**
   * Makes a piece of what would otherwise be made when a guest waits for it; takes some
   * milliseconds. By one thread, when it has nothing better to do.
   *
   * @param hostBytes how much host memory may be kept ready, 0 or more
   * @return whether there is more to make
   */
  default boolean prepareMore(long hostBytes) {
    return false;
  }

  /**
   * Takes what happens in the background a step further: detached channels drain, and one that was
   * given back before it had drained goes on. By one thread, when it is due or was woken; all
   * others only read how far it is.
   *
   * @param nowNs {@link #timeNs}
   * @return nanoseconds until it wants to be called again; {@link Long#MAX_VALUE} until the wakeup
   */
  default long poll(long nowNs) {
    return Long.MAX_VALUE;
  }

  /**
   * Finds out who has the GPU, where it does not tell by itself: {@link GuestGpu#timeUsage}. By one
   * thread, now and then; a call before it is due does nothing.
   *
   * @return nanoseconds until it wants to be called again, at most while there is a guest; {@link
   *     Long#MAX_VALUE} for never
   */
  default long countTime() {
    return Long.MAX_VALUE;
  }

  /**
   * @param wakeup run, by any thread and under any lock, when {@link #poll} has something to do
   */
  default void setWakeup(Runnable wakeup) {}

  @Override
  void close();
}

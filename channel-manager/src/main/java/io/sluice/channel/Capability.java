package io.sluice.channel;

/**
 * An ability of a GPU backend beyond the least that every one has. Nothing above asks which backend
 * runs.
 */
public enum Capability {
  /** Video memory is one file per guest that a machine can map whole. */
  VRAM_APERTURE,
  /** Work is announced by a doorbell page, not only by GP_PUT. */
  DOORBELL,
  /** Pages of guest memory become GPU buffers without a copy. */
  GUEST_MEMORY,
  /**
   * Interrupts and faults of a channel are reported with the channel they belong to. An interrupt
   * is a hint: a GPU that does not tell whose it was reports it for each that may have asked.
   */
  CHANNEL_EVENTS,
  /** A channel's interrupt can signal an eventfd by itself. */
  DIRECT_INTERRUPTS,
  /** Control pages have room for Sluice's own words behind the hardware's. */
  CONTROL_WORDS,
  /** A running channel can be ended. */
  KILL,
  /** A channel can be stopped between entries and continued. */
  SUSPEND,
  /** A channel can be made to stop reading GP_PUT, and drained. */
  DETACH,
  /** The whole engine state of a channel can be read and set. */
  STATE_SAVE,
  /** The backend knows exactly which pages the GPU wrote. */
  DIRTY_TRACKING,
  /** A buffer of video memory can become one of system memory, and return, at its GPU addresses. */
  EVICTION,
  /**
   * Bytes of buffers are moved by the GPU, without a guest's channel: where there is no aperture.
   */
  BUFFER_COPIES,
  /** Fingerprints of pages are computed by the GPU, without a guest's channel. */
  PAGE_FINGERPRINTS,
  /** GPU time can be shared by weight. */
  TIME_SHARES
}

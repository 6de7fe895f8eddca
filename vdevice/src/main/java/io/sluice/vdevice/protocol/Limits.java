package io.sluice.vdevice.protocol;

/**
 * The named maxima of the server: what a client may ask of it, and what it is told it may.
 *
 * <p>Together they bound what one client makes the server keep: two buffers of {@link
 * #MAX_BODY_BYTES} and one for requests of ours; {@link #MAX_DMA_MAPS} maps; 65 calls that wait; 33
 * requests of ours that wait; at most 2^16 that were given up; a log of writes with a bit for each
 * page of what may be mapped; and what the server has to close of descriptors that no message may
 * bring.
 */
public final class Limits {
  /** Bytes of data in one REGION_READ, REGION_WRITE, DMA_READ or DMA_WRITE. */
  public static final int MAX_DATA_BYTES = 256 * 1024;

  /** Bytes of version data, its NUL included. */
  public static final int MAX_VERSION_BYTES = 4096;

  /** Writes in one REGION_WRITE_MULTI; QEMU sends at most 200. */
  public static final int MAX_MULTI_WRITES = 256;

  /**
   * Bytes of a request that begins with {@code argsz}: clients send as many as they have room for
   * the reply, or as their version of the structure has.
   */
  static final int MAX_PADDED_BYTES = 4096;

  /** Bytes of data behind the head of a DEVICE_FEATURE. */
  static final int MAX_FEATURE_BYTES = 4096;

  /**
   * DMA maps at one time: as many regions as the software GPU names, less the one of the pending
   * bitmap.
   */
  public static final int MAX_DMA_MAPS = io.sluice.channel.state.GuestLimits.MAX_REGIONS - 1;

  /** Ranges of one DMA_LOGGING_START: as many as its data have room for. */
  public static final int MAX_LOGGED_RANGES = (MAX_FEATURE_BYTES - 16) / 16;

  /** Bytes of the bitmap of one DMA_LOGGING_REPORT. */
  public static final int MAX_REPORT_BYTES = MAX_DATA_BYTES - 32;

  /** Descriptors in one message: the kernel seam's own limit. */
  static final int MAX_MESSAGE_FDS = io.sluice.abi.sys.Kernel.MAX_MESSAGE_FDS;

  /** Granularity of DMA maps, and of everything a GPU maps of a guest. */
  public static final long PAGE_BYTES = 4096;

  /** Head of a region access: offset, region, count. */
  static final int REGION_ACCESS_BYTES = 16;

  /** Longest message body accepted: a region write with all its data. */
  public static final int MAX_BODY_BYTES = REGION_ACCESS_BYTES + MAX_DATA_BYTES;

  /** Vector 0 for calls and events, the others for channels. */
  public static final int MAX_VECTORS = 17;

  private Limits() {}
}

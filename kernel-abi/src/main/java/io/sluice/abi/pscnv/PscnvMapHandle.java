package io.sluice.abi.pscnv;

/**
 * The number that pscnv takes as the offset of {@code mmap}: a channel's control page, or a buffer.
 *
 * <pre>
 * 0x00000000_c0nn0000  control page of channel nn, 0x00 to 0x7f
 * 0xhhhhhhhh_xxxxxxxx  buffer h, not 0, from its start; the lower half is ignored
 * </pre>
 *
 * <p>Handles are computed here rather than taken from GEM_INFO, whose answer is wrong in pscnv
 * (handle OR 32 instead of handle shifted by 32).
 */
public final class PscnvMapHandle {
  private static final long CHANNEL = 0xc0000000L;
  private static final long CID_MASK = 0x7f0000L;
  private static final int CID_SHIFT = 16;
  private static final int BUFFER_SHIFT = 32;

  private PscnvMapHandle() {}

  /** The handle of a channel's control page. */
  public static long ofChannel(int cid) {
    if (cid < 0 || cid > 0x7f) {
      throw new IllegalArgumentException("no such channel id, cid=" + cid);
    }
    return CHANNEL | (long) cid << CID_SHIFT;
  }

  /** The handle of a buffer. */
  public static long ofBuffer(int handle) {
    if (handle == 0) {
      throw new IllegalArgumentException("a buffer's handle is not 0");
    }
    return (long) handle << BUFFER_SHIFT;
  }

  /** Whether it names a channel's control page. */
  public static boolean isChannel(long mapHandle) {
    return (mapHandle & ~CID_MASK) == CHANNEL;
  }

  /** Whether it names a buffer. */
  public static boolean isBuffer(long mapHandle) {
    return mapHandle >>> BUFFER_SHIFT != 0;
  }

  /** The channel of a handle for which {@link #isChannel} holds. */
  public static int channel(long mapHandle) {
    return (int) ((mapHandle & CID_MASK) >>> CID_SHIFT);
  }

  /** The buffer of a handle for which {@link #isBuffer} holds. */
  public static int buffer(long mapHandle) {
    return (int) (mapHandle >>> BUFFER_SHIFT);
  }
}

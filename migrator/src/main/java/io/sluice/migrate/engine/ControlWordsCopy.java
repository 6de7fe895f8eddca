package io.sluice.migrate.engine;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvLimits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A channel's control page on its way: the guest's half merged with the GPU's. The guest's words,
 * above all GP_PUT, come from the page it writes, the shadow; what the GPU publishes comes from the
 * channel's saved state, and is left alone here.
 */
final class ControlWordsCopy {
  /** Bytes of a page that are the hardware's layout. */
  static final int BYTES = GuestAbi.CONTROL_OFFSET;

  private ControlWordsCopy() {}

  /** The words of a channel's page. */
  static ByteBuffer take(MemorySegment pages, int channelId) {
    byte[] words = new byte[BYTES];
    MemorySegment.copy(
        pages, ValueLayout.JAVA_BYTE, channelId * PscnvLimits.CONTROL_PAGE_BYTES, words, 0, BYTES);
    return ByteBuffer.wrap(words);
  }

  /** Puts the guest's words into a page whose channel was restored. */
  static void put(ByteBuffer words, MemorySegment pages, int channelId) {
    long page = channelId * PscnvLimits.CONTROL_PAGE_BYTES;
    for (int at = 0; at < BYTES; at += Integer.BYTES) {
      if (!isPublished(at)) {
        pages.set(
            ValueLayout.JAVA_INT,
            page + at,
            words.order(ByteOrder.LITTLE_ENDIAN).getInt(words.position() + at));
      }
    }
  }

  private static boolean isPublished(int offset) {
    return switch (offset) {
      case 0x44, 0x48, 0x58, 0x5c, 0x60, GuestAbi.USERD_GP_GET -> true;
      default -> false;
    };
  }
}

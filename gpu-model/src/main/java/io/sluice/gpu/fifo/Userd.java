package io.sluice.gpu.fifo;

import static io.sluice.gpu.engine.LittleEndian.INT;
import static io.sluice.gpu.engine.LittleEndian.INT_ACCESS;

import java.lang.foreign.MemorySegment;

/**
 * The hardware's half of a channel's control page, class 906f. The guest writes GP_PUT, the GPU
 * writes the rest; the guest can write all of it, so the GPU keeps its own copies and only
 * publishes here.
 *
 * <pre>
 *  44 GET lo   48 REFERENCE   58 TOP_LEVEL_GET lo   5c TOP_LEVEL_GET hi, bit 31 valid
 *  60 GET hi   88 GP_GET      8c GP_PUT
 * </pre>
 */
final class Userd {
  private static final long GET_LOW = 0x44;
  private static final long REFERENCE = 0x48;
  private static final long TOP_LEVEL_GET_LOW = 0x58;
  private static final long TOP_LEVEL_GET_HIGH = 0x5c;
  private static final long GET_HIGH = 0x60;
  private static final long GP_GET = 0x88;
  private static final long GP_PUT = 0x8c;
  private static final int TOP_LEVEL_GET_VALID = 1 << 31;

  /** What pscnv clears when a channel gets its ring: first and last word of each range. */
  private static final long[][] CLEARED = {{0x40, 0x50}, {0x58, 0x60}, {0x88, 0x8c}};

  private final MemorySegment pages;
  private final long base;

  /**
   * @param pages the mapping of all control pages
   * @param base offset of this one
   */
  Userd(MemorySegment pages, long base) {
    this.pages = pages;
    this.base = base;
  }

  void clear() {
    for (long[] range : CLEARED) {
      for (long offset = range[0]; offset <= range[1]; offset += 4) {
        pages.set(INT, base + offset, 0);
      }
    }
  }

  /** GP_PUT; what was written before it can be read after this. */
  int gpPut() {
    return gpPut(pages, base);
  }

  /** GP_PUT of the page at an offset. */
  static int gpPut(MemorySegment pages, long base) {
    return (int) INT_ACCESS.getAcquire(pages, base + GP_PUT);
  }

  /** Has GP_PUT watched for another value than the one that was seen. */
  void watch(IdleWatch watch, int seen) {
    watch.add(pages, base, seen);
  }

  void publishGpGet(int index) {
    INT_ACCESS.setRelease(pages, base + GP_GET, index);
  }

  void publishReference(int value) {
    INT_ACCESS.setRelease(pages, base + REFERENCE, value);
  }

  void publishGet(long address) {
    INT_ACCESS.setRelease(pages, base + GET_LOW, (int) address);
    INT_ACCESS.setRelease(pages, base + GET_HIGH, (int) (address >>> 32));
  }

  void publishTopLevelGet(long address) {
    INT_ACCESS.setRelease(pages, base + TOP_LEVEL_GET_LOW, (int) address);
    INT_ACCESS.setRelease(
        pages, base + TOP_LEVEL_GET_HIGH, (int) (address >>> 32) | TOP_LEVEL_GET_VALID);
  }
}

package io.sluice.remoting.control;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The page that the daemon and all session hosts of a guest share, by which their memory counts
 * against one limit. A host has a line of 64 bytes, with a u64 at its beginning: the bytes that its
 * sessions hold. It adds first and looks at the sum then, so that two together do not go beyond the
 * limit.
 */
public final class MemoryPage {
  /** Bytes of the page. */
  public static final long BYTES = 4096;

  /** Most hosts of a guest. */
  public static final int MOST_HOSTS = 64;

  private static final long LINE_BYTES = 64;
  private static final VarHandle HELD = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment page;

  /**
   * @param page of {@link #BYTES}, which all map
   */
  public MemoryPage(MemorySegment page) {
    this.page = page.asSlice(0, BYTES);
  }

  /**
   * Adds to what a host holds.
   *
   * @return what all hosts hold then
   */
  public long add(int host, long bytes) {
    long _ = (long) HELD.getAndAdd(page, host * LINE_BYTES, bytes);
    long sum = 0;
    for (int i = 0; i < MOST_HOSTS; i++) {
      long held = Math.max(0, (long) HELD.getVolatile(page, i * LINE_BYTES));
      sum = held > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + held;
    }
    return sum;
  }

  /** A host is gone, with all it held; by the daemon. */
  public void clear(int host) {
    HELD.setVolatile(page, host * LINE_BYTES, 0L);
  }
}

package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_event_fd}: argument of EVENT_FD.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  fd                  out: an eventfd, the caller's own; readable while records wait
 *  0x04      4  pad
 * </pre>
 *
 * <p>8 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtEventFd {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U32.withName("fd"), Layouts.U32.withName("pad"))
          .withName("sluice_ext_event_fd");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle FD = LAYOUT.varHandle(PathElement.groupElement("fd"));

  private ExtEventFd() {}

  /** {@code fd}, out: an eventfd, the caller's own; readable while records wait. */
  public static int fd(MemorySegment segment) {
    return (int) FD.get(segment, 0L);
  }

  /** Sets {@link #fd}. */
  public static void fd(MemorySegment segment, int value) {
    FD.set(segment, 0L, value);
  }
}

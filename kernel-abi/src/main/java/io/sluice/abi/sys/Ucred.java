package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct ucred}: who is at the other end of a socket.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  pid                 process
 *  0x04      4  uid                 user
 *  0x08      4  gid                 group
 * </pre>
 *
 * <p>12 bytes. Source: sys/socket.h.
 */
final class Ucred {
  /** The layout, with the names of the C structure. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("pid"), Layouts.U32.withName("uid"), Layouts.U32.withName("gid"))
          .withName("ucred");

  /** Bytes of the structure. */
  static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle PID = LAYOUT.varHandle(PathElement.groupElement("pid"));
  private static final VarHandle UID = LAYOUT.varHandle(PathElement.groupElement("uid"));
  private static final VarHandle GID = LAYOUT.varHandle(PathElement.groupElement("gid"));

  private Ucred() {}

  /** {@code pid}: process. */
  static int pid(MemorySegment segment) {
    return (int) PID.get(segment, 0L);
  }

  /** Sets {@link #pid}. */
  static void pid(MemorySegment segment, int value) {
    PID.set(segment, 0L, value);
  }

  /** {@code uid}: user. */
  static int uid(MemorySegment segment) {
    return (int) UID.get(segment, 0L);
  }

  /** Sets {@link #uid}. */
  static void uid(MemorySegment segment, int value) {
    UID.set(segment, 0L, value);
  }

  /** {@code gid}: group. */
  static int gid(MemorySegment segment) {
    return (int) GID.get(segment, 0L);
  }

  /** Sets {@link #gid}. */
  static void gid(MemorySegment segment, int value) {
    GID.set(segment, 0L, value);
  }
}

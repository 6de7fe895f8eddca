package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct iocb}: a request of asynchronous I/O.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  aio_data            comes back in the event
 *  0x08      4  aio_key             the kernel's
 *  0x0c      4  aio_rw_flags
 *  0x10      2  aio_lio_opcode      PREAD
 *  0x12      2  aio_reqprio
 *  0x14      4  aio_fildes          what is read
 *  0x18      8  aio_buf
 *  0x20      8  aio_nbytes
 *  0x28      8  aio_offset
 *  0x30      8  aio_reserved2
 *  0x38      4  aio_flags           RESFD
 *  0x3c      4  aio_resfd           eventfd that is signalled at the end
 * </pre>
 *
 * <p>64 bytes. Source: linux/aio_abi.h, little-endian.
 */
final class Iocb {
  /** {@code IOCB_CMD_PREAD}. */
  static final short PREAD = 0;

  /** {@code IOCB_FLAG_RESFD}: {@link #resfd} is valid. */
  static final int RESFD = 1;

  /** The layout, with the names of the C structure. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U64.withName("aio_data"),
              Layouts.U32.withName("aio_key"),
              Layouts.U32.withName("aio_rw_flags"),
              Layouts.U16.withName("aio_lio_opcode"),
              Layouts.U16.withName("aio_reqprio"),
              Layouts.U32.withName("aio_fildes"),
              Layouts.U64.withName("aio_buf"),
              Layouts.U64.withName("aio_nbytes"),
              Layouts.U64.withName("aio_offset"),
              Layouts.U64.withName("aio_reserved2"),
              Layouts.U32.withName("aio_flags"),
              Layouts.U32.withName("aio_resfd"))
          .withName("iocb");

  /** Bytes of the structure. */
  static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle LIO_OPCODE = handle("aio_lio_opcode");
  private static final VarHandle FILDES = handle("aio_fildes");
  private static final VarHandle FLAGS = handle("aio_flags");
  private static final VarHandle RESFD_NUMBER = handle("aio_resfd");

  private Iocb() {}

  private static VarHandle handle(String field) {
    return LAYOUT.varHandle(PathElement.groupElement(field));
  }

  /** Sets {@code aio_lio_opcode}. */
  static void opcode(MemorySegment segment, short value) {
    LIO_OPCODE.set(segment, 0L, value);
  }

  /** Sets {@code aio_fildes}: what is read. */
  static void fildes(MemorySegment segment, int value) {
    FILDES.set(segment, 0L, value);
  }

  /** Sets {@code aio_flags}. */
  static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** Sets {@code aio_resfd}: the eventfd that is signalled at the end. */
  static void resfd(MemorySegment segment, int value) {
    RESFD_NUMBER.set(segment, 0L, value);
  }
}

package io.sluice.abi.sys;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct iocb}: a request of asynchronous I/O.
 *
 * <p>64 bytes. Source: linux/aio_abi.h, little-endian.
 */
final class Iocb {
  /** {@code IOCB_CMD_PREAD}. */
  static final short PREAD = 0;

  /** {@code IOCB_FLAG_RESFD}: {@link #RESFD_NUMBER} is valid. */
  static final int RESFD = 1;

  private static final Struct S = Struct.aligned("iocb");
  static final U16 LIO_OPCODE =
      S.unused64("aio_data", "comes back in the event")
          .unused32("aio_key", "the kernel's")
          .unused32("aio_rw_flags", "not used")
          .u16("aio_lio_opcode", "PREAD");
  static final S32 FILDES = S.unused16("aio_reqprio", "not used").s32("aio_fildes", "what is read");
  static final U32 FLAGS =
      S.unused64("aio_buf", "not used")
          .unused64("aio_nbytes", "not used")
          .unused64("aio_offset", "not used")
          .unused64("aio_reserved2", "not used")
          .u32("aio_flags", "RESFD");
  static final S32 RESFD_NUMBER = S.s32("aio_resfd", "eventfd that is signalled at the end");
  static final StructLayout LAYOUT = S.layout();

  private Iocb() {}
}

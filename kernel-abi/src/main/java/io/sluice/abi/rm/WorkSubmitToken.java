package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS}: block of GET_WORK_SUBMIT_TOKEN.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  workSubmitToken           out: what to store in the doorbell
 * </pre>
 *
 * <p>4 bytes. Source: ctrlc36f.h.
 */
public final class WorkSubmitToken {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U32.withName("workSubmitToken"))
          .withName("NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle TOKEN =
      LAYOUT.varHandle(PathElement.groupElement("workSubmitToken"));

  private WorkSubmitToken() {}

  /** {@code workSubmitToken}, out: what to store in the doorbell. */
  public static int token(MemorySegment segment) {
    return (int) TOKEN.get(segment, 0L);
  }

  /** Sets {@link #token}. */
  public static void token(MemorySegment segment, int value) {
    TOKEN.set(segment, 0L, value);
  }
}

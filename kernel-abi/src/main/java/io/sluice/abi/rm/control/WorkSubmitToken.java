package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS}: block of GET_WORK_SUBMIT_TOKEN.
 *
 * <p>4 bytes. Source: ctrlc36f.h.
 */
public final class WorkSubmitToken {
  private static final Struct S =
      Struct.aligned("NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS");
  public static final U32 TOKEN = S.u32("workSubmitToken", "out: what to store in the doorbell");
  public static final StructLayout LAYOUT = S.layout();

  private WorkSubmitToken() {}
}

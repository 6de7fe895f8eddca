package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * The host's half of a control page, at CONTROL_OFFSET. {@code struct sluice_control},
 * sluice_abi.h.
 */
public final class ControlWords {
  private static final Struct S = Struct.aligned("sluice_control");
  public static final U32 GENERATION =
      S.u32("generation", "never 0 in a page that counts; 0: read again");
  public static final U32 DOORBELL_TOKEN = S.u32("doorbell_token", "what to write to the doorbell");
  public static final U32 STATE = S.u32("state", "SLUICE_CHANNEL_*");
  public static final U32 ERROR = S.u32("error", "SLUICE_ERROR_*, 0 while the channel lives");
  public static final U32 ERROR_INFO = S.u32("error_info", "of the error");
  public static final U32 ERROR_SEQ = S.u32("error_seq", "counts errors; stored last (release)");
  public static final U64 ERROR_ADDRESS = S.u64("error_address", "of the error");
  public static final U64 ERROR_TIME_NS = S.u64("error_time_ns", "GPU time");
  public static final StructLayout LAYOUT = S.layout();

  private ControlWords() {}
}

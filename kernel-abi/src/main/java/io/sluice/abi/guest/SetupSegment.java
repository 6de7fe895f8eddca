package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of SETUP_SEGMENT. {@code struct sluice_setup_segment}, sluice_abi.h. */
public final class SetupSegment {
  private static final Struct S = Struct.aligned("sluice_setup_segment");
  public static final U32 CID = S.u32("cid", "in");
  public static final U32 WORDS =
      S.u32(
          "words",
          "in: pushbuffer words, 0 takes the segment back, at most SLUICE_MAX_SETUP_WORDS");
  public static final U64 IOVA = S.u64("iova", "in: bus address of the words, which are copied");
  public static final StructLayout LAYOUT = S.layout();

  private SetupSegment() {}
}

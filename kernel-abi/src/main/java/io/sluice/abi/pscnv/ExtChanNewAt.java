package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_chan_new_at}: argument of CHAN_NEW_AT: CHAN_NEW with a control page of
 * choice.
 *
 * <p>24 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtChanNewAt {
  /** Any free page will do. */
  public static final int ANY_PAGE = ~0;

  private static final Struct S = Struct.aligned("sluice_ext_chan_new_at");
  public static final U32 VID = S.u32("vid", "in: address space");
  public static final U32 PAGE =
      S.u32("page", "in: index in the control file, ANY_PAGE for any; out: the index");
  public static final U32 CID = S.u32("cid", "out: channel");
  public static final U64 MAP_HANDLE = S.u64("map_handle", "out: of its control page");
  public static final StructLayout LAYOUT = S.layout();

  private ExtChanNewAt() {}
}

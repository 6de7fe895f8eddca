package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of MEM_PAGES. {@code struct sluice_mem_pages}, sluice_abi.h. */
public final class MemPages {
  private static final Struct S = Struct.aligned("sluice_mem_pages");
  public static final U32 HANDLE = S.u32("handle", "in");
  public static final U32 COUNT =
      S.u32("count", "in: extents in the list, 1 .. SLUICE_MAX_EXTENTS");
  public static final U64 OFFSET =
      S.u64("offset", "in: byte offset in the buffer where the first extent goes");
  public static final U64 LIST_IOVA =
      S.u64("list_iova", "in: bus address of struct sluice_extent[count], in one page");
  public static final StructLayout LAYOUT = S.layout();

  private MemPages() {}
}

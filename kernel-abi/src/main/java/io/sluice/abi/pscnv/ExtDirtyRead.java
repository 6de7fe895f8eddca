package io.sluice.abi.pscnv;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_dirty_read}: argument of DIRTY_READ: the pages the GPU wrote.
 *
 * <p>4120 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtDirtyRead {
  /** Forget what is returned. */
  public static final int CLEAR = 1;

  /** Most pages of one call. */
  public static final int MAX_PAGES = 0x8000;

  private static final Struct S = Struct.aligned("sluice_ext_dirty_read");
  public static final U32 HANDLE = S.u32("handle", "in: buffer");
  public static final U32 FLAGS = S.u32("flags", "in: CLEAR or 0");
  public static final U64 FIRST_PAGE = S.u64("first_page", "in: index of the first page asked for");
  public static final U32 PAGES = S.u32("pages", "in: how many, at most MAX_PAGES");
  public static final Elements<U8> BITMAP =
      S.pad(4).bytes("bitmap", 4096, "out: a bit per page, the lowest first");
  public static final StructLayout LAYOUT = S.layout();

  private ExtDirtyRead() {}
}

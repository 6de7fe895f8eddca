package io.sluice.abi.pscnv;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_event_read}: argument of EVENT_READ.
 *
 * <p>2056 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtEventRead {
  /** Most records of one call. */
  public static final int MAX_RECORDS = 64;

  private static final Struct S = Struct.aligned("sluice_ext_event_read");
  public static final U32 COUNT =
      S.u32("count", "in: most records wanted, 1 to MAX_RECORDS; out: how many came");
  public static final Elements<Long> RECORDS =
      S.structs("records", 64, ExtEvent.LAYOUT, "events, latched per channel");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private ExtEventRead() {}
}

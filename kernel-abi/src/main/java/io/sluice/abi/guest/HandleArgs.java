package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * Arguments of MEM_FREE, VSPACE_NEW, VSPACE_FREE, CHAN_FREE and API_CLOSE. {@code struct
 * sluice_handle}, sluice_abi.h.
 */
public final class HandleArgs {
  private static final Struct S = Struct.aligned("sluice_handle");
  public static final U32 HANDLE =
      S.u32("handle", "memory handle, address-space id, channel id or API session");
  public static final StructLayout LAYOUT = S.pad(4).layout();

  private HandleArgs() {}
}

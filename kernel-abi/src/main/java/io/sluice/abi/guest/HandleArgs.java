package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * Arguments of MEM_FREE, VSPACE_NEW, VSPACE_FREE and CHAN_FREE. {@code struct sluice_handle},
 * sluice_abi.h.
 */
public final class HandleArgs {
  private static final Struct S = Struct.aligned("sluice_handle");
  public static final U32 HANDLE = S.u32("handle", "memory handle, address-space id or channel id");
  public static final StructLayout LAYOUT = S.pad(4).layout();

  private HandleArgs() {}
}

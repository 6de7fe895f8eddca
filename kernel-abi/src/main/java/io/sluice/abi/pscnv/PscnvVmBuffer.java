package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_vm_rw}: argument of VM_READ and VM_WRITE (pscnv as bundled with Gdev).
 * Holds addresses of this process.
 *
 * <p>40 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVmBuffer {
  private static final Struct S = Struct.aligned("drm_pscnv_vm_rw");
  public static final U32 VID = S.u32("vid", "in: address space");
  public static final U32 HANDLE = S.u32("handle", "in: buffer");
  public static final U64 ADDR = S.u64("addr", "in: address");
  public static final U32 SIZE_FIELD = S.u32("size", "in: bytes");
  public static final U64 BUF_RD = S.u64("buf_rd", "in: where VM_READ writes to");
  public static final U64 BUF_WR = S.u64("buf_wr", "in: where VM_WRITE reads from");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvVmBuffer() {}
}

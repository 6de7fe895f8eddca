package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_user_dma_map}: body of DMA_MAP.
 *
 * <p>32 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DMA_MAP"; MMAP and FILE_IO: libvfio-user.
 */
public final class DmaMap {
  /** The device may read. */
  public static final int FLAG_READ = 1;

  /** The device may write. */
  public static final int FLAG_WRITE = 2;

  /** The file can be mapped; libvfio-user only. */
  public static final int FLAG_MMAP = 4;

  private static final Struct S = Struct.packed("vfio_user_dma_map");
  public static final U32 ARGSZ = S.u32("argsz", "bytes of this structure");
  public static final U32 FLAGS = S.u32("flags", "FLAG_*");
  public static final U64 OFFSET = S.u64("offset", "bytes into the file that came along");
  public static final U64 ADDR = S.u64("addr", "IOVA");
  public static final U64 SIZE_FIELD = S.u64("size", "bytes");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private DmaMap() {}
}

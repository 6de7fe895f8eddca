package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code NV_MEMORY_ALLOCATION_PARAMS}: block of NV01_MEMORY_LOCAL_USER and NV01_MEMORY_SYSTEM.
 *
 * <p>128 bytes. Source: nvos.h.
 */
public final class MemoryAlloc {
  /** {@link #TYPE}: an image, which is what plain video memory is. */
  public static final int TYPE_IMAGE = 0;

  /** {@link #TYPE}: plain system memory. */
  public static final int TYPE_NOTIFIER = 13;

  /** {@link #FLAGS}: banks do not matter. */
  public static final int FLAGS_IGNORE_BANK_PLACEMENT = 1;

  /** {@link #FLAGS}: {@link #ALIGNMENT} is to be kept. */
  public static final int FLAGS_ALIGNMENT_FORCE = 1 << 8;

  /** {@link #FLAGS}: the handle is the caller's. */
  public static final int FLAGS_MEMORY_HANDLE_PROVIDED = 1 << 14;

  /** {@link #FLAGS}: no mapping is made with it. */
  public static final int FLAGS_MAP_NOT_REQUIRED = 1 << 15;

  /** {@link #FLAGS}: stays where it is. */
  public static final int FLAGS_PERSISTENT_VIDMEM = 1 << 16;

  /** {@link #ATTR}: 4 KiB pages. */
  public static final int ATTR_PAGE_SIZE_4KB = 1 << 23;

  /** {@link #ATTR}: 64 KiB pages. */
  public static final int ATTR_PAGE_SIZE_BIG = 2 << 23;

  /** {@link #ATTR}: 2 MiB pages. */
  public static final int ATTR_PAGE_SIZE_HUGE = 3 << 23;

  /** {@link #ATTR}: in system memory, over PCI. */
  public static final int ATTR_LOCATION_PCI = 1 << 25;

  /** {@link #ATTR}: any physical pages. */
  public static final int ATTR_PHYSICALITY_ALLOW_NONCONTIGUOUS = 3 << 27;

  /** {@link #ATTR}: cached, write back. */
  public static final int ATTR_COHERENCY_WRITE_BACK = 5 << 29;

  /** {@link #ATTR2}: cached by the GPU. */
  public static final int ATTR2_GPU_CACHEABLE = 1 << 2;

  /** {@link #ATTR2}: not cached by the GPU. */
  public static final int ATTR2_GPU_UNCACHEABLE = 2 << 2;

  /** {@link #ATTR2}: huge pages are those of 2 MiB. */
  public static final int ATTR2_PAGE_SIZE_HUGE_2MB = 1 << 20;

  private static final Struct S = Struct.aligned("NV_MEMORY_ALLOCATION_PARAMS");
  public static final U32 OWNER = S.u32("owner", "in: client");
  public static final U32 TYPE = S.u32("type", "in");
  public static final U32 FLAGS = S.u32("flags", "in");
  public static final U32 ATTR =
      S.unused32("width", "in: 0")
          .unused32("height", "in: 0")
          .unused32("pitch", "in: 0")
          .u32("attr", "in");
  public static final U32 ATTR2 = S.u32("attr2", "in");
  public static final U64 SIZE_BYTES =
      S.unused32("format", "in: 0")
          .unused32("comprCovg", "in: 0")
          .unused32("zcullCovg", "in: 0")
          .unused64("rangeLo", "in: 0")
          .unused64("rangeHi", "in: 0")
          .u64("size", "in: bytes");
  public static final U64 ALIGNMENT = S.u64("alignment", "in: bytes");
  public static final U64 LIMIT = S.unused64("offset", "out").u64("limit", "in: bytes minus 1");
  public static final StructLayout LAYOUT =
      S.unused64("address", "in: 0")
          .unused32("ctagOffset", "in: 0")
          .unused32("hVASpace", "in: 0")
          .unused32("internalflags", "in: 0")
          .unused32("tag", "in: 0")
          .unused32("numaNode", "in: 0")
          .layout();

  private MemoryAlloc() {}
}

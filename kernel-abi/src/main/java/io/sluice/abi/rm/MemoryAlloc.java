package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV_MEMORY_ALLOCATION_PARAMS}: block of NV01_MEMORY_LOCAL_USER and NV01_MEMORY_SYSTEM.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  owner                     in: client
 * 0x04      4  type                      in
 * 0x08      4  flags                     in
 * 0x0c      4  width                     in: 0
 * 0x10      4  height                    in: 0
 * 0x14      4  pitch                     in: 0
 * 0x18      4  attr                      in
 * 0x1c      4  attr2                     in
 * 0x20      4  format                    in: 0
 * 0x24      4  comprCovg                 in: 0
 * 0x28      4  zcullCovg                 in: 0
 * 0x30      8  rangeLo                   in: 0
 * 0x38      8  rangeHi                   in: 0
 * 0x40      8  size                      in: bytes
 * 0x48      8  alignment                 in: bytes
 * 0x50      8  offset                    out
 * 0x58      8  limit                     in: bytes minus 1
 * 0x60      8  address                   in: 0
 * 0x68      4  ctagOffset                in: 0
 * 0x6c      4  hVASpace                  in: 0
 * 0x70      4  internalflags             in: 0
 * 0x74      4  tag                       in: 0
 * 0x78      4  numaNode                  in: 0
 * </pre>
 *
 * <p>128 bytes. Source: nvos.h.
 */
public final class MemoryAlloc {
  /** {@link #type}: an image, which is what plain video memory is. */
  public static final int TYPE_IMAGE = 0;

  /** {@link #type}: plain system memory. */
  public static final int TYPE_NOTIFIER = 13;

  /** {@link #flags}: banks do not matter. */
  public static final int FLAGS_IGNORE_BANK_PLACEMENT = 1;

  /** {@link #flags}: {@link #alignment} is to be kept. */
  public static final int FLAGS_ALIGNMENT_FORCE = 1 << 8;

  /** {@link #flags}: the handle is the caller's. */
  public static final int FLAGS_MEMORY_HANDLE_PROVIDED = 1 << 14;

  /** {@link #flags}: no mapping is made with it. */
  public static final int FLAGS_MAP_NOT_REQUIRED = 1 << 15;

  /** {@link #flags}: stays where it is. */
  public static final int FLAGS_PERSISTENT_VIDMEM = 1 << 16;

  /** {@link #attr}: 4 KiB pages. */
  public static final int ATTR_PAGE_SIZE_4KB = 1 << 23;

  /** {@link #attr}: 64 KiB pages. */
  public static final int ATTR_PAGE_SIZE_BIG = 2 << 23;

  /** {@link #attr}: 2 MiB pages. */
  public static final int ATTR_PAGE_SIZE_HUGE = 3 << 23;

  /** {@link #attr}: in system memory, over PCI. */
  public static final int ATTR_LOCATION_PCI = 1 << 25;

  /** {@link #attr}: any physical pages. */
  public static final int ATTR_PHYSICALITY_ALLOW_NONCONTIGUOUS = 3 << 27;

  /** {@link #attr}: cached, write back. */
  public static final int ATTR_COHERENCY_WRITE_BACK = 5 << 29;

  /** {@link #attr2}: cached by the GPU. */
  public static final int ATTR2_GPU_CACHEABLE = 1 << 2;

  /** {@link #attr2}: not cached by the GPU. */
  public static final int ATTR2_GPU_UNCACHEABLE = 2 << 2;

  /** {@link #attr2}: huge pages are those of 2 MiB. */
  public static final int ATTR2_PAGE_SIZE_HUGE_2MB = 1 << 20;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("owner"),
              Layouts.U32.withName("type"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("width"),
              Layouts.U32.withName("height"),
              Layouts.U32.withName("pitch"),
              Layouts.U32.withName("attr"),
              Layouts.U32.withName("attr2"),
              Layouts.U32.withName("format"),
              Layouts.U32.withName("comprCovg"),
              Layouts.U32.withName("zcullCovg"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              Layouts.U64.withName("rangeLo"),
              Layouts.U64.withName("rangeHi"),
              Layouts.U64.withName("size"),
              Layouts.U64.withName("alignment"),
              Layouts.U64.withName("offset"),
              Layouts.U64.withName("limit"),
              Layouts.U64.withName("address"),
              Layouts.U32.withName("ctagOffset"),
              Layouts.U32.withName("hVASpace"),
              Layouts.U32.withName("internalflags"),
              Layouts.U32.withName("tag"),
              Layouts.U32.withName("numaNode"),
              MemoryLayout.paddingLayout(4).withName("pad1"))
          .withName("NV_MEMORY_ALLOCATION_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle OWNER = LAYOUT.varHandle(PathElement.groupElement("owner"));

  private static final VarHandle TYPE = LAYOUT.varHandle(PathElement.groupElement("type"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle WIDTH = LAYOUT.varHandle(PathElement.groupElement("width"));

  private static final VarHandle HEIGHT = LAYOUT.varHandle(PathElement.groupElement("height"));

  private static final VarHandle PITCH = LAYOUT.varHandle(PathElement.groupElement("pitch"));

  private static final VarHandle ATTR = LAYOUT.varHandle(PathElement.groupElement("attr"));

  private static final VarHandle ATTR2 = LAYOUT.varHandle(PathElement.groupElement("attr2"));

  private static final VarHandle FORMAT = LAYOUT.varHandle(PathElement.groupElement("format"));

  private static final VarHandle COMPR_COVG =
      LAYOUT.varHandle(PathElement.groupElement("comprCovg"));

  private static final VarHandle ZCULL_COVG =
      LAYOUT.varHandle(PathElement.groupElement("zcullCovg"));

  private static final VarHandle RANGE_LO = LAYOUT.varHandle(PathElement.groupElement("rangeLo"));

  private static final VarHandle RANGE_HI = LAYOUT.varHandle(PathElement.groupElement("rangeHi"));

  private static final VarHandle SIZE_BYTES = LAYOUT.varHandle(PathElement.groupElement("size"));

  private static final VarHandle ALIGNMENT =
      LAYOUT.varHandle(PathElement.groupElement("alignment"));

  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));

  private static final VarHandle LIMIT = LAYOUT.varHandle(PathElement.groupElement("limit"));

  private static final VarHandle ADDRESS = LAYOUT.varHandle(PathElement.groupElement("address"));

  private static final VarHandle CTAG_OFFSET =
      LAYOUT.varHandle(PathElement.groupElement("ctagOffset"));

  private static final VarHandle H_VA_SPACE =
      LAYOUT.varHandle(PathElement.groupElement("hVASpace"));

  private static final VarHandle INTERNAL_FLAGS =
      LAYOUT.varHandle(PathElement.groupElement("internalflags"));

  private static final VarHandle TAG = LAYOUT.varHandle(PathElement.groupElement("tag"));

  private static final VarHandle NUMA_NODE = LAYOUT.varHandle(PathElement.groupElement("numaNode"));

  private MemoryAlloc() {}

  /** {@code owner}, in: client. */
  public static int owner(MemorySegment segment) {
    return (int) OWNER.get(segment, 0L);
  }

  /** Sets {@link #owner}. */
  public static void owner(MemorySegment segment, int value) {
    OWNER.set(segment, 0L, value);
  }

  /** {@code type}, in. */
  public static int type(MemorySegment segment) {
    return (int) TYPE.get(segment, 0L);
  }

  /** Sets {@link #type}. */
  public static void type(MemorySegment segment, int value) {
    TYPE.set(segment, 0L, value);
  }

  /** {@code flags}, in. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code width}, in: 0. */
  public static int width(MemorySegment segment) {
    return (int) WIDTH.get(segment, 0L);
  }

  /** Sets {@link #width}. */
  public static void width(MemorySegment segment, int value) {
    WIDTH.set(segment, 0L, value);
  }

  /** {@code height}, in: 0. */
  public static int height(MemorySegment segment) {
    return (int) HEIGHT.get(segment, 0L);
  }

  /** Sets {@link #height}. */
  public static void height(MemorySegment segment, int value) {
    HEIGHT.set(segment, 0L, value);
  }

  /** {@code pitch}, in: 0. */
  public static int pitch(MemorySegment segment) {
    return (int) PITCH.get(segment, 0L);
  }

  /** Sets {@link #pitch}. */
  public static void pitch(MemorySegment segment, int value) {
    PITCH.set(segment, 0L, value);
  }

  /** {@code attr}, in. */
  public static int attr(MemorySegment segment) {
    return (int) ATTR.get(segment, 0L);
  }

  /** Sets {@link #attr}. */
  public static void attr(MemorySegment segment, int value) {
    ATTR.set(segment, 0L, value);
  }

  /** {@code attr2}, in. */
  public static int attr2(MemorySegment segment) {
    return (int) ATTR2.get(segment, 0L);
  }

  /** Sets {@link #attr2}. */
  public static void attr2(MemorySegment segment, int value) {
    ATTR2.set(segment, 0L, value);
  }

  /** {@code format}, in: 0. */
  public static int format(MemorySegment segment) {
    return (int) FORMAT.get(segment, 0L);
  }

  /** Sets {@link #format}. */
  public static void format(MemorySegment segment, int value) {
    FORMAT.set(segment, 0L, value);
  }

  /** {@code comprCovg}, in: 0. */
  public static int comprCovg(MemorySegment segment) {
    return (int) COMPR_COVG.get(segment, 0L);
  }

  /** Sets {@link #comprCovg}. */
  public static void comprCovg(MemorySegment segment, int value) {
    COMPR_COVG.set(segment, 0L, value);
  }

  /** {@code zcullCovg}, in: 0. */
  public static int zcullCovg(MemorySegment segment) {
    return (int) ZCULL_COVG.get(segment, 0L);
  }

  /** Sets {@link #zcullCovg}. */
  public static void zcullCovg(MemorySegment segment, int value) {
    ZCULL_COVG.set(segment, 0L, value);
  }

  /** {@code rangeLo}, in: 0. */
  public static long rangeLo(MemorySegment segment) {
    return (long) RANGE_LO.get(segment, 0L);
  }

  /** Sets {@link #rangeLo}. */
  public static void rangeLo(MemorySegment segment, long value) {
    RANGE_LO.set(segment, 0L, value);
  }

  /** {@code rangeHi}, in: 0. */
  public static long rangeHi(MemorySegment segment) {
    return (long) RANGE_HI.get(segment, 0L);
  }

  /** Sets {@link #rangeHi}. */
  public static void rangeHi(MemorySegment segment, long value) {
    RANGE_HI.set(segment, 0L, value);
  }

  /** {@code size}, in: bytes. */
  public static long sizeBytes(MemorySegment segment) {
    return (long) SIZE_BYTES.get(segment, 0L);
  }

  /** Sets {@link #sizeBytes}. */
  public static void sizeBytes(MemorySegment segment, long value) {
    SIZE_BYTES.set(segment, 0L, value);
  }

  /** {@code alignment}, in: bytes. */
  public static long alignment(MemorySegment segment) {
    return (long) ALIGNMENT.get(segment, 0L);
  }

  /** Sets {@link #alignment}. */
  public static void alignment(MemorySegment segment, long value) {
    ALIGNMENT.set(segment, 0L, value);
  }

  /** {@code offset}, out. */
  public static long offset(MemorySegment segment) {
    return (long) OFFSET.get(segment, 0L);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long value) {
    OFFSET.set(segment, 0L, value);
  }

  /** {@code limit}, in: bytes minus 1. */
  public static long limit(MemorySegment segment) {
    return (long) LIMIT.get(segment, 0L);
  }

  /** Sets {@link #limit}. */
  public static void limit(MemorySegment segment, long value) {
    LIMIT.set(segment, 0L, value);
  }

  /** {@code address}, in: 0. */
  public static long address(MemorySegment segment) {
    return (long) ADDRESS.get(segment, 0L);
  }

  /** Sets {@link #address}. */
  public static void address(MemorySegment segment, long value) {
    ADDRESS.set(segment, 0L, value);
  }

  /** {@code ctagOffset}, in: 0. */
  public static int ctagOffset(MemorySegment segment) {
    return (int) CTAG_OFFSET.get(segment, 0L);
  }

  /** Sets {@link #ctagOffset}. */
  public static void ctagOffset(MemorySegment segment, int value) {
    CTAG_OFFSET.set(segment, 0L, value);
  }

  /** {@code hVASpace}, in: 0. */
  public static int hVaSpace(MemorySegment segment) {
    return (int) H_VA_SPACE.get(segment, 0L);
  }

  /** Sets {@link #hVaSpace}. */
  public static void hVaSpace(MemorySegment segment, int value) {
    H_VA_SPACE.set(segment, 0L, value);
  }

  /** {@code internalflags}, in: 0. */
  public static int internalFlags(MemorySegment segment) {
    return (int) INTERNAL_FLAGS.get(segment, 0L);
  }

  /** Sets {@link #internalFlags}. */
  public static void internalFlags(MemorySegment segment, int value) {
    INTERNAL_FLAGS.set(segment, 0L, value);
  }

  /** {@code tag}, in: 0. */
  public static int tag(MemorySegment segment) {
    return (int) TAG.get(segment, 0L);
  }

  /** Sets {@link #tag}. */
  public static void tag(MemorySegment segment, int value) {
    TAG.set(segment, 0L, value);
  }

  /** {@code numaNode}, in: 0. */
  public static int numaNode(MemorySegment segment) {
    return (int) NUMA_NODE.get(segment, 0L);
  }

  /** Sets {@link #numaNode}. */
  public static void numaNode(MemorySegment segment, int value) {
    NUMA_NODE.set(segment, 0L, value);
  }
}

package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code nv_ioctl_card_info_t}: one of the 32 cards that CARD_INFO tells of.
 *
 * <pre>
 * offset  size  field
 * 0x00      1  valid                     out: not 0 if there is a card
 * 0x04      4  domain                    out: PCI domain
 * 0x08      1  bus                       out: PCI bus
 * 0x09      1  slot                      out: PCI slot
 * 0x0a      1  function                  out: PCI function
 * 0x0c      2  vendor_id                 out: PCI vendor id
 * 0x0e      2  device_id                 out: PCI device id
 * 0x10      4  gpu_id                    out: RM's number of the card
 * 0x14      2  interrupt_line            out
 * 0x18      8  reg_address               out: bus address of BAR 0
 * 0x20      8  reg_size                  out
 * 0x28      8  fb_address                out: bus address of BAR 1
 * 0x30      8  fb_size                   out
 * 0x38      4  minor_number              out: n of /dev/nvidian
 * 0x3c     10  dev_name[10]              out
 * </pre>
 *
 * <p>72 bytes. Source: nv-ioctl.h.
 */
public final class NvCardInfo {
  /** Cards in one answer. */
  public static final int MAX_CARDS = 32;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U8.withName("valid"),
              MemoryLayout.paddingLayout(3).withName("pad0"),
              Layouts.U32.withName("domain"),
              Layouts.U8.withName("bus"),
              Layouts.U8.withName("slot"),
              Layouts.U8.withName("function"),
              MemoryLayout.paddingLayout(1).withName("pad1"),
              Layouts.U16.withName("vendor_id"),
              Layouts.U16.withName("device_id"),
              Layouts.U32.withName("gpu_id"),
              Layouts.U16.withName("interrupt_line"),
              MemoryLayout.paddingLayout(2).withName("pad2"),
              Layouts.U64.withName("reg_address"),
              Layouts.U64.withName("reg_size"),
              Layouts.U64.withName("fb_address"),
              Layouts.U64.withName("fb_size"),
              Layouts.U32.withName("minor_number"),
              MemoryLayout.sequenceLayout(10, Layouts.U8).withName("dev_name"),
              MemoryLayout.paddingLayout(2).withName("pad3"))
          .withName("nv_ioctl_card_info_t");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VALID = LAYOUT.varHandle(PathElement.groupElement("valid"));

  private static final VarHandle DOMAIN = LAYOUT.varHandle(PathElement.groupElement("domain"));

  private static final VarHandle BUS = LAYOUT.varHandle(PathElement.groupElement("bus"));

  private static final VarHandle SLOT = LAYOUT.varHandle(PathElement.groupElement("slot"));

  private static final VarHandle FUNCTION = LAYOUT.varHandle(PathElement.groupElement("function"));

  private static final VarHandle VENDOR = LAYOUT.varHandle(PathElement.groupElement("vendor_id"));

  private static final VarHandle DEVICE = LAYOUT.varHandle(PathElement.groupElement("device_id"));

  private static final VarHandle GPU_ID = LAYOUT.varHandle(PathElement.groupElement("gpu_id"));

  private static final VarHandle INTERRUPT_LINE =
      LAYOUT.varHandle(PathElement.groupElement("interrupt_line"));

  private static final VarHandle REG_ADDRESS =
      LAYOUT.varHandle(PathElement.groupElement("reg_address"));

  private static final VarHandle REG_SIZE = LAYOUT.varHandle(PathElement.groupElement("reg_size"));

  private static final VarHandle FB_ADDRESS =
      LAYOUT.varHandle(PathElement.groupElement("fb_address"));

  private static final VarHandle FB_SIZE = LAYOUT.varHandle(PathElement.groupElement("fb_size"));

  private static final VarHandle MINOR_NUMBER =
      LAYOUT.varHandle(PathElement.groupElement("minor_number"));

  private static final long DEV_NAME_OFFSET =
      LAYOUT.byteOffset(PathElement.groupElement("dev_name"));

  private NvCardInfo() {}

  /** {@code valid}, out: not 0 if there is a card. */
  public static byte valid(MemorySegment segment) {
    return (byte) VALID.get(segment, 0L);
  }

  /** Sets {@link #valid}. */
  public static void valid(MemorySegment segment, byte value) {
    VALID.set(segment, 0L, value);
  }

  /** {@code domain}, out: PCI domain. */
  public static int domain(MemorySegment segment) {
    return (int) DOMAIN.get(segment, 0L);
  }

  /** Sets {@link #domain}. */
  public static void domain(MemorySegment segment, int value) {
    DOMAIN.set(segment, 0L, value);
  }

  /** {@code bus}, out: PCI bus. */
  public static byte bus(MemorySegment segment) {
    return (byte) BUS.get(segment, 0L);
  }

  /** Sets {@link #bus}. */
  public static void bus(MemorySegment segment, byte value) {
    BUS.set(segment, 0L, value);
  }

  /** {@code slot}, out: PCI slot. */
  public static byte slot(MemorySegment segment) {
    return (byte) SLOT.get(segment, 0L);
  }

  /** Sets {@link #slot}. */
  public static void slot(MemorySegment segment, byte value) {
    SLOT.set(segment, 0L, value);
  }

  /** {@code function}, out: PCI function. */
  public static byte function(MemorySegment segment) {
    return (byte) FUNCTION.get(segment, 0L);
  }

  /** Sets {@link #function}. */
  public static void function(MemorySegment segment, byte value) {
    FUNCTION.set(segment, 0L, value);
  }

  /** {@code vendor_id}, out: PCI vendor id. */
  public static short vendor(MemorySegment segment) {
    return (short) VENDOR.get(segment, 0L);
  }

  /** Sets {@link #vendor}. */
  public static void vendor(MemorySegment segment, short value) {
    VENDOR.set(segment, 0L, value);
  }

  /** {@code device_id}, out: PCI device id. */
  public static short device(MemorySegment segment) {
    return (short) DEVICE.get(segment, 0L);
  }

  /** Sets {@link #device}. */
  public static void device(MemorySegment segment, short value) {
    DEVICE.set(segment, 0L, value);
  }

  /** {@code gpu_id}, out: RM's number of the card. */
  public static int gpuId(MemorySegment segment) {
    return (int) GPU_ID.get(segment, 0L);
  }

  /** Sets {@link #gpuId}. */
  public static void gpuId(MemorySegment segment, int value) {
    GPU_ID.set(segment, 0L, value);
  }

  /** {@code interrupt_line}, out. */
  public static short interruptLine(MemorySegment segment) {
    return (short) INTERRUPT_LINE.get(segment, 0L);
  }

  /** Sets {@link #interruptLine}. */
  public static void interruptLine(MemorySegment segment, short value) {
    INTERRUPT_LINE.set(segment, 0L, value);
  }

  /** {@code reg_address}, out: bus address of BAR 0. */
  public static long regAddress(MemorySegment segment) {
    return (long) REG_ADDRESS.get(segment, 0L);
  }

  /** Sets {@link #regAddress}. */
  public static void regAddress(MemorySegment segment, long value) {
    REG_ADDRESS.set(segment, 0L, value);
  }

  /** {@code reg_size}, out. */
  public static long regSize(MemorySegment segment) {
    return (long) REG_SIZE.get(segment, 0L);
  }

  /** Sets {@link #regSize}. */
  public static void regSize(MemorySegment segment, long value) {
    REG_SIZE.set(segment, 0L, value);
  }

  /** {@code fb_address}, out: bus address of BAR 1. */
  public static long fbAddress(MemorySegment segment) {
    return (long) FB_ADDRESS.get(segment, 0L);
  }

  /** Sets {@link #fbAddress}. */
  public static void fbAddress(MemorySegment segment, long value) {
    FB_ADDRESS.set(segment, 0L, value);
  }

  /** {@code fb_size}, out. */
  public static long fbSize(MemorySegment segment) {
    return (long) FB_SIZE.get(segment, 0L);
  }

  /** Sets {@link #fbSize}. */
  public static void fbSize(MemorySegment segment, long value) {
    FB_SIZE.set(segment, 0L, value);
  }

  /** {@code minor_number}, out: n of /dev/nvidian. */
  public static int minorNumber(MemorySegment segment) {
    return (int) MINOR_NUMBER.get(segment, 0L);
  }

  /** Sets {@link #minorNumber}. */
  public static void minorNumber(MemorySegment segment, int value) {
    MINOR_NUMBER.set(segment, 0L, value);
  }

  /** {@code dev_name}, out. */
  public static MemorySegment devName(MemorySegment segment) {
    return segment.asSlice(DEV_NAME_OFFSET, 10);
  }
}

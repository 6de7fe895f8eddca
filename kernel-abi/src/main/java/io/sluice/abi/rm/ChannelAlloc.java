package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV_CHANNEL_ALLOC_PARAMS}: block of HOPPER_CHANNEL_GPFIFO_A, in the form it has since 570.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hObjectError              in: memory of the error notifier, or 0
 * 0x04      4  hObjectBuffer             in: 0
 * 0x08      8  gpFifoOffset              in: address of the ring
 * 0x10      4  gpFifoEntries             in: a power of two
 * 0x14      4  flags                     in
 * 0x18      4  hContextShare             in: subcontext
 * 0x1c      4  hVASpace                  in: 0 in a group
 * 0x20     32  hUserdMemory[8]           in: memory of USERD, by subdevice
 * 0x40     64  userdOffset[8]            in: a multiple of 512, which RM does not check
 * 0x80      4  engineType                in: {@link RmEngine}
 * 0x84      4  cid                       out: channel id of the runlist
 * 0x88      4  subDeviceId               in: 0
 * 0x8c      4  hObjectEccError           in: 0
 * 0x90     24  instanceMem[24]           the driver's own, as all that follow
 * 0xa8     24  userdMem[24]
 * 0xc0     24  ramfcMem[24]
 * 0xd8     24  mthdbufMem[24]
 * 0xf0      4  hPhysChannelGroup
 * 0xf4      4  internalFlags
 * 0xf8     24  errorNotifierMem[24]
 * 0x110     24  eccErrorNotifierMem[24]
 * 0x128      4  ProcessID
 * 0x12c      4  SubProcessID
 * 0x130     12  encryptIv[12]
 * 0x13c     12  decryptIv[12]
 * 0x148     32  hmacNonce[32]
 * 0x168      4  tpcConfigID
 * </pre>
 *
 * <p>368 bytes. Source: alloc/alloc_channel.h.
 */
public final class ChannelAlloc {
  /** {@link #flags}: a semaphore acquire that waits for 2 s is an error. */
  public static final int FLAGS_PBDMA_ACQUIRE_TIMEOUT = 1 << 27;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hObjectError"),
              Layouts.U32.withName("hObjectBuffer"),
              Layouts.U64.withName("gpFifoOffset"),
              Layouts.U32.withName("gpFifoEntries"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("hContextShare"),
              Layouts.U32.withName("hVASpace"),
              MemoryLayout.sequenceLayout(8, Layouts.U32).withName("hUserdMemory"),
              MemoryLayout.sequenceLayout(8, Layouts.U64).withName("userdOffset"),
              Layouts.U32.withName("engineType"),
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("subDeviceId"),
              Layouts.U32.withName("hObjectEccError"),
              MemoryLayout.sequenceLayout(24, Layouts.U8).withName("instanceMem"),
              MemoryLayout.sequenceLayout(24, Layouts.U8).withName("userdMem"),
              MemoryLayout.sequenceLayout(24, Layouts.U8).withName("ramfcMem"),
              MemoryLayout.sequenceLayout(24, Layouts.U8).withName("mthdbufMem"),
              Layouts.U32.withName("hPhysChannelGroup"),
              Layouts.U32.withName("internalFlags"),
              MemoryLayout.sequenceLayout(24, Layouts.U8).withName("errorNotifierMem"),
              MemoryLayout.sequenceLayout(24, Layouts.U8).withName("eccErrorNotifierMem"),
              Layouts.U32.withName("ProcessID"),
              Layouts.U32.withName("SubProcessID"),
              MemoryLayout.sequenceLayout(12, Layouts.U8).withName("encryptIv"),
              MemoryLayout.sequenceLayout(12, Layouts.U8).withName("decryptIv"),
              MemoryLayout.sequenceLayout(32, Layouts.U8).withName("hmacNonce"),
              Layouts.U32.withName("tpcConfigID"),
              MemoryLayout.paddingLayout(4).withName("pad0"))
          .withName("NV_CHANNEL_ALLOC_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_OBJECT_ERROR =
      LAYOUT.varHandle(PathElement.groupElement("hObjectError"));

  private static final VarHandle H_OBJECT_BUFFER =
      LAYOUT.varHandle(PathElement.groupElement("hObjectBuffer"));

  private static final VarHandle GP_FIFO_OFFSET =
      LAYOUT.varHandle(PathElement.groupElement("gpFifoOffset"));

  private static final VarHandle GP_FIFO_ENTRIES =
      LAYOUT.varHandle(PathElement.groupElement("gpFifoEntries"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle H_CONTEXT_SHARE =
      LAYOUT.varHandle(PathElement.groupElement("hContextShare"));

  private static final VarHandle H_VA_SPACE =
      LAYOUT.varHandle(PathElement.groupElement("hVASpace"));

  private static final VarHandle H_USERD_MEMORY =
      LAYOUT.varHandle(PathElement.groupElement("hUserdMemory"), PathElement.sequenceElement());

  private static final VarHandle USERD_OFFSET =
      LAYOUT.varHandle(PathElement.groupElement("userdOffset"), PathElement.sequenceElement());

  private static final VarHandle ENGINE_TYPE =
      LAYOUT.varHandle(PathElement.groupElement("engineType"));

  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));

  private static final VarHandle SUB_DEVICE_ID =
      LAYOUT.varHandle(PathElement.groupElement("subDeviceId"));

  private static final VarHandle H_ECC_ERROR =
      LAYOUT.varHandle(PathElement.groupElement("hObjectEccError"));

  private ChannelAlloc() {}

  /** {@code hObjectError}, in: memory of the error notifier, or 0. */
  public static int hObjectError(MemorySegment segment) {
    return (int) H_OBJECT_ERROR.get(segment, 0L);
  }

  /** Sets {@link #hObjectError}. */
  public static void hObjectError(MemorySegment segment, int value) {
    H_OBJECT_ERROR.set(segment, 0L, value);
  }

  /** {@code hObjectBuffer}, in: 0. */
  public static int hObjectBuffer(MemorySegment segment) {
    return (int) H_OBJECT_BUFFER.get(segment, 0L);
  }

  /** Sets {@link #hObjectBuffer}. */
  public static void hObjectBuffer(MemorySegment segment, int value) {
    H_OBJECT_BUFFER.set(segment, 0L, value);
  }

  /** {@code gpFifoOffset}, in: address of the ring. */
  public static long gpFifoOffset(MemorySegment segment) {
    return (long) GP_FIFO_OFFSET.get(segment, 0L);
  }

  /** Sets {@link #gpFifoOffset}. */
  public static void gpFifoOffset(MemorySegment segment, long value) {
    GP_FIFO_OFFSET.set(segment, 0L, value);
  }

  /** {@code gpFifoEntries}, in: a power of two. */
  public static int gpFifoEntries(MemorySegment segment) {
    return (int) GP_FIFO_ENTRIES.get(segment, 0L);
  }

  /** Sets {@link #gpFifoEntries}. */
  public static void gpFifoEntries(MemorySegment segment, int value) {
    GP_FIFO_ENTRIES.set(segment, 0L, value);
  }

  /** {@code flags}, in. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code hContextShare}, in: subcontext. */
  public static int hContextShare(MemorySegment segment) {
    return (int) H_CONTEXT_SHARE.get(segment, 0L);
  }

  /** Sets {@link #hContextShare}. */
  public static void hContextShare(MemorySegment segment, int value) {
    H_CONTEXT_SHARE.set(segment, 0L, value);
  }

  /** {@code hVASpace}, in: 0 in a group. */
  public static int hVaSpace(MemorySegment segment) {
    return (int) H_VA_SPACE.get(segment, 0L);
  }

  /** Sets {@link #hVaSpace}. */
  public static void hVaSpace(MemorySegment segment, int value) {
    H_VA_SPACE.set(segment, 0L, value);
  }

  /** {@code hUserdMemory[index]}, in: memory of USERD, by subdevice. */
  public static int hUserdMemory(MemorySegment segment, int index) {
    return (int) H_USERD_MEMORY.get(segment, 0L, (long) index);
  }

  /** Sets {@link #hUserdMemory}. */
  public static void hUserdMemory(MemorySegment segment, int index, int value) {
    H_USERD_MEMORY.set(segment, 0L, (long) index, value);
  }

  /** {@code userdOffset[index]}, in: a multiple of 512, which RM does not check. */
  public static long userdOffset(MemorySegment segment, int index) {
    return (long) USERD_OFFSET.get(segment, 0L, (long) index);
  }

  /** Sets {@link #userdOffset}. */
  public static void userdOffset(MemorySegment segment, int index, long value) {
    USERD_OFFSET.set(segment, 0L, (long) index, value);
  }

  /** {@code engineType}, in: {@link RmEngine}. */
  public static int engineType(MemorySegment segment) {
    return (int) ENGINE_TYPE.get(segment, 0L);
  }

  /** Sets {@link #engineType}. */
  public static void engineType(MemorySegment segment, int value) {
    ENGINE_TYPE.set(segment, 0L, value);
  }

  /** {@code cid}, out: channel id of the runlist. */
  public static int cid(MemorySegment segment) {
    return (int) CID.get(segment, 0L);
  }

  /** Sets {@link #cid}. */
  public static void cid(MemorySegment segment, int value) {
    CID.set(segment, 0L, value);
  }

  /** {@code subDeviceId}, in: 0. */
  public static int subDeviceId(MemorySegment segment) {
    return (int) SUB_DEVICE_ID.get(segment, 0L);
  }

  /** Sets {@link #subDeviceId}. */
  public static void subDeviceId(MemorySegment segment, int value) {
    SUB_DEVICE_ID.set(segment, 0L, value);
  }

  /** {@code hObjectEccError}, in: 0. */
  public static int hEccError(MemorySegment segment) {
    return (int) H_ECC_ERROR.get(segment, 0L);
  }

  /** Sets {@link #hEccError}. */
  public static void hEccError(MemorySegment segment, int value) {
    H_ECC_ERROR.set(segment, 0L, value);
  }
}

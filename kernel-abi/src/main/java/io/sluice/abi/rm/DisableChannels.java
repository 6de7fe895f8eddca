package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS}: block of FIFO_DISABLE_CHANNELS; reference
 * counted by the driver.
 *
 * <pre>
 * offset  size  field
 * 0x00      1  bDisable                  in: 1 stops, 0 lets run
 * 0x04      4  numChannels               in: at most 64
 * 0x08      1  bOnlyDisableScheduling    in
 * 0x09      1  bRewindGpPut              in
 * 0x10      8  pRunlistPreemptEvent      in: 0
 * 0x18    256  hClientList[64]           in: clients
 * 0x118    256  hChannelList[64]          in: channels of them
 * </pre>
 *
 * <p>536 bytes. Source: ctrl2080fifo.h.
 */
public final class DisableChannels {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U8.withName("bDisable"),
              MemoryLayout.paddingLayout(3).withName("pad0"),
              Layouts.U32.withName("numChannels"),
              Layouts.U8.withName("bOnlyDisableScheduling"),
              Layouts.U8.withName("bRewindGpPut"),
              MemoryLayout.paddingLayout(6).withName("pad1"),
              Layouts.U64.withName("pRunlistPreemptEvent"),
              MemoryLayout.sequenceLayout(64, Layouts.U32).withName("hClientList"),
              MemoryLayout.sequenceLayout(64, Layouts.U32).withName("hChannelList"))
          .withName("NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle DISABLE = LAYOUT.varHandle(PathElement.groupElement("bDisable"));

  private static final VarHandle COUNT = LAYOUT.varHandle(PathElement.groupElement("numChannels"));

  private static final VarHandle ONLY_SCHEDULING =
      LAYOUT.varHandle(PathElement.groupElement("bOnlyDisableScheduling"));

  private static final VarHandle REWIND_GP_PUT =
      LAYOUT.varHandle(PathElement.groupElement("bRewindGpPut"));

  private static final VarHandle PREEMPT_EVENT =
      LAYOUT.varHandle(PathElement.groupElement("pRunlistPreemptEvent"));

  private static final VarHandle H_CLIENT =
      LAYOUT.varHandle(PathElement.groupElement("hClientList"), PathElement.sequenceElement());

  private static final VarHandle H_CHANNEL =
      LAYOUT.varHandle(PathElement.groupElement("hChannelList"), PathElement.sequenceElement());

  private DisableChannels() {}

  /** {@code bDisable}, in: 1 stops, 0 lets run. */
  public static byte disable(MemorySegment segment) {
    return (byte) DISABLE.get(segment, 0L);
  }

  /** Sets {@link #disable}. */
  public static void disable(MemorySegment segment, byte value) {
    DISABLE.set(segment, 0L, value);
  }

  /** {@code numChannels}, in: at most 64. */
  public static int count(MemorySegment segment) {
    return (int) COUNT.get(segment, 0L);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, int value) {
    COUNT.set(segment, 0L, value);
  }

  /** {@code bOnlyDisableScheduling}, in. */
  public static byte onlyScheduling(MemorySegment segment) {
    return (byte) ONLY_SCHEDULING.get(segment, 0L);
  }

  /** Sets {@link #onlyScheduling}. */
  public static void onlyScheduling(MemorySegment segment, byte value) {
    ONLY_SCHEDULING.set(segment, 0L, value);
  }

  /** {@code bRewindGpPut}, in. */
  public static byte rewindGpPut(MemorySegment segment) {
    return (byte) REWIND_GP_PUT.get(segment, 0L);
  }

  /** Sets {@link #rewindGpPut}. */
  public static void rewindGpPut(MemorySegment segment, byte value) {
    REWIND_GP_PUT.set(segment, 0L, value);
  }

  /** {@code pRunlistPreemptEvent}, in: 0. */
  public static long preemptEvent(MemorySegment segment) {
    return (long) PREEMPT_EVENT.get(segment, 0L);
  }

  /** Sets {@link #preemptEvent}. */
  public static void preemptEvent(MemorySegment segment, long value) {
    PREEMPT_EVENT.set(segment, 0L, value);
  }

  /** {@code hClientList[index]}, in: clients. */
  public static int hClient(MemorySegment segment, int index) {
    return (int) H_CLIENT.get(segment, 0L, (long) index);
  }

  /** Sets {@link #hClient}. */
  public static void hClient(MemorySegment segment, int index, int value) {
    H_CLIENT.set(segment, 0L, (long) index, value);
  }

  /** {@code hChannelList[index]}, in: channels of them. */
  public static int hChannel(MemorySegment segment, int index) {
    return (int) H_CHANNEL.get(segment, 0L, (long) index);
  }

  /** Sets {@link #hChannel}. */
  public static void hChannel(MemorySegment segment, int index, int value) {
    H_CHANNEL.set(segment, 0L, (long) index, value);
  }
}

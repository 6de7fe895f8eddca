package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVOS30_PARAMETERS}: argument of RM_IDLE_CHANNELS.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hClient                   in: client
 * 0x04      4  hDevice                   in: device
 * 0x08      4  hChannel                  in: channel, of one
 * 0x0c      4  numChannels               in: channels of the lists
 * 0x10      8  phClients                 in: list, or 0
 * 0x18      8  phDevices                 in: list, or 0
 * 0x20      8  phChannels                in: list, or 0
 * 0x28      4  flags                     in
 * 0x2c      4  timeout                   in: microseconds; 0 for 4 seconds
 * 0x30      4  status                    out
 * </pre>
 *
 * <p>56 bytes. Source: nvos.h; what the time 0 means was measured.
 */
public final class Nvos30IdleChannels {
  /** {@link #flags}: looks again and again until the time is over. */
  public static final int FLAGS_BEHAVIOR_SPIN = 0;

  /** {@link #flags}: the one channel, in place of lists. */
  public static final int FLAGS_CHANNEL_SINGLE = 1 << 4;

  /** {@link #flags}: nothing is left to fetch. */
  public static final int FLAGS_IDLE_PUSH_BUFFER = 1 << 8;

  /** {@link #flags}: nothing that was fetched is left to execute. */
  public static final int FLAGS_IDLE_CACHE1 = 1 << 9;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hClient"),
              Layouts.U32.withName("hDevice"),
              Layouts.U32.withName("hChannel"),
              Layouts.U32.withName("numChannels"),
              Layouts.U64.withName("phClients"),
              Layouts.U64.withName("phDevices"),
              Layouts.U64.withName("phChannels"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("timeout"),
              Layouts.U32.withName("status"),
              MemoryLayout.paddingLayout(4).withName("pad0"))
          .withName("NVOS30_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_CLIENT = LAYOUT.varHandle(PathElement.groupElement("hClient"));

  private static final VarHandle H_DEVICE = LAYOUT.varHandle(PathElement.groupElement("hDevice"));

  private static final VarHandle H_CHANNEL = LAYOUT.varHandle(PathElement.groupElement("hChannel"));

  private static final VarHandle NUM_CHANNELS =
      LAYOUT.varHandle(PathElement.groupElement("numChannels"));

  private static final VarHandle CLIENTS = LAYOUT.varHandle(PathElement.groupElement("phClients"));

  private static final VarHandle DEVICES = LAYOUT.varHandle(PathElement.groupElement("phDevices"));

  private static final VarHandle CHANNELS =
      LAYOUT.varHandle(PathElement.groupElement("phChannels"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle TIMEOUT = LAYOUT.varHandle(PathElement.groupElement("timeout"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private Nvos30IdleChannels() {}

  /** {@code hClient}, in: client. */
  public static int hClient(MemorySegment segment) {
    return (int) H_CLIENT.get(segment, 0L);
  }

  /** Sets {@link #hClient}. */
  public static void hClient(MemorySegment segment, int value) {
    H_CLIENT.set(segment, 0L, value);
  }

  /** {@code hDevice}, in: device. */
  public static int hDevice(MemorySegment segment) {
    return (int) H_DEVICE.get(segment, 0L);
  }

  /** Sets {@link #hDevice}. */
  public static void hDevice(MemorySegment segment, int value) {
    H_DEVICE.set(segment, 0L, value);
  }

  /** {@code hChannel}, in: channel, of one. */
  public static int hChannel(MemorySegment segment) {
    return (int) H_CHANNEL.get(segment, 0L);
  }

  /** Sets {@link #hChannel}. */
  public static void hChannel(MemorySegment segment, int value) {
    H_CHANNEL.set(segment, 0L, value);
  }

  /** {@code numChannels}, in: channels of the lists. */
  public static int count(MemorySegment segment) {
    return (int) NUM_CHANNELS.get(segment, 0L);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, int value) {
    NUM_CHANNELS.set(segment, 0L, value);
  }

  /** {@code phClients}, in: list, or 0. */
  public static long clients(MemorySegment segment) {
    return (long) CLIENTS.get(segment, 0L);
  }

  /** Sets {@link #clients}. */
  public static void clients(MemorySegment segment, long value) {
    CLIENTS.set(segment, 0L, value);
  }

  /** {@code phDevices}, in: list, or 0. */
  public static long devices(MemorySegment segment) {
    return (long) DEVICES.get(segment, 0L);
  }

  /** Sets {@link #devices}. */
  public static void devices(MemorySegment segment, long value) {
    DEVICES.set(segment, 0L, value);
  }

  /** {@code phChannels}, in: list, or 0. */
  public static long channels(MemorySegment segment) {
    return (long) CHANNELS.get(segment, 0L);
  }

  /** Sets {@link #channels}. */
  public static void channels(MemorySegment segment, long value) {
    CHANNELS.set(segment, 0L, value);
  }

  /** {@code flags}, in. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code timeout}, in: microseconds; 0 for 4 seconds. */
  public static int timeoutUs(MemorySegment segment) {
    return (int) TIMEOUT.get(segment, 0L);
  }

  /** Sets {@link #timeoutUs}. */
  public static void timeoutUs(MemorySegment segment, int value) {
    TIMEOUT.set(segment, 0L, value);
  }

  /** {@code status}, out. */
  public static int status(MemorySegment segment) {
    return (int) STATUS.get(segment, 0L);
  }

  /** Sets {@link #status}. */
  public static void status(MemorySegment segment, int value) {
    STATUS.set(segment, 0L, value);
  }
}

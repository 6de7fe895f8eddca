package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV2080_CTRL_PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2_PARAMS}: block of
 * PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2: how busy units of the GPU were lately, each of the last
 * fifth parts of a second. A ring of {@link #COUNT} samples; those whose time is 0 hold nothing.
 *
 * <pre>
 * offset    size  field
 * 0x00         1  type                   in: {@link #TYPE_PERFMON_UTIL}
 * 0x04         4  bufSize                in: bytes of samples
 * 0x08         4  count                  out
 * 0x0c         4  tracker                out: where the oldest is
 * 0x10     55872  samples[72]            out, of 776 bytes:
 *   0x000      8    timeStamp            end of the time it is of, in GPU time, nanoseconds
 *   0x008    128    fb                   video memory
 *   0x088    128    gr                   graphics and compute:
 *     0x88     4      util               hundredths of a percent
 *   0x108    512    others
 * </pre>
 *
 * <p>55888 bytes. Source: ctrl2080perf.h; how far apart samples are was measured.
 */
public final class UtilSamples {
  /** {@link #type}: what this is. */
  public static final byte TYPE_PERFMON_UTIL = 2;

  /** Samples that the ring holds. */
  public static final int COUNT = 72;

  /** {@link #graphics} of a unit that had no rest. */
  public static final int ALL = 10_000;

  /** Bytes of what is told of one unit. */
  private static final long UNIT_BYTES = 128;

  private static final int OTHER_UNITS = 4;

  private static final StructLayout SAMPLE =
      MemoryLayout.structLayout(
          Layouts.U64.withName("timeStamp"),
          MemoryLayout.sequenceLayout(UNIT_BYTES, Layouts.U8).withName("fb"),
          Layouts.U32.withName("util"),
          MemoryLayout.sequenceLayout(UNIT_BYTES - Integer.BYTES, Layouts.U8).withName("gr"),
          MemoryLayout.sequenceLayout(OTHER_UNITS * UNIT_BYTES, Layouts.U8).withName("others"));

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U8.withName("type"),
              MemoryLayout.paddingLayout(3).withName("pad0"),
              Layouts.U32.withName("bufSize"),
              Layouts.U32.withName("count"),
              Layouts.U32.withName("tracker"),
              MemoryLayout.sequenceLayout(COUNT, SAMPLE).withName("samples"))
          .withName("NV2080_CTRL_PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle TYPE = LAYOUT.varHandle(PathElement.groupElement("type"));

  private static final VarHandle BUFFER_SIZE =
      LAYOUT.varHandle(PathElement.groupElement("bufSize"));

  private static final VarHandle TIME = sample("timeStamp");

  private static final VarHandle GRAPHICS = sample("util");

  private UtilSamples() {}

  private static VarHandle sample(String field) {
    return LAYOUT.varHandle(
        PathElement.groupElement("samples"),
        PathElement.sequenceElement(),
        PathElement.groupElement(field));
  }

  /** Asks for samples of what units did. */
  public static void ask(MemorySegment segment) {
    TYPE.set(segment, 0L, TYPE_PERFMON_UTIL);
    BUFFER_SIZE.set(segment, 0L, (int) (COUNT * SAMPLE.byteSize()));
  }

  /** {@code samples[index].timeStamp}, out: GPU time in nanoseconds; 0 for none. */
  public static long timeNs(MemorySegment segment, int index) {
    return (long) TIME.get(segment, 0L, (long) index);
  }

  /** Sets {@link #timeNs}. */
  public static void timeNs(MemorySegment segment, int index, long value) {
    TIME.set(segment, 0L, (long) index, value);
  }

  /** {@code samples[index].gr.util}, out: of {@link #ALL}, unsigned. */
  public static int graphics(MemorySegment segment, int index) {
    return (int) GRAPHICS.get(segment, 0L, (long) index);
  }

  /** Sets {@link #graphics}. */
  public static void graphics(MemorySegment segment, int index, int value) {
    GRAPHICS.set(segment, 0L, (long) index, value);
  }
}

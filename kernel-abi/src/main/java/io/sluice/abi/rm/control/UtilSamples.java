package io.sluice.abi.rm.control;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import io.sluice.abi.U8;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_CTRL_PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2_PARAMS}: block of
 * PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2: how busy units of the GPU were lately, each of the last
 * fifth parts of a second. A ring of {@link #COUNT} samples; those whose time is 0 hold nothing.
 *
 * <p>55888 bytes. Source: ctrl2080perf.h; how far apart samples are was measured.
 */
public final class UtilSamples {
  /** Samples that the ring holds. */
  public static final int COUNT = 72;

  /** {@link #GRAPHICS} of a unit that had no rest. */
  public static final int ALL = 10_000;

  private static final int TYPE_PERFMON_UTIL = 2;

  private static final Struct ONE = Struct.aligned("sample");
  public static final U64 TIME_NS = ONE.u64("timeStamp", "out: GPU time of its end; 0 for none");
  public static final U32 GRAPHICS =
      ONE.unusedBytes("fb", 128, "video memory").u32("util", "out: gr, its use, of ALL");
  private static final StructLayout SAMPLE =
      ONE.unusedBytes("others", 124 + 4 * 128, "rest of gr, other units").layout();

  private static final Struct S =
      Struct.aligned("NV2080_CTRL_PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2_PARAMS");
  static final U8 TYPE = S.u8("type", "in: TYPE_PERFMON_UTIL");
  static final U32 BUFFER_SIZE = S.u32("bufSize", "in: bytes of samples");
  public static final Elements<Long> SAMPLES =
      S.unused32("count", "out")
          .unused32("tracker", "out: where the oldest is")
          .structs("samples", COUNT, SAMPLE, "the ring");
  public static final StructLayout LAYOUT = S.layout();

  private UtilSamples() {}

  /** Asks for samples of all units. */
  public static void ask(MemorySegment segment) {
    TYPE.set(segment, TYPE_PERFMON_UTIL);
    BUFFER_SIZE.set(segment, COUNT * SAMPLE.byteSize());
  }
}

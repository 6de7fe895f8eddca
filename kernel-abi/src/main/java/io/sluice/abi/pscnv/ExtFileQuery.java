package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_file_query}: argument of FILE_QUERY.
 *
 * <p>104 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtFileQuery {
  private static final Struct S = Struct.aligned("sluice_ext_file_query");
  public static final U64 VRAM_BYTES = S.u64("vram_bytes", "out: video memory of this open");
  public static final U64 SYSTEM_BYTES = S.u64("system_bytes", "out: system memory of this open");
  public static final U64 VRAM_TOTAL = S.u64("vram_total", "out: video memory of the GPU");
  public static final U64 VRAM_FREE = S.u64("vram_free", "out: of it, free");
  public static final U64 GPU_NS = S.u64("gpu_ns", "out: GPU time this open has used");
  public static final U64 WAIT_NS =
      S.u64("wait_ns", "out: time it had work and others had the GPU");
  public static final U64 GRID_HEAP_BYTES =
      S.u64("grid_heap_bytes", "out: the host's heap that its grids have");
  public static final U64 GRID_HEAP_LIMIT = S.u64("grid_heap_limit", "out: most that they get");
  public static final U64 PROGRAMS = S.u64("programs", "out: compiled programs that are kept");
  public static final U64 PROGRAM_LIMIT = S.u64("program_limit", "out: most that are");
  public static final U64 PROGRAM_BYTES = S.u64("program_bytes", "out: bytes of them");
  public static final U64 PROGRAM_BYTES_LIMIT =
      S.u64("program_bytes_limit", "out: most bytes, but for the last program");
  public static final U64 INTERPRETED =
      S.u64("interpreted", "out: programs, and parts, beyond the rate of compilations");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private ExtFileQuery() {}
}

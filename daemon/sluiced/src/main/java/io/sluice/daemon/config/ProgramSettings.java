package io.sluice.daemon.config;

/**
 * The programs of a guest that use its GPU through a library of theirs, not through its device.
 *
 * @param openCl whether they are given sessions of OpenCL
 * @param cuda whether they are CUDA programs, whose driver calls the daemon makes for them
 * @param cudaPrograms most CUDA programs at one time
 * @param cudaHostBytes most memory of the host that the GPU may reach for all of those
 */
public record ProgramSettings(boolean openCl, boolean cuda, int cudaPrograms, long cudaHostBytes) {
  /** CUDA programs of a guest, unless said otherwise. */
  static final int CUDA_PROGRAMS = 64;

  /** The host's memory for CUDA programs of a guest, unless said otherwise. */
  static final long CUDA_HOST_BYTES = 8L << 30;

  /** A guest that has none, such as one that is created at run time. */
  public static final ProgramSettings NONE =
      new ProgramSettings(false, false, CUDA_PROGRAMS, CUDA_HOST_BYTES);
}

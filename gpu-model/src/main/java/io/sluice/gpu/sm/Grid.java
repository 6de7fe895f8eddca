package io.sluice.gpu.sm;

import java.util.List;
import java.util.Optional;

/**
 * Everything a launch is made of, as the methods of class 90c0 have set it.
 *
 * @param gridX blocks in x (CTA_RASTER_SIZE)
 * @param gridY blocks in y
 * @param gridZ blocks in z
 * @param blockX threads in x (CTA_THREAD_DIMENSION)
 * @param blockY threads in y
 * @param blockZ threads in z
 * @param registers registers of a thread (CTA_REGISTER_COUNT)
 * @param barriers named barriers (CTA_BARRIER_COUNT)
 * @param sharedBytes shared memory of a block (SHARED_MEMORY_SIZE)
 * @param localPositiveBytes local memory of a thread, from 0 up (LOCAL_MEMORY_LOW_SIZE)
 * @param localNegativeBytes local memory of a thread, below its end (LOCAL_MEMORY_HIGH_SIZE)
 * @param stackBytes call stack of a warp (LOCAL_MEMORY_CRS_SIZE)
 * @param program address of the program region
 * @param start offset of the first instruction in it
 * @param sharedWindow where shared memory stands in generic addresses
 * @param localWindow where local memory stands in generic addresses
 * @param gridId GRID_PARAM
 * @param launchArgument value of the LAUNCH method
 * @param banks constant banks by index; a bank of size 0 is unbound
 */
public record Grid(
    int gridX,
    int gridY,
    int gridZ,
    int blockX,
    int blockY,
    int blockZ,
    int registers,
    int barriers,
    int sharedBytes,
    int localPositiveBytes,
    int localNegativeBytes,
    int stackBytes,
    long program,
    int start,
    long sharedWindow,
    long localWindow,
    int gridId,
    int launchArgument,
    List<Bank> banks) {
  /** Most threads in a block. */
  public static final int MAX_THREADS = 1024;

  /** Most registers of a thread, RZ not counted. */
  public static final int MAX_REGISTERS = 63;

  /** Most bytes of shared memory. */
  public static final int MAX_SHARED_BYTES = 48 << 10;

  /** Most bytes of local memory of a thread. */
  public static final int MAX_LOCAL_BYTES = 512 << 10;

  /** Named barriers of a block. */
  public static final int MAX_BARRIERS = 16;

  /** Constant banks. */
  public static final int MAX_BANKS = 18;

  /**
   * A constant bank.
   *
   * @param address GPU address
   * @param bytes size; 0 when unbound
   */
  public record Bank(long address, int bytes) {
    /** No bank. */
    public static final Bank UNBOUND = new Bank(0, 0);
  }

  /** Threads of a block. */
  public int threads() {
    return blockX * blockY * blockZ;
  }

  /** Warps of a block. */
  public int warps() {
    return (threads() + 31) / 32;
  }

  /** Blocks of the grid. */
  public long blocks() {
    return (long) gridX * gridY * gridZ;
  }

  /** What is wrong with it, as the error and the value, or nothing. */
  public Optional<String> problem() {
    if (gridX < 1 || gridY < 1 || gridZ < 1 || gridX > 65535 || gridY > 65535 || gridZ > 65535) {
      return Optional.of("grid=" + gridX + "x" + gridY + "x" + gridZ);
    }
    if (blockX < 1 || blockY < 1 || blockZ < 1 || blockX > 1024 || blockY > 1024 || blockZ > 64) {
      return Optional.of("block=" + blockX + "x" + blockY + "x" + blockZ);
    }
    if (threads() > MAX_THREADS) {
      return Optional.of("threads=" + threads());
    }
    if (registers < 0 || registers > MAX_REGISTERS) {
      return Optional.of("registers=" + registers);
    }
    if (barriers < 0 || barriers > MAX_BARRIERS) {
      return Optional.of("barriers=" + barriers);
    }
    if (sharedBytes < 0 || sharedBytes > MAX_SHARED_BYTES) {
      return Optional.of("shared=" + sharedBytes);
    }
    if (localPositiveBytes < 0
        || localNegativeBytes < 0
        || (long) localPositiveBytes + localNegativeBytes > MAX_LOCAL_BYTES) {
      return Optional.of("local=" + localPositiveBytes + "+" + localNegativeBytes);
    }
    return Optional.empty();
  }
}

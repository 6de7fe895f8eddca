package io.sluice.gpu.sm.warp;

import io.sluice.gpu.sm.isa.Instruction;
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
 * @param local local memory
 * @param stackBytes call stack of a warp (LOCAL_MEMORY_CRS_SIZE)
 * @param program address of the program region, a multiple of 8
 * @param start offset of the first instruction in it
 * @param sharedWindow where shared memory stands in generic addresses, a multiple of 2^24
 * @param localWindow where local memory stands in generic addresses, a multiple of 2^24
 * @param gridId GRID_PARAM
 * @param launchArgument value of the LAUNCH method
 * @param banks constant banks by index; a bank of size 0 is unbound
 * @param images textures and surfaces
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
    Local local,
    int stackBytes,
    long program,
    int start,
    long sharedWindow,
    long localWindow,
    int gridId,
    int launchArgument,
    List<Bank> banks,
    ImageBindings images) {
  /** Most threads in a block. */
  public static final int MAX_THREADS = 1024;

  /** Most registers of a thread, RZ not counted. */
  public static final int MAX_REGISTERS = 63;

  /** Most bytes of shared memory. */
  public static final int MAX_SHARED_BYTES = 48 << 10;

  /** Most bytes of local memory of a thread. */
  public static final int MAX_LOCAL_BYTES = 512 << 10;

  /** Most bytes of the call stack of a warp. */
  public static final int MAX_STACK_BYTES = 1 << 20;

  /** Named barriers of a block. */
  public static final int MAX_BARRIERS = 16;

  /** Constant banks. */
  public static final int MAX_BANKS = 18;

  /** Size of the windows of shared and local memory, and of the local address space. */
  public static final long WINDOW_BYTES = 1L << 24;

  /** Warps that a multiprocessor has room for: how local memory is divided. */
  public static final int WARPS_OF_SM = 48;

  private static final int MAX_GRID = 65535;
  private static final int MAX_BLOCK_Z = 64;
  private static final int BANK_ALIGNMENT = 256;

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

  /**
   * Local memory.
   *
   * @param address where it is (LOCAL_MEMORY)
   * @param sizeBytes all of it
   * @param warpBytes what a resident warp has of it (LOCAL_MEMORY_WARP_SIZE)
   * @param positiveBytes what a thread has from 0 up (LOCAL_MEMORY_LOW_SIZE)
   * @param negativeBytes what a thread has below its end (LOCAL_MEMORY_HIGH_SIZE)
   */
  public record Local(
      long address, long sizeBytes, long warpBytes, int positiveBytes, int negativeBytes) {
    /** No local memory. */
    public static final Local NONE = new Local(0, 0, 0, 0, 0);
  }

  public Grid {
    banks = List.copyOf(banks);
  }

  /** A launch that has bound neither textures nor surfaces. */
  public Grid(
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int registers,
      int barriers,
      int sharedBytes,
      Local local,
      int stackBytes,
      long program,
      int start,
      long sharedWindow,
      long localWindow,
      int gridId,
      int launchArgument,
      List<Bank> banks) {
    this(
        gridX,
        gridY,
        gridZ,
        blockX,
        blockY,
        blockZ,
        registers,
        barriers,
        sharedBytes,
        local,
        stackBytes,
        program,
        start,
        sharedWindow,
        localWindow,
        gridId,
        launchArgument,
        banks,
        ImageBindings.NONE);
  }

  /** The same launch with textures and surfaces. */
  public Grid with(ImageBindings bound) {
    return new Grid(
        gridX,
        gridY,
        gridZ,
        blockX,
        blockY,
        blockZ,
        registers,
        barriers,
        sharedBytes,
        local,
        stackBytes,
        program,
        start,
        sharedWindow,
        localWindow,
        gridId,
        launchArgument,
        banks,
        bound);
  }

  /** Threads of a block. */
  public int threads() {
    return blockX * blockY * blockZ;
  }

  /** Warps of a block. */
  public int warps() {
    return (threads() + Warp.LANES - 1) / Warp.LANES;
  }

  /** Blocks of the grid. */
  public long blocks() {
    return (long) gridX * gridY * gridZ;
  }

  /** What is wrong with it, as the subject and the value, or nothing. */
  public Optional<String> problem() {
    if (!isIn(gridX, 1, MAX_GRID) || !isIn(gridY, 1, MAX_GRID) || !isIn(gridZ, 1, MAX_GRID)) {
      return Optional.of("grid=" + gridX + "x" + gridY + "x" + gridZ);
    }
    if (!isIn(blockX, 1, MAX_THREADS)
        || !isIn(blockY, 1, MAX_THREADS)
        || !isIn(blockZ, 1, MAX_BLOCK_Z)
        || threads() > MAX_THREADS) {
      return Optional.of("block=" + blockX + "x" + blockY + "x" + blockZ);
    }
    if (!isIn(registers, 0, MAX_REGISTERS)) {
      return Optional.of("registers=" + registers);
    }
    if (!isIn(barriers, 0, MAX_BARRIERS)) {
      return Optional.of("barriers=" + barriers);
    }
    if (!isIn(sharedBytes, 0, MAX_SHARED_BYTES)) {
      return Optional.of("shared=" + sharedBytes);
    }
    if (!isIn(stackBytes, 0, MAX_STACK_BYTES)) {
      return Optional.of("stack=" + stackBytes);
    }
    return memoryProblem();
  }

  private Optional<String> memoryProblem() {
    int positive = local.positiveBytes();
    int negative = local.negativeBytes();
    if (!isIn(positive, 0, MAX_LOCAL_BYTES) || !isIn(negative, 0, MAX_LOCAL_BYTES - positive)) {
      return Optional.of("local=" + positive + "+" + negative);
    }
    if (program % Instruction.BYTES != 0) {
      return Optional.of("program=0x" + Long.toHexString(program));
    }
    if (sharedWindow % WINDOW_BYTES != 0 || localWindow % WINDOW_BYTES != 0) {
      return Optional.of("windows=" + sharedWindow + "," + localWindow);
    }
    for (int i = 0; i < banks.size(); i++) {
      if (banks.get(i).bytes() > 0 && banks.get(i).address() % BANK_ALIGNMENT != 0) {
        return Optional.of("bank=" + i);
      }
    }
    return Optional.empty();
  }

  private static boolean isIn(int value, int least, int most) {
    return value >= least && value <= most;
  }
}

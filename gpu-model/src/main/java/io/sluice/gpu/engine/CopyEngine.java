package io.sluice.gpu.engine;

import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuUnit;
import io.sluice.gpu.mmu.Run;
import java.nio.ByteBuffer;

/**
 * A copy engine as the open firmware of nouveau and pscnv drives it (nva3_copy.fuc), which is not
 * the method layout of NVIDIA's cl90b5.h. Classes 0x90b5 (PCOPY0) and 0x90b8 (PCOPY1).
 *
 * <p>The firmware reports a bad method as error 1 and a value outside its field as error 3. Tiled
 * images and component swizzling are recorded and refused at EXEC. A query is written after the
 * body of its own EXEC and before anything that follows.
 */
public final class CopyEngine implements Engine {
  /** The class of the first copy engine. */
  public static final int CLASS_PCOPY0 = 0x90b5;

  /** The class of the second copy engine. */
  public static final int CLASS_PCOPY1 = 0x90b8;

  private static final int NOP = 0x100;
  private static final int PM_TRIGGER = 0x140;
  private static final int EXEC = 0x300;
  private static final int WRCACHE_FLUSH = 0x304;
  private static final int SOURCE_HIGH = 0x30c;
  private static final int TARGET_HIGH = 0x314;
  private static final int SOURCE_PITCH = 0x31c;
  private static final int TARGET_PITCH = 0x320;
  private static final int X_COUNT = 0x324;
  private static final int Y_COUNT = 0x328;
  private static final int QUERY_HIGH = 0x338;
  private static final int QUERY_COUNTER = 0x340;
  private static final int FIRST_REGISTER = 0x200;

  private static final int EXEC_FORMAT = 1;
  private static final int EXEC_SOURCE_LINEAR = 1 << 4;
  private static final int EXEC_TARGET_LINEAR = 1 << 8;
  private static final int EXEC_QUERY = 1 << 12;
  private static final int EXEC_QUERY_SHORT = 1 << 13;
  private static final int EXEC_FIELDS =
      EXEC_FORMAT | EXEC_SOURCE_LINEAR | EXEC_TARGET_LINEAR | EXEC_QUERY | EXEC_QUERY_SHORT;

  private static final int ERROR_INVALID_METHOD = 1;
  private static final int ERROR_INVALID_BITFIELD = 3;

  private static final int MAX_PITCH = 0x7ffff;
  private static final int MAX_X_COUNT = 0xffff;
  private static final int MAX_Y_COUNT = 0x1fff;

  private final EngineHost host;
  private final GpuUnit unit;
  private final LineCopy copy;
  private final MethodRegisters registers = new MethodRegisters(FIRST_REGISTER, QUERY_COUNTER);
  private final Run run = new Run();
  private int exec;

  /**
   * @param host the channel
   * @param unit which of the two engines
   */
  public CopyEngine(EngineHost host, GpuUnit unit) {
    this.host = host;
    this.unit = unit;
    this.copy = new LineCopy(host, unit);
  }

  @Override
  public Outcome method(int method, int data) {
    switch (method) {
      case NOP, PM_TRIGGER, WRCACHE_FLUSH -> {
        return Outcome.DONE;
      }
      case EXEC -> {
        return exec(data);
      }
      default -> {
        if (!isRegister(method)) {
          return host.engineError(ERROR_INVALID_METHOD, method);
        }
        if (Integer.compareUnsigned(data, largest(method)) > 0) {
          return host.engineError(ERROR_INVALID_BITFIELD, method);
        }
        registers.set(method, data);
        return Outcome.DONE;
      }
    }
  }

  @Override
  public Outcome resume() {
    Outcome outcome = copy.run();
    return outcome == Outcome.DONE ? query() : outcome;
  }

  private static boolean isRegister(int method) {
    return (method >= FIRST_REGISTER && method <= 0x218)
        || (method >= 0x220 && method <= 0x238)
        || (method >= SOURCE_HIGH && method <= QUERY_COUNTER);
  }

  private static int largest(int method) {
    return switch (method) {
      case SOURCE_PITCH, TARGET_PITCH -> MAX_PITCH;
      case X_COUNT -> MAX_X_COUNT;
      case Y_COUNT -> MAX_Y_COUNT;
      case SOURCE_HIGH, TARGET_HIGH, QUERY_HIGH -> 0xff;
      default -> -1;
    };
  }

  private Outcome exec(int data) {
    if ((data & ~EXEC_FIELDS) != 0) {
      return host.engineError(ERROR_INVALID_BITFIELD, EXEC);
    }
    boolean linear = (data & EXEC_SOURCE_LINEAR) != 0 && (data & EXEC_TARGET_LINEAR) != 0;
    if (!linear || (data & EXEC_FORMAT) != 0) {
      return host.unsupported(EXEC, data);
    }
    exec = data;
    copy.start(
        registers.address(SOURCE_HIGH),
        registers.address(TARGET_HIGH),
        registers.unsigned(SOURCE_PITCH),
        registers.unsigned(TARGET_PITCH),
        registers.unsigned(X_COUNT),
        registers.unsigned(Y_COUNT));
    return resume();
  }

  private Outcome query() {
    if ((exec & EXEC_QUERY) == 0) {
      return Outcome.DONE;
    }
    boolean oneWord = (exec & EXEC_QUERY_SHORT) != 0;
    long address = registers.address(QUERY_HIGH);
    if (!SemaphoreRelease.isAligned(address, oneWord)) {
      return host.engineError(ERROR_INVALID_BITFIELD, QUERY_HIGH + 4);
    }
    FaultReason reason =
        SemaphoreRelease.write(host, address, registers.get(QUERY_COUNTER), oneWord, run);
    return reason == FaultReason.NONE ? Outcome.DONE : host.pageFault(reason, true, unit, address);
  }

  @Override
  public void save(ByteBuffer to) {
    to.putInt(exec);
    copy.save(to);
    registers.save(to);
  }

  @Override
  public void restore(ByteBuffer from) {
    exec = from.getInt();
    copy.restore(from);
    registers.restore(from);
  }
}

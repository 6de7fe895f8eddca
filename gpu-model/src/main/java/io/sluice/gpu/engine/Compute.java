package io.sluice.gpu.engine;

import static io.sluice.gpu.engine.LittleEndian.INT;

import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuUnit;
import io.sluice.gpu.mmu.Run;
import java.nio.ByteBuffer;

/**
 * The compute class 0x90c0 (cl90c0.h): records its methods, binds textures and samplers, binds and
 * fills constant buffers, releases report semaphores. A launch is handed to the {@link
 * GridLauncher}.
 *
 * <p>Methods without a meaning here are recorded, never refused: drivers rely on it. The constant
 * buffer selector is one state: BIND copies what is selected into a slot, LOAD writes to what is
 * selected, in order with later launches.
 */
public final class Compute implements Engine {
  /** The class. */
  public static final int CLASS = 0x90c0;

  /** The method that launches a grid. */
  public static final int LAUNCH = 0x368;

  private static final int BIND_TEXTURE_SAMPLER = 0x228;
  private static final int BIND_TEXTURE_HEADER = 0x22c;
  private static final int LOAD_GENERIC_ENTRY = 0x2c8;
  private static final int UNBIND_ALL = 0x10f4;
  private static final int BIND_CONSTANT_BUFFER = 0x1694;
  private static final int REPORT_SEMAPHORE_HIGH = 0x1b00;
  private static final int REPORT_SEMAPHORE_PAYLOAD = 0x1b08;
  private static final int REPORT_SEMAPHORE = 0x1b0c;
  private static final int CONSTANT_SIZE = 0x2380;
  private static final int CONSTANT_HIGH = 0x2384;
  private static final int CONSTANT_OFFSET = 0x238c;
  private static final int LOAD_CONSTANT_FIRST = 0x2390;
  private static final int LOAD_CONSTANT_LAST = 0x23cc;

  private static final int CONSTANT_SIZE_FIELD = 0x1ffff;
  private static final int CONSTANT_OFFSET_FIELD = 0xffff;

  /** What UNBIND_ALL costs of a slice: a store for each slot. */
  private static final long UNBIND_UNITS =
      4L * (ComputeState.TEXTURE_SLOTS + ComputeState.SAMPLER_SLOTS + ComputeState.CONSTANT_SLOTS);

  private static final int UNBIND_TEXTURES = 1;
  private static final int UNBIND_SAMPLERS = 1 << 4;
  private static final int UNBIND_BANKS = 1 << 8;
  private static final int REPORT_RELEASE = 0;
  private static final int REPORT_TRAP = 3;
  private static final int REPORT_AWAKEN = 1 << 20;
  private static final int REPORT_ONE_WORD = 1 << 28;

  private final EngineHost host;
  private final GridLauncher launcher;
  private final Notifier notifier;
  private final ComputeState state = new ComputeState();
  private final Run run = new Run();

  /**
   * @param host the channel
   * @param launcher executes grids
   */
  public Compute(EngineHost host, GridLauncher launcher) {
    this.host = host;
    this.launcher = launcher;
    this.notifier = new Notifier(host);
  }

  @Override
  public Outcome method(int method, int data) {
    if (method >= Notifier.SET_ADDRESS_HIGH && method <= Notifier.NOTIFY) {
      return notifier.method(method, data);
    }
    Outcome outcome =
        switch (method) {
          case LAUNCH -> {
            state.record(method, data);
            yield launcher.launch(state, host);
          }
          case LOAD_GENERIC_ENTRY -> {
            state.loadGeneric(data);
            yield Outcome.DONE;
          }
          case BIND_CONSTANT_BUFFER -> bindConstant(data);
          case BIND_TEXTURE_HEADER -> bindTexture(data);
          case BIND_TEXTURE_SAMPLER -> bindSampler(data);
          case UNBIND_ALL -> unbindAll(data);
          case REPORT_SEMAPHORE -> report(data);
          default -> {
            if (method >= LOAD_CONSTANT_FIRST && method <= LOAD_CONSTANT_LAST) {
              yield loadConstant(method, data);
            }
            state.record(method, data);
            yield Outcome.DONE;
          }
        };
    return then(outcome);
  }

  @Override
  public Outcome resume() {
    return then(launcher.resume(state, host));
  }

  private Outcome then(Outcome outcome) {
    return outcome == Outcome.DONE ? notifier.triggerIfArmed() : outcome;
  }

  private int selectedBytes() {
    return state.register(CONSTANT_SIZE) & CONSTANT_SIZE_FIELD;
  }

  private Outcome bindConstant(int data) {
    int slot = data >>> 8 & 0x1f;
    state.bindConstant(slot, state.address(CONSTANT_HIGH), isValid(data) ? selectedBytes() : 0);
    return Outcome.DONE;
  }

  private Outcome bindTexture(int data) {
    int slot = data >>> 1 & ComputeState.TEXTURE_SLOTS - 1;
    state.bindTexture(slot, isValid(data) ? data : 0);
    return Outcome.DONE;
  }

  private Outcome bindSampler(int data) {
    int slot = data >>> 4 & 0xff;
    if (slot < ComputeState.SAMPLER_SLOTS) { // No instruction can name another.
      state.bindSampler(slot, isValid(data) ? data : 0);
    }
    return Outcome.DONE;
  }

  private static boolean isValid(int data) {
    return (data & 1) != 0;
  }

  private Outcome unbindAll(int data) {
    host.spend(UNBIND_UNITS);
    for (int slot = 0; (data & UNBIND_TEXTURES) != 0 && slot < ComputeState.TEXTURE_SLOTS; slot++) {
      state.bindTexture(slot, 0);
    }
    for (int slot = 0; (data & UNBIND_SAMPLERS) != 0 && slot < ComputeState.SAMPLER_SLOTS; slot++) {
      state.bindSampler(slot, 0);
    }
    for (int slot = 0; (data & UNBIND_BANKS) != 0 && slot < ComputeState.CONSTANT_SLOTS; slot++) {
      state.bindConstant(slot, 0, 0);
    }
    return Outcome.DONE;
  }

  private Outcome loadConstant(int method, int data) {
    int offset = state.register(CONSTANT_OFFSET) & CONSTANT_OFFSET_FIELD;
    if ((offset & 3) != 0 || offset + 4 > selectedBytes()) {
      return host.engineError(DataError.INVALID_VALUE, method);
    }
    long address = state.address(CONSTANT_HIGH) + offset;
    if ((address & 3) != 0) {
      return host.engineError(DataError.ALIGNMENT, method);
    }
    FaultReason reason = host.translate(address, 4, true, run);
    if (reason != FaultReason.NONE) {
      return host.pageFault(reason, true, GpuUnit.PGRAPH, address);
    }
    run.segment().set(INT, run.offset(), data);
    state.record(CONSTANT_OFFSET, offset + 4);
    return Outcome.DONE;
  }

  private Outcome report(int data) {
    int operation = data & 3;
    if (operation != REPORT_RELEASE && operation != REPORT_TRAP) {
      return host.engineError(DataError.INVALID_ENUM, REPORT_SEMAPHORE);
    }
    state.record(REPORT_SEMAPHORE, data);
    if (operation == REPORT_RELEASE) {
      boolean oneWord = (data & REPORT_ONE_WORD) != 0;
      long address = state.address(REPORT_SEMAPHORE_HIGH);
      if (!SemaphoreRelease.isAligned(address, oneWord)) {
        return host.engineError(DataError.ALIGNMENT, REPORT_SEMAPHORE);
      }
      int payload = state.register(REPORT_SEMAPHORE_PAYLOAD);
      FaultReason reason = SemaphoreRelease.write(host, address, payload, oneWord, run);
      if (reason != FaultReason.NONE) {
        return host.pageFault(reason, true, GpuUnit.PGRAPH, address);
      }
    }
    if (operation == REPORT_TRAP || (data & REPORT_AWAKEN) != 0) {
      host.interrupt();
    }
    return Outcome.DONE;
  }

  @Override
  public void save(ByteBuffer to) {
    notifier.save(to);
    state.save(to);
  }

  @Override
  public void restore(ByteBuffer from) {
    notifier.restore(from);
    state.restore(from);
  }
}

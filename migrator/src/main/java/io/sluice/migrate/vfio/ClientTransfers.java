package io.sluice.migrate.vfio;

import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.state.StateTransfers;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** The migration engine, as VFIO's migration protocol uses it. */
public final class ClientTransfers implements StateTransfers {
  private final Consumer<String> busy;
  private final Kernel kernel;
  private final LongSupplier clock;
  private final Supplier<RandomGenerator> randoms;

  /**
   * @param busy refuses, with EBUSY, a guest that somebody else moves
   * @param clock monotonic nanoseconds
   * @param randoms a generator that no guest can guess, for each use
   */
  public ClientTransfers(
      Consumer<String> busy, Kernel kernel, LongSupplier clock, Supplier<RandomGenerator> randoms) {
    this.busy = busy;
    this.kernel = kernel;
    this.clock = clock;
    this.randoms = randoms;
  }

  /** Whoever composes a daemon knows whether somebody else moves it. */
  @Override
  public void admit(Device device) {
    busy.accept(device.name());
  }

  @Override
  public StateOutput save(Device device) {
    RandomGenerator random = randoms.get();
    UUID id = new UUID(random.nextLong(), random.nextLong());
    return new DeviceSaving(device, kernel, clock, id, random);
  }

  @Override
  public StateInput resume(Device device) {
    return new DeviceResuming(device, kernel, clock);
  }
}

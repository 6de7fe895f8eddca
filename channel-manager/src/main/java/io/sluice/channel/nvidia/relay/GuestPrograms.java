package io.sluice.channel.nvidia.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.HostLimits;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.AssuredBudget;
import io.sluice.channel.MemoryBudget;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * The CUDA programs of a guest, whatever card each is on, with what they may have together of the
 * host.
 */
final class GuestPrograms {
  /** The part of the daemon's descriptors and mappings that the programs of one guest may take. */
  private static final long DESCRIPTORS_DIVISOR = 16;

  private static final long LEAST_DESCRIPTORS = 512;

  private final int most;
  private final MemoryBudget pinned;
  private final AssuredBudget descriptors;
  private final AssuredBudget heap;

  @GuardedBy("this")
  private final Map<Long, Resident> programs = new TreeMap<>();

  @GuardedBy("this")
  private long next = 1;

  /** A program, and the relay on whose card it is. */
  private record Resident(CudaProgram program, DriverRelay on) {}

  GuestPrograms(Kernel kernel, RelayLimits limits) {
    most = limits.programs();
    pinned = MemoryBudget.upTo(limits.hostBytes());
    heap = new AssuredBudget(limits.heap().limitBytes(), limits.programs(), limits.heap());
    HostLimits host = kernel.hostLimits();
    descriptors =
        new AssuredBudget(
            Math.max(
                LEAST_DESCRIPTORS,
                Math.min(host.openFiles(), host.mappings()) / DESCRIPTORS_DIVISOR),
            limits.programs());
  }

  /** The host's memory that the GPU may reach for them. */
  MemoryBudget pinned() {
    return pinned;
  }

  /** The daemon's descriptors that they may take up. */
  AssuredBudget descriptors() {
    return descriptors;
  }

  /** This process' heap for what is remembered of them. */
  AssuredBudget heap() {
    return heap;
  }

  /**
   * Takes one more in.
   *
   * @param make it, by its number
   * @throws RefusedException SLU-RLY-002 when there are too many
   */
  synchronized CudaProgram enter(DriverRelay on, LongFunction<CudaProgram> make) {
    if (programs.size() >= most) {
      throw new RefusedException(
          RelayCode.TOO_MANY,
          Errno.EAGAIN,
          "too many programs, most=" + most,
          "End one, or raise cuda-programs.");
    }
    long number = next++;
    CudaProgram program = make.apply(number);
    programs.put(number, new Resident(program, on));
    return program;
  }

  synchronized void leave(long number) {
    programs.remove(number);
  }

  /** It is on another card from now on, if it has not left. */
  synchronized void move(long number, DriverRelay to) {
    programs.computeIfPresent(number, (_, resident) -> new Resident(resident.program(), to));
  }

  synchronized Optional<CudaProgram> find(long number) {
    return Optional.ofNullable(programs.get(number)).map(Resident::program);
  }

  /** Where a program is. */
  synchronized Optional<DriverRelay> where(long number) {
    return Optional.ofNullable(programs.get(number)).map(Resident::on);
  }

  synchronized List<CudaProgram> all() {
    return programs.values().stream().map(Resident::program).toList();
  }

  /** Those on a card. */
  synchronized List<CudaProgram> on(DriverRelay relay) {
    return programs.values().stream()
        .filter(resident -> resident.on() == relay)
        .map(Resident::program)
        .toList();
  }
}

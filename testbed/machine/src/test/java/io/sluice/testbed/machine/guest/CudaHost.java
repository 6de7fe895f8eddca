package io.sluice.testbed.machine.guest;

import io.sluice.abi.sandbox.RealSandboxKernel;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.DriverRelay;
import io.sluice.channel.nvidia.relay.ProgramRelay;
import io.sluice.channel.nvidia.relay.ProgramStatus;
import io.sluice.channel.nvidia.relay.RelayLimits;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.time.TimeSlices;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.relay.CudaPrograms;
import io.sluice.daemon.relay.OtherGpus;
import io.sluice.testbed.machine.support.CardHost;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.management.OperationsException;

/**
 * The part of a daemon that a machine with CUDA programs has to do with: its device, in this
 * process, and the relay of its programs, before a driver in memory.
 */
final class CudaHost implements AutoCloseable {
  private static final String GUEST = "guest";
  private static final long MOST_BYTES = 1L << 30;

  private final Kernel kernel = RealKernel.create();
  private final WillingDriver driver = new WillingDriver(kernel);
  private final CudaPrograms programs;
  private final Path socket;
  private final CardHost card;
  private final DriverRelay relay;

  /**
   * Begins to serve.
   *
   * @param directory for its sockets
   */
  CudaHost(Path directory) throws Exception {
    GuestSettings guest = settings(directory);
    socket = guest.socket();
    programs =
        new CudaPrograms(
            new CudaPrograms.Surroundings(
                kernel,
                CardHost.THREADS,
                System::nanoTime,
                Optional.empty(),
                (_, _) -> {},
                (_, _) -> {}));
    MemoryBudget video = MemoryBudget.upTo(() -> MOST_BYTES);
    relay =
        relay(
            new RelayLimits(
                guest.programs().cudaPrograms(),
                video,
                () -> MOST_BYTES,
                MemoryBudget.upTo(() -> MOST_BYTES)));
    programs.serve(guest, _ -> Optional.<ProgramRelay>of(relay), video, new OneGpu());
    card =
        new CardHost(
            kernel, GUEST, socket, programs.machine(guest, Optional.empty(), this::machine));
  }

  /** A host without other GPUs. */
  private static final class OneGpu implements OtherGpus {
    @Override
    public ProgramRelay open(String failed, String gpu, ProgramRelay own) {
      throw new IllegalStateException(failed);
    }

    @Override
    public void close(String gpu, ProgramRelay there) {
      throw new IllegalStateException(gpu);
    }
  }

  private static GuestSettings settings(Path directory) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%s"
            [gpu.h100]
            device = "/dev/nvidia0"
            [[guest]]
            name = "%s"
            cuda = true
            """
                .formatted(directory, GUEST));
    return new ConfigLoader(Map.of(), Map.of()).load(file).guests().getFirst();
  }

  private DriverRelay relay(RelayLimits limits) {
    return new DriverRelay(
        GUEST,
        kernel,
        driver,
        new RelayCard("card", 0x100, 0, 0, new UUID(0, 0)),
        limits,
        driver,
        new TimeSlices(),
        System::nanoTime,
        new RealSandboxKernel(kernel)::dropCapabilities);
  }

  private Optional<PeerCredentials> machine() {
    return card.device().peer();
  }

  /** Where its machine attaches. */
  Path socket() {
    return socket;
  }

  /** The programs that are served. */
  List<ProgramStatus> programs() {
    return relay.programs();
  }

  /** Ends one, as an operator does. */
  void end(long program) throws OperationsException {
    programs.end(GUEST, program);
  }

  /** Whether no program is served, and the driver has nothing of any. */
  boolean isEmpty() {
    return programs().isEmpty() && driver.objects() == 0;
  }

  /** Whether a machine is attached. */
  boolean hasMachine() {
    return machine().isPresent();
  }

  /** Leaves its machine without a word to its programs, as a daemon that is killed does. */
  void vanish() throws InterruptedException {
    card.device().close();
  }

  @Override
  public void close() throws InterruptedException {
    programs.leave(GUEST);
    card.close();
  }
}

package io.sluice.testbed.conformance.cuda;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sandbox.RealSandboxKernel;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.relay.DriverFiles;
import io.sluice.channel.nvidia.relay.DriverRelay;
import io.sluice.channel.nvidia.relay.RelayLimits;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.time.TimeSlices;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import io.sluice.testbed.fakes.TestCustody;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assumptions;

/**
 * A relay on the NVIDIA GPU of this machine, and the library and launcher by which programs use it:
 * runs CUDA programs natively and relayed.
 */
public final class CudaRig implements AutoCloseable {
  private static final int PROGRAMS = 16;
  private static final long HEAP_BYTES = 256L << 20;

  public final AtomicLong videoLimit = new AtomicLong(64L << 30);
  public final AtomicLong hostLimit = new AtomicLong(16L << 30);
  public final AtomicBoolean overflows = new AtomicBoolean();
  public final DriverRelay relay;

  /** The same guest's on another card; none where there is only one. */
  public final Optional<DriverRelay> beside;

  private final Path directory;
  private final Optional<RelayRecorder> recorder;
  private final DriverPort driver;
  private final NvidiaGpu gpu;
  private final Optional<NvidiaGpu> other;
  private final Kernel kernel;
  private final Fd listener;
  private final Path socket;
  private final Path parts;
  private final Thread acceptor;
  private volatile boolean closed;

  /** Video memory up to the limit, and what does not fit in system memory, if it is to be. */
  private final class Budget implements MemoryBudget {
    private final MemoryBudget bounded = MemoryBudget.upTo(videoLimit::get);

    @Override
    public boolean take(long bytes) {
      return bounded.take(bytes);
    }

    @Override
    public void add(long bytes) {
      bounded.add(bytes);
    }

    @Override
    public void giveBack(long bytes) {
      bounded.giveBack(bytes);
    }

    @Override
    public long bytes() {
      return bounded.bytes();
    }

    @Override
    public long limitBytes() {
      return bounded.limitBytes();
    }

    @Override
    public boolean overflows() {
      return overflows.get();
    }
  }

  /** The end of a program: what it printed, and how it ended. */
  public record Ended(int status, String output) {
    public List<String> lines() {
      return output.lines().toList();
    }
  }

  private CudaRig(NvidiaGpu gpu, Path directory, Path parts) {
    this.gpu = gpu;
    this.directory = directory;
    this.parts = parts;
    kernel = NvidiaRig.kernel();
    DriverPort driver = new DriverFiles(kernel, gpu.relayCard());
    recorder =
        Optional.ofNullable(System.getProperty("sluice.cuda.recording"))
            .map(to -> new RelayRecorder(Path.of(to), gpu.relayCard()));
    this.driver = recorder.map(each -> each.driver(driver)).orElse(driver);
    relay =
        new DriverRelay(
            "cuda",
            recorder.map(each -> each.kernel(kernel)).orElse(kernel),
            this.driver,
            gpu.relayCard(),
            new RelayLimits(
                PROGRAMS, new Budget(), hostLimit::get, MemoryBudget.upTo(() -> HEAP_BYTES)),
            gpu.copier(),
            new TimeSlices(),
            System::nanoTime,
            new RealSandboxKernel(kernel)::dropCapabilities);
    other = gpu.cards().size() > 1 ? Optional.of(NvidiaRig.open(1)) : Optional.empty();
    beside = other.map(card -> card.relayBeside(relay, MemoryBudget.upTo(videoLimit::get)));
    socket = directory.resolve("cuda");
    listener = kernel.listen(socket, PROGRAMS);
    acceptor = Thread.ofPlatform().start(this::accept);
  }

  /** A rig; skips the test where there is no GPU or no compiler. */
  public static CudaRig open(Path directory) throws IOException, InterruptedException {
    NvidiaGpu gpu = NvidiaRig.open();
    Path parts = Files.createDirectory(directory.resolve("parts"));
    Path sources = Path.of(System.getProperty("sluice.cuda", "../../guest-driver-stubs/cuda"));
    Ended built =
        run(Map.of(), List.of("make", "-s", "-C", sources.toString(), "OUT=" + parts, "WERROR="));
    Assumptions.assumeTrue(built.status() == 0, built::output);
    return new CudaRig(gpu, directory, parts);
  }

  /** Where all of it is. */
  public Path directory() {
    return directory;
  }

  /** Where the launcher and the library are. */
  public Path parts() {
    return parts;
  }

  private void accept() {
    while (!closed) {
      try {
        Fd connection = kernel.accept(listener);
        Thread _ = Thread.ofPlatform().start(() -> serve(connection));
      } catch (SyscallException e) {
        return; // closed
      }
    }
  }

  private void serve(Fd connection) {
    if (recorder.isPresent()) {
      recorder.get().record(driver.nodes(), () -> relay.serve(connection, TestCustody.none()));
    } else {
      relay.serve(connection, TestCustody.none());
    }
  }

  /** Runs a program as it is. */
  public Ended natively(String... command) throws IOException, InterruptedException {
    return run(environment(), List.of(command));
  }

  /** Runs it with all its calls relayed, without a device node in its view. */
  public Ended relayed(String... command) throws IOException, InterruptedException {
    return run(environment(), launched(command));
  }

  /** Starts it so. */
  public Process start(Path output, String... command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(launched(command))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment());
    return builder.start();
  }

  private List<String> launched(String... command) {
    List<String> all =
        new ArrayList<>(
            List.of(
                parts.resolve("sluice-cuda-run").toString(),
                "--socket",
                socket.toString(),
                "--library",
                parts.resolve("libsluice-cuda.so").toString(),
                "--"));
    all.addAll(List.of(command));
    return all;
  }

  /** Of every program. */
  static Map<String, String> environment() {
    return Map.of("CUBLAS_WORKSPACE_CONFIG", ":4096:8", "OMP_NUM_THREADS", "1");
  }

  /** Compiles a CUDA source of this package; skips the test where nvcc is not on the PATH. */
  public Path compile(String source) throws IOException, InterruptedException {
    Path cu = directory.resolve(source);
    try (var in = CudaRig.class.getResourceAsStream(source)) {
      Files.write(cu, in.readAllBytes());
    }
    Path program = directory.resolve(source.replace(".cu", ""));
    try {
      Ended nvcc =
          run(
              Map.of(),
              List.of("nvcc", "-O2", "-arch=sm_90", "-o", program.toString(), cu.toString()));
      if (nvcc.status() != 0) {
        throw new IOException(nvcc.output());
      }
    } catch (IOException e) {
      Assumptions.abort("no nvcc: " + e.getMessage());
    }
    return program;
  }

  /** Puts a file of this package where programs find it. */
  public Path file(String name) throws IOException {
    Path to = directory.resolve(name);
    try (var in = CudaRig.class.getResourceAsStream(name)) {
      Files.write(to, in.readAllBytes());
    }
    return to;
  }

  private static Ended run(Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), output);
  }

  @Override
  public void close() {
    closed = true;
    relay.close();
    kernel.shutdown(listener);
    try {
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    listener.close();
    beside.ifPresent(DriverRelay::close);
    other.ifPresent(NvidiaGpu::close);
    gpu.close();
  }

  /**
   * Serves until it is killed: the sources' directory is a property, and so is that of recordings,
   * if there are to be any; prints the command to use.
   */
  public static void main(String[] arguments) throws Exception {
    CudaRig rig = open(Files.createTempDirectory("cuda"));
    System.out.println(String.join(" ", rig.launched()));
    new CountDownLatch(1).await();
  }
}

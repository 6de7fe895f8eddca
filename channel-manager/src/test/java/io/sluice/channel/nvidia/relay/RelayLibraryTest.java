package io.sluice.channel.nvidia.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sandbox.RealSandboxKernel;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.time.TimeSlices;
import io.sluice.testbed.fakes.TestCustody;
import io.sluice.testbed.fakes.relay.CudaCalls;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.TestAbortedException;

/** The library of CUDA programs with the relay, over a real socket, before a driver in memory. */
final class RelayLibraryTest {
  private static final Path SOURCES = Path.of("../guest-driver-stubs/cuda");
  private static final long LIMIT_BYTES = 1L << 30;

  @TempDir private static Path parts;

  private final Kernel kernel = RealKernel.create();
  private final FakeDriver driver = new FakeDriver(kernel);
  private final DriverRelay relay =
      new DriverRelay(
          "web-01",
          kernel,
          driver,
          new RelayCard("card", 0x100, 0, 0, new UUID(0, 0)),
          new RelayLimits(
              16,
              MemoryBudget.upTo(() -> LIMIT_BYTES),
              () -> LIMIT_BYTES,
              MemoryBudget.upTo(() -> LIMIT_BYTES)),
          driver,
          new TimeSlices(),
          System::nanoTime,
          this::dropPrivileges);
  private final List<Thread> programs = new CopyOnWriteArrayList<>();

  private final List<String> capabilities = new CopyOnWriteArrayList<>();

  @TempDir private Path directory;
  private Fd listener;
  private Thread door;

  @BeforeAll
  static void build() throws Exception {
    Process make;
    try {
      make =
          new ProcessBuilder("make", "-s", "-C", SOURCES.toString(), "OUT=" + parts, "check")
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      throw new TestAbortedException("no make: " + e);
    }
    String said = new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(make.waitFor()).as(said).isZero();
  }

  @BeforeEach
  void serve() {
    listener = kernel.listen(directory.resolve("cuda"), 16);
    door = Thread.ofPlatform().start(this::accept);
  }

  private void dropPrivileges() {
    new RealSandboxKernel(kernel).dropCapabilities();
    try (Stream<String> lines = Files.lines(Path.of("/proc/thread-self/status"))) {
      lines.filter(line -> line.startsWith("CapEff:")).forEach(capabilities::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    try {
      while (true) {
        Fd connection = kernel.accept(listener);
        programs.add(Thread.ofPlatform().start(() -> relay.serve(connection, TestCustody.none())));
      }
    } catch (SyscallException _) {
      // It was shut down.
    }
  }

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    relay.close();
    kernel.shutdown(listener);
    door.join();
    for (Thread program : programs) {
      program.join();
    }
    listener.close();
    assertThat(relay.programs()).isEmpty();
    assertThat(driver.objects()).isZero();
  }

  private Process start(String section) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(parts.resolve("calls").toString(), section).redirectErrorStream(true);
    builder.environment().put("LD_PRELOAD", parts.resolve("libsluice-cuda.so").toString());
    builder.environment().put("SLUICE_CUDA_SOCKET", directory.resolve("cuda").toString());
    return builder.start();
  }

  private List<String> calls(String section) throws Exception {
    Process process = start(section);
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(() -> String.join("\n", lines)).isZero();
    return lines;
  }

  private void assertPrints(CudaCalls of) throws Exception {
    assertThat(calls(of.section())).containsAll(of.lines());
  }

  @ParameterizedTest
  @MethodSource("io.sluice.testbed.fakes.relay.CudaCalls#answered")
  void calls_thatAProgramMayMake_areAnswered(CudaCalls section) throws Exception {
    assertPrints(section);
  }

  @Test
  void objects_areMadeByTheDriver_withoutCapabilities() throws Exception {
    assertPrints(CudaCalls.OBJECTS);
    assertThat(driver.seen(ProgramEscape.ALLOC)).hasSize(3);
    assertThat(capabilities).containsExactly("CapEff:\t0000000000000000");
  }

  /** The sections that name a client have not made one: each is refused, and nothing is left. */
  @ParameterizedTest
  @MethodSource("io.sluice.testbed.fakes.relay.CudaCalls#refused")
  void calls_thatNameNoClientOfTheirs_areRefused(CudaCalls section) throws Exception {
    assertPrints(section);
    assertThat(driver.seen(ProgramEscape.CONTROL)).isEmpty();
    assertThat(driver.seen(ProgramEscape.ALLOC_MEMORY)).isEmpty();
  }

  /**
   * The program's own thread rings meanwhile; the library's has another doorbell take its place.
   */
  @Test
  void doorbell_ofAnotherCard_takesThePlaceOfTheOneThatIsMapped() throws Exception {
    driver.haveMappableCards();
    OtherCard port = new OtherCard(driver);
    DriverRelay other =
        relay.beside(
            port,
            new RelayCard("other", 0x101, 1, 1, new UUID(1, 1)),
            MemoryBudget.upTo(() -> LIMIT_BYTES),
            port,
            new TimeSlices());
    Process process = start("doorbell");
    List<String> lines = new ArrayList<>();
    try (BufferedReader output = process.inputReader()) {
      String line = output.readLine();
      while (line != null) {
        lines.add(line);
        if (line.equals("rings")) {
          long number = relay.programs().getFirst().number();
          Thread moves =
              Thread.ofPlatform()
                  .start(() -> {
                    boolean _ = relay.suspend(number, Long.MAX_VALUE >> 1);
                    boolean _ = other.resumeHere(number);
                  });
          moves.join();
        }
        line = output.readLine();
      }
    }
    assertThat(process.waitFor()).as(() -> String.join("\n", lines)).isZero();
    assertThat(lines).contains("another doorbell: 1, and of what was unmapped 8");
    assertThat(driver.opened("nvidia1")).isNotEmpty();
    other.close();
  }
}

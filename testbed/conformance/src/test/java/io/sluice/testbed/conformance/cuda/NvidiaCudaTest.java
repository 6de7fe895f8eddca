package io.sluice.testbed.conformance.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.channel.nvidia.relay.ProgramStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unmodified CUDA programs, natively and over the relay, on the NVIDIA GPU of this machine. */
final class NvidiaCudaTest extends RelayedPrograms {
  /** By which {@code frameworks.py} says that a framework is not there. */
  private static final int NOT_INSTALLED = 77;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vec",
        "stack",
        "streams",
        "events",
        "graph",
        "pinned",
        "registered",
        "managed",
        "cooperative",
        "symbols",
        "memory",
        "many",
        "threads",
        "lasting"
      })
  void program_relayed_printsWhatItPrintsNatively(String part) throws Exception {
    CudaRig.Ended natively = rig.natively(programs.toString(), part);
    assertThat(natively.status()).as(natively.output()).isZero();

    CudaRig.Ended relayed = rig.relayed(programs.toString(), part);

    assertThat(relayed).isEqualTo(natively);
  }

  @Test
  void programs_atOnce_eachIsRight() throws Exception {
    List<String> parts = List.of("streams", "many", "managed", "threads");
    List<Path> outputs = parts.stream().map(part -> directory.resolve("both-" + part)).toList();
    Process[] running = new Process[parts.size()];
    for (int i = 0; i < running.length; i++) {
      running[i] = rig.start(outputs.get(i), programs.toString(), parts.get(i));
    }
    for (int i = 0; i < running.length; i++) {
      assertThat(running[i].waitFor()).isZero();
      assertThat(Files.readString(outputs.get(i)))
          .isEqualTo(rig.natively(programs.toString(), parts.get(i)).output());
    }
  }

  @Test
  void training_relayed_hasTheLossesOfTheNativeOne() throws Exception {
    String train = train();
    CudaRig.Ended natively = rig.natively("python3", train);
    assertThat(natively.status()).as(natively.output()).isZero();
    assertThat(natively.lines()).hasSize(2);

    CudaRig.Ended relayed = rig.relayed("python3", train);

    assertThat(relayed.status()).as(relayed.output()).isZero();
    assertThat(relayed.lines()).isEqualTo(natively.lines());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "illegal",
        "far",
        "host",
        "assert",
        "trap",
        "misaligned",
        "overflow",
        "config",
        "print",
        "heap",
        "recursion",
        "reset"
      })
  void fault_relayed_isToldAsNatively(String fault) throws Exception {
    String faults = rig.compile("faults.cu").toString();
    CudaRig.Ended natively = rig.natively(faults, fault);
    CudaRig.Ended relayed = rig.relayed(faults, fault);

    assertThat(relayed.lines()).hasSizeGreaterThan(5).isEqualTo(natively.lines());
    assertThat(relayed.status()).isEqualTo(natively.status());
    assertThat(rig.relayed(programs.toString(), "vec").lines())
        .as("the next program")
        .anyMatch(line -> line.startsWith("vec: wrong 0"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"jax", "cupy", "triton", "resnet", "transformer", "loader", "compile"})
  void framework_relayed_computesWhatItDoesNatively(String part) throws Exception {
    String frameworks = rig.file("frameworks.py").toString();
    Path _ = rig.file("frameworks_triton.py");
    CudaRig.Ended natively = rig.natively("python3", frameworks, part);
    Assumptions.assumeTrue(natively.status() != NOT_INSTALLED, natively::output);
    assertThat(natively.status()).as(natively.output()).isZero();

    CudaRig.Ended relayed = rig.relayed("python3", frameworks, part);

    assertThat(relayed.status()).as(relayed.output()).isZero();
    assertThat(results(part, relayed)).isNotEmpty().isEqualTo(results(part, natively));
  }

  /** Frameworks say more than that, with times. */
  private static List<String> results(String part, CudaRig.Ended ended) {
    return ended.lines().stream().filter(line -> line.startsWith(part + " ")).toList();
  }

  @Test
  void videoMemory_beyondTheLimit_isOutOfMemoryForTheProgram() throws Exception {
    rig.videoLimit.set(2L << 30); // a context has more than half a GiB
    try {
      CudaRig.Ended ended = rig.relayed(programs.toString(), "hold", "768", "hold", "1792", "vec");
      assertThat(ended.lines())
          .contains("hold 768 MiB: no error", "hold 1792 MiB: out of memory")
          .anyMatch(line -> line.startsWith("vec: wrong 0"));
    } finally {
      rig.videoLimit.set(64L << 30);
    }
  }

  @Test
  void hostMemory_beyondTheLimit_isAnErrorForTheProgram() throws Exception {
    rig.hostLimit.set(128L << 20);
    try {
      CudaRig.Ended ended = rig.relayed(programs.toString(), "pinned");
      assertThat(ended.status()).isNotZero();
    } finally {
      rig.hostLimit.set(16L << 30);
    }
  }

  private Process spinning() throws Exception {
    Path output = directory.resolve("spin-" + System.nanoTime());
    Process spin = rig.start(output, programs.toString(), "spin");
    SOON.until("it spins", () -> Files.readString(output).contains("spins"));
    return spin;
  }

  @Test
  void program_thatIsKilled_leavesNothing() throws Exception {
    Process spin = spinning();
    ProgramStatus status = rig.relay.programs().getFirst();
    assertThat(status.channels()).isGreaterThanOrEqualTo(8);
    assertThat(status.videoBytes()).isGreaterThan(64L << 20);
    assertThat(status.peer().pid()).isEqualTo(spin.pid());

    int _ = spin.destroyForcibly().waitFor();

    SOON.until("no programs", () -> rig.relay.programs().isEmpty());
    assertThat(rig.relayed(programs.toString(), "vec").output()).startsWith("vec: wrong 0");
  }

  @Test
  void program_thatIsEnded_losesTheGpuAndAnotherHasIt() throws Exception {
    Process spin = spinning();

    assertThat(rig.relay.end(rig.relay.programs().getFirst().number())).isTrue();

    SOON.until("no programs", () -> rig.relay.programs().isEmpty());
    assertThat(rig.relayed(programs.toString(), "vec").output()).startsWith("vec: wrong 0");
    SOON.until("an error of CUDA's, also where it waits without a call", () -> !spin.isAlive());
    assertThat(spin.exitValue()).isNotZero();
  }

  /** What the launcher leaves a program that goes past the library. */
  @Test
  void driver_pastTheLibrary_isOutOfReach() throws IOException, InterruptedException {
    CudaRig.Ended ended =
        rig.relayed(
            "env",
            "-u",
            "LD_PRELOAD",
            "python3",
            "-c",
            """
            import fcntl, os, stat
            for request in (0xc00846d6, 0xc030462b, 0x30000001, 27):
                try:
                    fcntl.ioctl(os.open("/dev/null", os.O_RDWR), request, bytes(64))
                    print("let through", request)
                except PermissionError:
                    print("refused")
            for node in ("nvidiactl", "nvidia0", "nvidia-uvm"):
                print(os.major(os.stat("/dev/" + node).st_rdev))
            """);
    assertThat(ended.lines())
        .containsExactly("refused", "refused", "refused", "refused", "1", "1", "1");
  }

  @Test
  void smi_relayed_namesTheCard() throws Exception {
    CudaRig.Ended natively = rig.natively("nvidia-smi", "-L");
    Assumptions.assumeTrue(natively.status() == 0, "no nvidia-smi");
    assertThat(rig.relayed("nvidia-smi", "-L")).isEqualTo(natively);
  }
}

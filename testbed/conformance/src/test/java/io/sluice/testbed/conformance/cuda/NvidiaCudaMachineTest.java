package io.sluice.testbed.conformance.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.CudaProgramStatus;
import io.sluice.management.local.LocalConnection;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.conformance.daemon.Daemon;
import io.sluice.testbed.machine.BoundedWait;
import io.sluice.testbed.machine.MachineEnvironment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * CUDA programs in a QEMU machine whose device is served by a real sluiced, and the same programs
 * on the host: they print the same.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class NvidiaCudaMachineTest {
  private static final String GUEST = "machine";
  private static final BoundedWait SOON =
      new BoundedWait(Duration.ofSeconds(60), Duration.ofMillis(50));

  private static final int LOOKS = 30;

  /** Importing PyTorch alone takes minutes under an emulated processor. */
  private static final Duration TRAINING = CudaMachine.PATIENCE.multipliedBy(3);

  /** Of arithmetic on the processor, the same for the host's and an emulated one. */
  private static final String PLAIN = "ATEN_CPU_CAPABILITY=default";

  private CudaRig rig;
  private Daemon daemon;
  private CudaMachine machine;
  private String programs;
  private String faults;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    rig = CudaRig.open(Files.createDirectory(directory.resolve("rig")));
    MachineEnvironment environment = CudaMachine.environment();
    programs = rig.compile("cuda_programs.cu").toString();
    faults = rig.compile("faults.cu").toString();
    Path _ = rig.file("train.py");
    daemon =
        Daemon.start(
            directory.resolve("daemon"),
            "[gpu.nvidia]\ndevice = \"/dev/nvidia0\"\n",
            """
            [[guest]]
            name = "%s"
            vram-limit = "4GiB"
            cuda = true
            """
                .formatted(GUEST),
            GUEST);
    machine = CudaMachine.boot(environment, rig, daemon.socket(GUEST));
  }

  /** The machine's kernel was not hurt. */
  @AfterAll
  void stop() throws Exception {
    try {
      if (machine != null) {
        assertThat(machine.end()).isZero();
      }
    } finally {
      if (machine != null) {
        machine.close();
      }
      if (daemon != null) {
        daemon.close();
      }
      if (rig != null) {
        rig.close();
      }
    }
  }

  /** A program's end is heard after it has ended. */
  @AfterEach
  void nothingIsLeft() throws Exception {
    SOON.until("no programs", this::isIdle);
  }

  private boolean isIdle() throws Exception {
    try (LocalConnection connection = daemon.connect()) {
      return connection.programs().list(GUEST).isEmpty();
    }
  }

  private static String inside(String file) {
    return CudaMachine.RIG.resolve(Path.of(file).getFileName()).toString();
  }

  /** The console has no blanks at the ends of a line. */
  private static List<String> lines(CudaRig.Ended ended) {
    return ended.lines().stream().map(String::strip).toList();
  }

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
        "threads"
      })
  void program_inAMachine_printsWhatItPrintsNatively(String part) throws Exception {
    CudaRig.Ended natively = rig.natively(programs, part);
    assertThat(natively.status()).as(natively.output()).isZero();

    CudaRig.Ended relayed = machine.relayed(inside(programs), part);

    assertThat(lines(relayed)).isEqualTo(lines(natively));
    assertThat(relayed.status()).isZero();
  }

  @Test
  void programs_atOnceInAMachine_eachIsRight() throws Exception {
    String run = "$RUN " + inside(programs);
    CudaRig.Ended both =
        machine.shell(
            run
                + " streams > /tmp/first & "
                + run
                + " threads; s=$?; wait $! && cat /tmp/first && exit $s",
            CudaMachine.PATIENCE);

    assertThat(both.status()).as(both.output()).isZero();
    assertThat(lines(both)).isEqualTo(lines(rig.natively(programs, "threads", "streams")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"illegal", "assert"})
  void fault_inAMachine_isToldAsNativelyAndHurtsNoOther(String fault) throws Exception {
    CudaRig.Ended natively = rig.natively(faults, fault);

    CudaRig.Ended relayed = machine.relayed(inside(faults), fault);

    // What the device says goes to standard error, which may come before or after.
    assertThat(lines(relayed))
        .hasSizeGreaterThan(5)
        .containsExactlyInAnyOrderElementsOf(lines(natively));
    assertThat(relayed.status()).isEqualTo(natively.status());
    assertThat(machine.relayed(inside(programs), "vec").output()).startsWith("vec: wrong 0");
  }

  @Test
  void program_killedInAMachine_leavesNothing() throws Exception {
    CudaRig.Ended killed =
        machine.shell(
            "$RUN "
                + inside(programs)
                + " spin > /tmp/spin 2>&1 & p=$!; until grep -q spins /tmp/spin; do kill -0 $p || {"
                + " cat /tmp/spin; exit 1; }; sleep 0.2; done; kill -9 $p; wait $p; exit 0",
            CudaMachine.PATIENCE);

    assertThat(killed.status()).as(killed.output()).isZero();
    nothingIsLeft();
    assertThat(machine.relayed(inside(programs), "vec").output()).startsWith("vec: wrong 0");
  }

  /** A launch is no message, whatever the program waits for. */
  @Test
  void launches_inAMachine_askTheRelayNothing() throws Exception {
    CudaRig.Ended begun =
        machine.shell(
            "$RUN " + inside(programs) + " share $(date +%s) 20 > /tmp/share 2>&1 & echo begun",
            CudaMachine.PATIENCE);
    assertThat(begun.status()).as(begun.output()).isZero();
    long[] calls = new long[1];
    int[] same = new int[1];
    SOON.until(
        "a program that has begun",
        () -> {
          long before = calls[0];
          calls[0] = calls();
          same[0] = before > 0 && before == calls[0] ? same[0] + 1 : 0;
          return same[0] == LOOKS;
        });
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < LOOKS; i++) {
      seen.add(calls());
    }

    assertThat(seen).containsExactly(calls[0]);
    CudaRig.Ended ended =
        machine.shell("until grep kernels /tmp/share; do sleep 0.2; done", CudaMachine.PATIENCE);
    System.out.println(ended.output());
    String kernels = lines(ended).getFirst().replaceAll("[^0-9]", "");
    assertThat(Long.parseLong(kernels)).isGreaterThan(100);
  }

  private long calls() throws Exception {
    try (LocalConnection connection = daemon.connect()) {
      return connection.programs().list(GUEST).stream()
          .filter(program -> program.channels() > 0)
          .mapToLong(CudaProgramStatus::calls)
          .sum();
    }
  }

  @Test
  void videoMemory_beyondTheGuestsLimit_isOutOfMemoryForTheProgram() throws Exception {
    assertThat(lines(machine.relayed(inside(programs), "hold", "5120", "hold", "256")))
        .contains("hold 5120 MiB: out of memory", "hold 256 MiB: no error");
  }

  @Test
  void training_inAMachine_hasTheLossesOfTheNativeOne() throws Exception {
    assumeTrue(Boolean.getBoolean("sluice.cuda.torch"), "not asked for: bundle/test --torch");
    CudaRig.Ended there = rig.natively("python3", "-c", "import torch");
    assumeTrue(there.status() == 0, "no PyTorch");
    String train = rig.directory().resolve("train.py").toString();
    CudaRig.Ended natively = rig.natively("env", PLAIN, "python3", train);
    assertThat(natively.status()).as(natively.output()).isZero();
    assertThat(natively.lines()).hasSize(2);

    CudaRig.Ended relayed =
        machine.shell("$RUN env " + PLAIN + " python3 " + inside(train), TRAINING);

    assertThat(relayed.status()).as(relayed.output()).isZero();
    assertThat(lines(relayed)).isEqualTo(lines(natively));
  }
}

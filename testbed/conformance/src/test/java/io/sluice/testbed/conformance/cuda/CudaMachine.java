package io.sluice.testbed.conformance.cuda;

import io.sluice.testbed.conformance.daemon.Daemon;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;

/**
 * A machine that has a guest's device and runs programs of the host, one after the other, as an
 * ordinary user. It has mounted the root directory of the host, where they find their libraries,
 * and in that the directory of a rig. Nothing that is in either may change while it runs.
 */
final class CudaMachine implements AutoCloseable {
  /** Where it has the directory of the rig. */
  static final Path RIG = Path.of("/mnt");

  /** What a program may take under an emulated processor. */
  static final Duration PATIENCE = Duration.ofMinutes(Integer.getInteger("sluice.vm.patience", 10));

  private static final String MEMORY = System.getProperty("sluice.cuda.memory", "4G");
  private static final String USER = System.getProperty("sluice.cuda.user", "1000");
  private static final int MOST_PROCESSORS = 4;

  /** Copies and clears by the word, which is emulated several times as fast as by the byte. */
  private static final String PROCESSOR = "max,erms=off,fsrm=off,fsrs=off";

  /** Runs lines of the console; in them $RUN stands for the words that go before a program's. */
  private static final String LOOP =
      """
      %s
      export RUN='%s'
      echo cuda-ready
      while read -r number command && [ -n "$command" ]; do
        echo "cuda-begin $number"
        sh -c "$command" </dev/null 2>&1
        status=$?
        echo
        echo "cuda-end $number $status"
      done
      """;

  private final MachineGuest guest;
  private int number;

  private CudaMachine(MachineGuest guest) {
    this.guest = guest;
  }

  /** What it is booted from; skips the test where there is none. */
  static MachineEnvironment environment() {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    Assumptions.assumeTrue(
        found.isPresent() && found.orElseThrow().isPacked(),
        "no packed machine here: bundle/test --machine DIRECTORY");
    return found.orElseThrow();
  }

  /**
   * Boots one, and waits until it can be told what to run.
   *
   * @param socket of the guest whose device it gets
   */
  static CudaMachine boot(MachineEnvironment environment, CudaRig rig, Path socket)
      throws IOException, InterruptedException {
    Path directory = rig.directory();
    Files.writeString(
        directory.resolve("loop"), LOOP.formatted(exports(), String.join(" ", run())));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    int processors = Math.min(MOST_PROCESSORS, Runtime.getRuntime().availableProcessors());
    MachineGuest guest =
        MachineGuest.start(
            environment,
            new MachineGuest.Setup(
                environment.image(),
                List.of(socket),
                "IN_SHARE_USER=" + USER + " in-share sh " + RIG.resolve("loop"),
                Optional.empty(),
                List.of(
                    "--memory",
                    MEMORY,
                    "--cpus",
                    Integer.toString(processors),
                    "--share",
                    "/:/share",
                    "--share",
                    directory + ":/share" + RIG,
                    "--append",
                    "init_on_alloc=0",
                    "--",
                    "-cpu",
                    PROCESSOR)),
            line -> System.out.println("machine> " + line));
    try {
      guest.await("cuda-ready", PATIENCE);
    } catch (IOException | InterruptedException e) {
      guest.close();
      throw e;
    }
    return new CudaMachine(guest);
  }

  private static String exports() {
    StringBuilder lines = new StringBuilder("export PATH=" + quote(System.getenv("PATH")));
    CudaRig.environment()
        .forEach((name, value) -> lines.append("\nexport " + name + "=" + quote(value)));
    return lines.toString();
  }

  private static List<String> run() {
    return List.of(
        RIG.resolve("parts/sluice-cuda-run").toString(),
        "--socket",
        "/dev/sluice-api0",
        "--library",
        RIG.resolve("parts/libsluice-cuda.so").toString(),
        "--");
  }

  private static String quote(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  /** Runs a program with its calls relayed. */
  CudaRig.Ended relayed(String... command) throws IOException, InterruptedException {
    return shell(
        Arrays.stream(command)
            .map(CudaMachine::quote)
            .collect(Collectors.joining(" ", "$RUN ", "")),
        PATIENCE);
  }

  /**
   * Runs a line of the shell.
   *
   * @throws IOException with the console, when it does not end in time
   */
  CudaRig.Ended shell(String line, Duration patience) throws IOException, InterruptedException {
    number++;
    guest.type(number + " " + line);
    String end = "cuda-end " + number + " ";
    int status = Integer.parseInt(guest.await(end, patience));
    String begin = "cuda-begin " + number + "\n";
    String console = guest.console();
    String output =
        console.substring(console.indexOf(begin) + begin.length(), console.indexOf(end));
    return new CudaRig.Ended(status, output.stripTrailing() + "\n");
  }

  /** Has it power off; its exit status, which is that of a kernel that was hurt if it was. */
  int end() throws IOException, InterruptedException {
    guest.type("");
    return guest.awaitExit(PATIENCE);
  }

  @Override
  public void close() throws InterruptedException {
    guest.close();
  }

  /**
   * Runs the lines of standard input in a machine whose guest has a limit of 8 GiB, with the
   * programs of this package in the directory of the rig.
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Files.createTempDirectory("cuda-machine");
    MachineEnvironment environment = environment();
    try (CudaRig rig = CudaRig.open(Files.createDirectory(directory.resolve("rig")))) {
      Path _ = rig.compile("cuda_programs.cu");
      Path _ = rig.compile("faults.cu");
      for (String file : List.of("train.py", "steps.py", "frameworks.py")) {
        Path _ = rig.file(file);
      }
      try (Daemon daemon =
              Daemon.start(
                  directory.resolve("daemon"),
                  "[gpu.nvidia]\ndevice = \"/dev/nvidia0\"\n",
                  "[[guest]]\nname = \"a\"\nvram-limit = \"8GiB\"\ncuda = true\n",
                  "a");
          CudaMachine machine = boot(environment, rig, daemon.socket("a"));
          BufferedReader lines =
              new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (!line.isBlank()) {
            long start = System.nanoTime();
            int status = machine.shell(line, PATIENCE).status();
            System.out.printf(
                "status %d, %d ms%n", status, (System.nanoTime() - start) / 1_000_000);
          }
        }
        System.out.println("machine exit " + machine.end());
      }
    }
  }
}

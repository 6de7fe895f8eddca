package io.sluice.testbed.demo;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.management.GuestCounters;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.Recorder;
import io.sluice.testbed.machine.TestHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * {@code ./sluice demo}: starts sluiced with the embedded GPU and a guest, lets the guest work, and
 * counts what the host had to do for it.
 */
@CommandLine.Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Boots a guest whose processes use the embedded GPU through passed-through channels,",
      "verifies what they did, and shows that no message took part in a submission."
    })
public final class Demo implements Callable<Integer> {
  private static final String GUEST = "demo";
  private static final long MIB = 1L << 20;
  private static final long MAX_MIB = 512;
  private static final int MAX_ROWS = 4096;
  private static final int ROWS_UNIT = 16;

  /** What the guest is. */
  enum GuestKind {
    /** A machine where there is QEMU, else a process. */
    auto,
    /** A machine, or nothing. */
    vm,
    /** A process. */
    process
  }

  @CommandLine.Option(
      names = "--guest",
      defaultValue = "auto",
      description = "vm, process, or auto: a machine where there is QEMU (default: auto)")
  private GuestKind guest = GuestKind.auto;

  @CommandLine.Option(
      names = "--record",
      description = "count messages by a recorder of ours between the guest and sluiced, too")
  private boolean record;

  @CommandLine.Option(
      names = "--mib",
      defaultValue = "64",
      description = "how much is copied, in MiB, 1 to 512 (default: 64)")
  private long mib;

  @CommandLine.Option(
      names = "--mmul",
      paramLabel = "N",
      defaultValue = "1024",
      description =
          "rows of the matrices to multiply, a multiple of 16, 0 for none (default: 1024)")
  private int mmul;

  @CommandLine.Option(
      names = "--lud",
      paramLabel = "N",
      defaultValue = "512",
      description = "rows of the matrix to decompose, a multiple of 16, 0 for none (default: 512)")
  private int lud;

  @CommandLine.Option(
      names = "--blur",
      paramLabel = "N",
      defaultValue = "512",
      description = "lines of the image to blur, a multiple of 16, 0 for none (default: 512)")
  private int blur;

  @CommandLine.Option(
      names = "--no-migration",
      description = "leave out the last act, in which the machine moves to another host")
  private boolean noMigration;

  @CommandLine.Option(names = "--only-migration", description = "the last act alone")
  private boolean onlyMigration;

  private final Report report = new Report(System.out);

  private Demo() {}

  /** Runs the demo; the exit status is 0 only if everything was verified. */
  public static void main(String[] arguments) {
    CommandLine line = new CommandLine(new Demo());
    line.setExecutionExceptionHandler((failure, _, _) -> {
      System.err.println("demo: " + failure.getMessage());
      System.out.println("demo: FAILED");
      return 1;
    });
    System.exit(line.execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (mib < 1 || mib > MAX_MIB) {
      System.err.println("demo: --mib is 1 to " + MAX_MIB + ", not " + mib);
      return 2;
    }
    if (!isSize(mmul) || !isSize(lud) || !isSize(blur)) {
      System.err.println("demo: --mmul, --lud and --blur are multiples of 16 up to " + MAX_ROWS);
      return 2;
    }
    Optional<MachineEnvironment> machines =
        guest == GuestKind.process ? Optional.empty() : MachineEnvironment.find();
    if (guest == GuestKind.vm && machines.isEmpty()) {
      System.err.println("demo: --guest vm, and there is no QEMU here");
      return 1;
    }
    Path directory = Files.createTempDirectory("sluice-demo");
    try {
      run(directory, machines);
    } finally {
      delete(directory);
    }
    report.close();
    return report.failed() ? 1 : 0;
  }

  private void run(Path directory, Optional<MachineEnvironment> machines) throws Exception {
    Optional<Machines> booted = Optional.empty();
    if (machines.isPresent()) {
      Path own = Files.createDirectory(directory.resolve("opencl"));
      Optional<MachineOpenCl> openCl = MachineOpenCl.prepare(own, report);
      List<String> arguments = openCl.isPresent() ? openCl.get().imageArguments() : List.of();
      booted = Optional.of(new Machines(machines.get(), machines.get().image(arguments), openCl));
    }
    if (!onlyMigration) {
      work(Files.createDirectory(directory.resolve("daemon")), booted);
    }
    if (!noMigration && booted.isPresent()) {
      migrate(booted.get(), directory);
    }
  }

  /**
   * What machines are made of.
   *
   * @param image directory of what they boot
   * @param openCl what the first does with OpenCL, if anything
   */
  private record Machines(
      MachineEnvironment environment, Path image, Optional<MachineOpenCl> openCl) {}

  private static DaemonProcess startDaemon(Path directory, Optional<Machines> machines)
      throws IOException, InterruptedException {
    return machines.flatMap(Machines::openCl).isPresent()
        ? DaemonProcess.startWithOpenCl(directory, List.of(GUEST), "")
        : DaemonProcess.start(directory, List.of(GUEST));
  }

  private void work(Path directory, Optional<Machines> machines) throws Exception {
    Kernel kernel = RealKernel.create();
    try (DaemonProcess daemon = startDaemon(directory, machines)) {
      report.step("sluiced runs, process %d, with the embedded GPU", daemon.pid());
      if (record) {
        Path recorded = directory.resolve("recorded.sock");
        try (Recorder recorder = new Recorder(kernel, recorded, daemon.socket(GUEST))) {
          runGuest(kernel, daemon, recorded, machines, recorder::messages);
        }
      } else {
        runGuest(kernel, daemon, daemon.socket(GUEST), machines, () -> 0);
      }
    }
    report.step("sluiced has stopped");
  }

  private void migrate(Machines machines, Path directory) throws Exception {
    String whyNot = TestHost.whyNot();
    if (whyNot.isEmpty()) {
      Path own = Files.createDirectory(directory.resolve("migration"));
      boolean openCl = machines.openCl().isPresent() && MovingOpenCl.isInstalled();
      if (machines.openCl().isPresent() && !openCl) {
        report.detail("no OpenCL in the machine that moves: clblast-utils is not installed here");
      }
      new MigrationAct(machines.environment(), machines.image(), openCl, own, report).run();
    } else {
      report.step("no second host here: %s", whyNot);
    }
  }

  private void runGuest(
      Kernel kernel,
      DaemonProcess daemon,
      Path socket,
      Optional<Machines> machines,
      LongSupplier recorded)
      throws Exception {
    if (machines.isEmpty() && guest == GuestKind.auto) {
      report.detail("no QEMU here: the guest is a process, attached as a machine would be");
    }
    Sizes sizes = new Sizes(mib * MIB, mmul, lud, blur);
    try (GuestSession session =
        machines.isPresent()
            ? machine(machines.get(), socket, sizes)
            : new ProcessSession(kernel, socket, sizes, report)) {
      session.start();
      for (GuestWork work : session.works()) {
        try (work) {
          runWork(work, daemon, recorded);
        }
      }
      session.finish();
    }
    GuestCounters total = daemon.counters(GUEST);
    report.step(
        "in all: %d messages, %d calls, %d interrupts",
        total.messages(), total.hypercalls(), total.interrupts());
  }

  private MachineSession machine(Machines machines, Path socket, Sizes sizes) {
    return new MachineSession(
        machines.environment(), machines.image(), socket, sizes, machines.openCl(), report);
  }

  private void runWork(GuestWork work, DaemonProcess daemon, LongSupplier recorded)
      throws Exception {
    work.setUp();
    GuestCounters before = daemon.counters(GUEST);
    long recordedBefore = recorded.getAsLong();
    work.submit();
    GuestCounters after = daemon.counters(GUEST);
    long recordedAfter = recorded.getAsLong();
    report.step("what the host did meanwhile (%s)", work.title());
    compare(before, after, recordedBefore, recordedAfter);
    work.verify();
  }

  private static boolean isSize(int rows) {
    return rows >= 0 && rows <= MAX_ROWS && rows % ROWS_UNIT == 0;
  }

  private void compare(
      GuestCounters before, GuestCounters after, long recordedBefore, long recordedAfter) {
    report.check(
        after.messages() == before.messages(),
        "messages: %d before, %d after",
        before.messages(),
        after.messages());
    report.check(
        after.hypercalls() == before.hypercalls(),
        "calls: %d before, %d after",
        before.hypercalls(),
        after.hypercalls());
    report.detail("interrupts: %d before, %d after", before.interrupts(), after.interrupts());
    if (record) {
      report.check(
          recordedAfter == recordedBefore,
          "messages seen by the recorder: %d before, %d after",
          recordedBefore,
          recordedAfter);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}

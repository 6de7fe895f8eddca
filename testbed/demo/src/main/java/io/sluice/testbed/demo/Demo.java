package io.sluice.testbed.demo;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.Recorder;
import io.sluice.testbed.machine.TestHost;
import io.sluice.testbed.opencl.OpenClParts;
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

  /** The kind of the guest. */
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

  private final Report report = new Report(Screen.standard(), System::nanoTime);
  private final HostCounts counts = new HostCounts(report);

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
    try (report) {
      run(directory, machines);
      report.conclude();
    } finally {
      delete(directory);
    }
    return report.failed() ? 1 : 0;
  }

  private void run(Path directory, Optional<MachineEnvironment> machines) throws Exception {
    boolean machine = machines.isPresent();
    String noOpenCl = OpenClParts.whyNot();
    String noHosts = machine ? TestHost.whyNot() : "there is no QEMU here";
    Sizes sizes = new Sizes(mib * MIB, mmul, lud, blur);
    DemoPlan plan =
        new DemoPlan(
            machine,
            machine && noOpenCl.isEmpty(),
            !onlyMigration,
            machine && !noMigration && noHosts.isEmpty(),
            sizes);
    if (!plan.works() && !plan.moves()) {
      throw new IOException("nothing is left to show, as no machine moves: " + noHosts);
    }
    report.open(plan);
    report.begin(DemoPart.HOST);
    if (!machine && guest == GuestKind.auto) {
      report.say("No QEMU here: the guest is a process, which attaches as a machine would.");
    }
    if (machine && !noOpenCl.isEmpty()) {
      report.say("Left out: OpenCL in the machine, %s", noOpenCl);
    }
    if (machine && !noMigration && !noHosts.isEmpty()) {
      report.say("Left out: the move to another host, %s", noHosts);
    }
    Optional<Machines> made =
        machine ? Optional.of(make(directory, machines.get(), plan)) : Optional.empty();
    if (plan.works()) {
      work(Files.createDirectory(directory.resolve("daemon")), made, sizes);
    }
    if (plan.moves()) {
      move(made.orElseThrow(), Files.createDirectory(directory.resolve("migration")));
    }
  }

  /**
   * The parts that machines are made of.
   *
   * @param image directory of what they boot
   * @param openCl what the first does with OpenCL, if anything
   */
  private record Machines(
      MachineEnvironment environment, Path image, Optional<MachineOpenCl> openCl) {}

  private Machines make(Path directory, MachineEnvironment environment, DemoPlan plan)
      throws IOException, InterruptedException {
    try (WaitLine _ = report.waiting("what the machine boots is built, or taken from the cache")) {
      if (!plan.openCl()) {
        return new Machines(environment, environment.image(List.of()), Optional.empty());
      }
      Path own = Files.createDirectory(directory.resolve("opencl"));
      MachineOpenCl openCl = MachineOpenCl.prepare(own, report);
      return new Machines(
          environment, environment.image(openCl.imageArguments()), Optional.of(openCl));
    }
  }

  private DaemonProcess startDaemon(Path directory, Optional<Machines> machines)
      throws IOException, InterruptedException {
    try (WaitLine _ = report.waiting("sluiced starts")) {
      return machines.flatMap(Machines::openCl).isPresent()
          ? DaemonProcess.startWithOpenCl(directory, List.of(GUEST), "")
          : DaemonProcess.start(directory, List.of(GUEST));
    }
  }

  private void work(Path directory, Optional<Machines> machines, Sizes sizes) throws Exception {
    Kernel kernel = RealKernel.create();
    try (DaemonProcess daemon = startDaemon(directory, machines)) {
      report.say(
          "sluiced, the daemon that shares GPUs, runs as process %d. Its GPU is a model of",
          daemon.pid());
      report.say("a GTX 480 in software: no graphics card is needed here.");
      report.lookAt(List.of(daemon.controlSocket()));
      if (record) {
        Path recorded = directory.resolve("recorded.sock");
        try (Recorder recorder = new Recorder(kernel, recorded, daemon.socket(GUEST))) {
          runGuest(
              session(kernel, recorded, machines, sizes), daemon, Optional.of(recorder::messages));
        }
      } else {
        runGuest(session(kernel, daemon.socket(GUEST), machines, sizes), daemon, Optional.empty());
      }
    }
  }

  private GuestSession session(
      Kernel kernel, Path socket, Optional<Machines> machines, Sizes sizes) {
    if (machines.isEmpty()) {
      return new ProcessSession(kernel, socket, sizes, report);
    }
    Machines made = machines.get();
    return new MachineSession(
        made.environment(), made.image(), socket, sizes, made.openCl(), report);
  }

  private void runGuest(
      GuestSession guestSession, DaemonProcess daemon, Optional<LongSupplier> recorded)
      throws Exception {
    try (GuestSession session = guestSession) {
      session.start();
      for (GuestWork work : session.works()) {
        try (work) {
          report.begin(work.part());
          work.setUp();
          counts.count(work, () -> daemon.counters(GUEST), recorded);
          work.verify();
        }
      }
      session.finish();
    }
    counts.conclude(daemon.counters(GUEST));
  }

  private void move(Machines machines, Path directory) throws Exception {
    report.begin(DemoPart.MOVE);
    boolean openCl = machines.openCl().isPresent() && MovingOpenCl.isInstalled();
    if (machines.openCl().isPresent() && !openCl) {
      report.say("Left out: OpenCL in the machine that moves, clblast-utils is not installed here");
    }
    Path page = Path.of(System.getProperty("sluice.home", "."), "target", "demo", "report.html");
    new MigrationAct(machines.environment(), machines.image(), openCl, directory, page, report)
        .run();
  }

  private static boolean isSize(int rows) {
    return rows >= 0 && rows <= MAX_ROWS && rows % ROWS_UNIT == 0;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}

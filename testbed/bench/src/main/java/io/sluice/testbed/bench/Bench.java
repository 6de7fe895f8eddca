package io.sluice.testbed.bench;

import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.bench.compute.ComputeBench;
import io.sluice.testbed.bench.compute.CopyBench;
import io.sluice.testbed.bench.compute.KillBench;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.migration.DowntimeBench;
import io.sluice.testbed.bench.migration.FingerprintBench;
import io.sluice.testbed.bench.migration.LongerRunBench;
import io.sluice.testbed.bench.migration.PauseBench;
import io.sluice.testbed.bench.migration.StandstillBench;
import io.sluice.testbed.bench.migration.ThroughputBench;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.bench.results.PerformancePage;
import io.sluice.testbed.bench.results.Recording;
import io.sluice.testbed.bench.results.RecordingJson;
import io.sluice.testbed.bench.results.ThisMachine;
import io.sluice.testbed.bench.sessions.CodeBench;
import io.sluice.testbed.bench.sessions.RealProgramBench;
import io.sluice.testbed.bench.sessions.SessionBuffersBench;
import io.sluice.testbed.bench.sessions.SessionCallBench;
import io.sluice.testbed.bench.sessions.SessionMoveBench;
import io.sluice.testbed.bench.sessions.SessionWorkloadBench;
import io.sluice.testbed.bench.sharing.FairnessBench;
import io.sluice.testbed.bench.sharing.QuotaBench;
import io.sluice.testbed.bench.sharing.TimeoutBench;
import io.sluice.testbed.bench.submission.HypercallBench;
import io.sluice.testbed.bench.submission.InterruptBench;
import io.sluice.testbed.bench.submission.PickUpBench;
import io.sluice.testbed.bench.submission.RoundTripBench;
import io.sluice.testbed.bench.submission.ScaleBench;
import io.sluice.testbed.bench.submission.SubmissionBench;
import io.sluice.testbed.bench.submission.WorkloadBench;
import io.sluice.testbed.bench.submission.WorkloadChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.management.OperationsException;
import picocli.CommandLine;

/** {@code ./sluice bench}: lists the benches, or runs those named. */
@CommandLine.Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = {
      "Runs the benches named, by the numbers of docs/performance.md; without names, lists them.",
      "Ends with a line a figure; the exit status does not depend on whether goals were met.",
      "A bench that fails says why; the others go on, and the exit status is 1 then."
    })
public final class Bench implements Callable<Integer> {
  private static final List<Measurement> ALL =
      List.of(
          new SubmissionBench(),
          new RoundTripBench(),
          new HypercallBench(),
          new InterruptBench(),
          new DowntimeBench(),
          new StandstillBench(),
          new LongerRunBench(Optional.empty(), false),
          new ThroughputBench(Optional.empty(), Optional.empty()),
          new KillBench(),
          new FingerprintBench(),
          new PauseBench(),
          new ScaleBench(),
          new QuotaBench(),
          new TimeoutBench(),
          new CopyBench(),
          new ComputeBench(),
          new PickUpBench(),
          new FairnessBench(),
          SessionCallBench.finish(),
          SessionCallBench.rows(),
          SessionCallBench.transfers(),
          new SessionWorkloadBench(),
          new RealProgramBench(),
          new SessionMoveBench(),
          new SessionBuffersBench(),
          SessionCallBench.beginning(),
          new CodeBench());

  @CommandLine.Parameters(paramLabel = "NUMBER", description = "such as P2; all for all of them")
  private List<String> numbers = new ArrayList<>();

  @CommandLine.Option(names = "--long", description = "ten times as many samples")
  private boolean longRun;

  @CommandLine.Option(
      names = "--plots",
      paramLabel = "DIRECTORY",
      description = "P6: write plots there, as SVG")
  private Optional<Path> plots = Optional.empty();

  @CommandLine.Option(names = "--json", description = "print the figures as JSON")
  private boolean json;

  @CommandLine.Option(
      names = "--record",
      description = {
        "keep the figures as a file in docs/results, and make docs/performance.md anew",
        "(measure on a machine with nothing else to do; the load is written down)"
      })
  private boolean record;

  @CommandLine.Option(
      names = "--page",
      description =
          "make docs/performance.md of docs/results; measures what is named, if anything is")
  private boolean page;

  @CommandLine.Option(
      names = "--peer",
      paramLabel = "PATH",
      description = {
        "P2: the socket of another vfio-user server to compare with",
        "R1 to R4, R9: a directory with the .icd file of another remoting of OpenCL, such as",
        "PoCL-Remote's, and a file environment of lines VARIABLE=VALUE that it needs"
      })
  private Optional<Path> peer = Optional.empty();

  @CommandLine.Option(
      names = "--peer-region",
      paramLabel = "INDEX",
      defaultValue = "0",
      description = "P2: region of the peer that takes a read of 4 bytes at 0 (default: 0)")
  private int peerRegion;

  @CommandLine.Option(
      names = "--peer-pid",
      paramLabel = "PID",
      description = "P2: process of the peer, to put it on the same core")
  private Optional<Long> peerPid = Optional.empty();

  @CommandLine.Option(
      names = "--devices",
      paramLabel = "PATHS",
      defaultValue = "",
      description = "R1 to R7, R9: device files that session hosts may use, with : between them")
  private String devices = "";

  @CommandLine.Option(
      names = "--machine",
      paramLabel = "TEXT",
      description = {
        "what the record calls this machine, such as one whose figures are those of a GPU",
        "(default: its processors, kernel and Java)"
      })
  private Optional<String> machine = Optional.empty();

  @CommandLine.Option(
      names = "--workload",
      paramLabel = "NAME",
      description = {
        "P1: mmul, lud, nn or backprop; with --long, at the sizes of the thesis",
        "P6-run: mmul or lud alone"
      })
  private Optional<WorkloadChoice.Program> workload = Optional.empty();

  @CommandLine.Option(
      names = "--size",
      paramLabel = "N",
      description = "P1 with --workload: rows, places or input units")
  private Optional<Integer> size = Optional.empty();

  @CommandLine.Option(
      names = "--apart",
      description = "P6-run: each of the two hosts has a processor of its own")
  private boolean apart;

  @CommandLine.Option(
      names = "--lanes",
      paramLabel = "N",
      description = "P7: lanes of each side (default: as many as a daemon has here)")
  private Optional<Integer> lanes = Optional.empty();

  @CommandLine.Option(
      names = "--loops",
      paramLabel = "N",
      description = "P7: event loops of each side (default: a quarter of the processors)")
  private Optional<Integer> loops = Optional.empty();

  @CommandLine.Option(
      names = "--guest",
      paramLabel = "KIND",
      defaultValue = "both",
      description = "P1 with --workload: process, machine or both (default)")
  private WorkloadBench.Guests guests = WorkloadBench.Guests.both;

  /** The command line as it was given, but for where the figures go. */
  private List<String> arguments = List.of();

  private Bench() {}

  /** Runs the benches named. */
  public static void main(String[] arguments) {
    Bench bench = new Bench();
    bench.arguments =
        Arrays.stream(arguments).filter(a -> !a.equals("--record") && !a.equals("--json")).toList();
    System.exit(new CommandLine(bench).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (numbers.isEmpty() && page) {
      writePage();
      return 0;
    }
    if (numbers.isEmpty()) {
      ALL.forEach(m -> System.out.printf(Locale.ROOT, "%-8s %s%n", m.id(), m.title()));
      return 0;
    }
    List<Measurement> chosen = new ArrayList<>();
    for (String number : numbers) {
      if (workload.isPresent() && number.equalsIgnoreCase("P1")) {
        OptionalInt wanted = size.map(OptionalInt::of).orElse(OptionalInt.empty());
        chosen.add(new WorkloadBench(new WorkloadChoice(workload.get(), wanted), guests));
        continue;
      }
      if (number.equalsIgnoreCase(LongerRunBench.ID)) {
        chosen.add(new LongerRunBench(workload.map(Enum::name), apart));
        continue;
      }
      if (number.equalsIgnoreCase(ThroughputBench.ID)) {
        chosen.add(new ThroughputBench(lanes, loops));
        continue;
      }
      List<Measurement> found =
          ALL.stream()
              .filter(m -> number.equals("all") || m.id().equalsIgnoreCase(number))
              .toList();
      if (found.isEmpty()) {
        System.err.println("bench: there is no bench " + number + "; ./sluice bench lists them");
        return 2;
      }
      chosen.addAll(found);
    }
    String load = ThisMachine.load();
    List<Figure> figures = new ArrayList<>();
    boolean failed = false;
    for (Measurement measurement : chosen) {
      failed |= !measured(measurement, figures);
    }
    Recording recording = recording(figures, load);
    System.out.print(json ? RecordingJson.write(recording) : lines(figures));
    if (record) {
      keep(recording);
    }
    if (record || page) {
      writePage();
    }
    return failed ? 1 : 0;
  }

  /** Whether it came to its end; what others have measured is not lost if it did not. */
  private boolean measured(Measurement measurement, List<Figure> figures) throws Exception {
    System.err.println("bench: " + measurement.id() + ", " + measurement.title());
    try {
      figures.addAll(run(measurement));
      return true;
    } catch (IOException | OperationsException | RuntimeException e) {
      System.err.println("bench: " + measurement.id() + " failed: " + e.getMessage());
      return false;
    }
  }

  private Recording recording(List<Figure> figures, String load) throws Exception {
    return new Recording(
        LocalDateTime.now(ZoneOffset.UTC),
        ThisMachine.commit(home()),
        machine.isPresent() ? machine.get() : ThisMachine.description(),
        load,
        "./sluice bench " + String.join(" ", arguments),
        figures);
  }

  /** Its name: date, numbers, commit; a later run of the same day and tree replaces it. */
  private void keep(Recording recording) throws IOException {
    String name =
        recording.at().toLocalDate()
            + "-"
            + String.join("-", numbers)
            + "-"
            + recording.commit()
            + ".json";
    Path file = home().resolve(PerformancePage.RESULTS).resolve(name);
    Files.writeString(file, RecordingJson.write(recording));
    System.err.println("bench: recorded in " + file);
  }

  private static void writePage() throws IOException {
    Path file = home().resolve(PerformancePage.PAGE);
    Files.writeString(file, PerformancePage.of(home()));
    System.err.println("bench: made " + file);
  }

  private static Path home() {
    return Path.of(System.getProperty("sluice.home", "."));
  }

  private List<Figure> run(Measurement measurement) throws Exception {
    Path directory = Files.createTempDirectory("sluice-bench");
    try {
      OptionalLong pid = peerPid.map(OptionalLong::of).orElse(OptionalLong.empty());
      return measurement.run(
          new BenchContext(
              RealKernel.create(),
              directory,
              peer,
              peerRegion,
              pid,
              devices,
              longRun,
              plots,
              System.err));
    } finally {
      delete(directory);
    }
  }

  private static String lines(List<Figure> figures) {
    StringBuilder text = new StringBuilder();
    figures.forEach(figure -> text.append(figure.line()).append('\n'));
    return text.toString();
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}

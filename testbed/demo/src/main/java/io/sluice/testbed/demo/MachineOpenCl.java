package io.sluice.testbed.demo;

import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * OpenCL programs in the machine: clinfo of this host's distribution, and workloads that are
 * ordinary OpenCL programs. They compute on the OpenCL devices of the host; what they print is
 * compared with what they print here.
 */
final class MachineOpenCl {
  /** Each checks its results itself, and prints a checksum of them. */
  private static final List<String> WORKLOADS = List.of("matrix", "black_scholes", "walsh");

  private static final String SCRIPT = "/bin/opencl-programs";
  private static final String ENDED = "opencl: ";
  private static final String DEVICE = "Device #";
  private static final String RESULT = "result: ";
  private static final String RIGHT = "verified: right";

  private final OpenClParts parts;
  private final Path directory;
  private final Report report;

  private MachineOpenCl(OpenClParts parts, Path directory, Report report) {
    this.parts = parts;
    this.directory = directory;
    this.report = report;
  }

  /**
   * Builds our driver and the workloads.
   *
   * @param directory for files of ours
   */
  static MachineOpenCl prepare(Path directory, Report report)
      throws IOException, InterruptedException {
    Path built = Path.of(System.getProperty("sluice.home", "."), "target/sluice/opencl/parts");
    OpenClParts parts = OpenClParts.build(built, WORKLOADS.toArray(String[]::new));
    return new MachineOpenCl(parts, directory, report);
  }

  /** What image.sh shall put into the machine. */
  List<String> imageArguments() throws IOException, InterruptedException {
    StringBuilder script = new StringBuilder("clinfo -l | sed 's/^/clinfo: /'\n");
    for (String name : WORKLOADS) {
      script.append(OpenClParts.IN_MACHINE + name + " | sed 's/^/" + name + ": /'\n");
    }
    script.append("echo " + ENDED + "done\n");
    Path file = Files.writeString(directory.resolve("opencl-programs"), script);
    boolean moves = MovingOpenCl.isInstalled();
    List<Path> others = moves ? List.of(MovingOpenCl.PROGRAM) : List.of();
    List<String> arguments = new ArrayList<>(parts.imageArguments(WORKLOADS, others));
    if (moves) {
      arguments.addAll(MovingOpenCl.imageArguments(directory));
    }
    arguments.addAll(List.of("--add", file + ":" + SCRIPT));
    return arguments;
  }

  /** What the machine runs. */
  String command() {
    return "sh " + SCRIPT;
  }

  /** Compares what the programs print in the machine, which runs them now, with a run here. */
  void verify(MachineSession machine) throws IOException, InterruptedException {
    report.begin(DemoPart.OPENCL);
    report.say("They are this host's clinfo, and programs that any OpenCL runs. A device of the");
    report.say("host computes for them; they must print what they print when they run here.");
    try (WaitLine _ = report.waiting("they run in the machine")) {
      machine.await(ENDED);
    }
    List<String> lines = machine.printed();
    Result here = parts.natively(directory, List.of("clinfo", "-l"));
    List<String> devices = devices(here.output());
    List<String> found = devices(of("clinfo", lines));
    report.check(
        !found.isEmpty() && found.equals(devices),
        "clinfo finds the OpenCL devices of the host, %d of %d",
        found.size(),
        devices.size());
    found.forEach(device -> report.say("  %s", device.substring(device.indexOf(DEVICE))));
    for (String name : WORKLOADS) {
      Result natively = parts.natively(directory, List.of(parts.program(name).toString()));
      List<String> printed = of(name, lines);
      report.check(
          printed.contains(RIGHT) && result(printed).equals(result(natively.output())),
          "%s computed right, and the same as on the host: %s",
          name,
          result(printed).replaceFirst(RESULT, ""));
    }
  }

  /** The lines of a program, without its name before each. */
  private static List<String> of(String program, List<String> lines) {
    String start = program + ": ";
    return lines.stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()))
        .toList();
  }

  private static List<String> devices(List<String> lines) {
    return lines.stream().filter(line -> line.contains(DEVICE)).map(String::strip).toList();
  }

  private static String result(List<String> lines) {
    return lines.stream().filter(line -> line.startsWith(RESULT)).findFirst().orElse("nothing");
  }
}

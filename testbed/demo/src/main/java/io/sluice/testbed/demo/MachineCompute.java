package io.sluice.testbed.demo;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One of the guest's workload programs, which shows how far it is and checks its result itself. */
final class MachineCompute implements GuestWork {
  private static final Pattern GPU_TIME = Pattern.compile(" gpu_ms=([0-9.]+)");

  private static final double NS_PER_MS = 1e6;

  private final MachineSession session;
  private final ComputeProgram kind;
  private final String program;
  private final int size;
  private final Report report;

  MachineCompute(MachineSession session, ComputeProgram kind, int size, Report report) {
    this.session = session;
    this.kind = kind;
    program = kind.program();
    this.size = size;
    this.report = report;
  }

  @Override
  public DemoPart part() {
    return DemoPart.COMPUTE;
  }

  @Override
  public int machinePrograms() {
    return 1;
  }

  @Override
  public String done() {
    return program + " computed";
  }

  @Override
  public void setUp() throws IOException, InterruptedException {
    report.say("%s.", kind.sentence(size));
    try (WaitLine _ = report.waiting("%s gets a channel, memory and its code", program)) {
      session.await("phase: ready");
    }
  }

  @Override
  public void submit() throws IOException, InterruptedException {
    String prefix = "progress: " + program + " ";
    try (WaitLine wait = report.waiting("%s computes", program)) {
      session.listen(line -> {
        if (line.startsWith(prefix)) {
          String[] parts = line.substring(prefix.length()).split(" ", 2);
          wait.progress(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
        }
      });
      session.goOn();
      session.await("phase: done");
    } finally {
      session.listen(_ -> {});
    }
  }

  @Override
  public void verify() throws IOException, InterruptedException {
    session.goOn();
    Matcher time = GPU_TIME.matcher(session.await("run: " + program + " "));
    String took = time.find() ? "; the GPU took " + seconds(time.group(1)) : "";
    String verdict;
    try (WaitLine _ = report.waiting("a processor computes the same, to compare")) {
      verdict = session.await(program + ": ");
    }
    report.check(
        verdict.equals("ok"), "its result compared with a processor's: %s%s", verdict, took);
  }

  private static String seconds(String milliseconds) {
    return PlainUnits.seconds((long) (Double.parseDouble(milliseconds) * NS_PER_MS));
  }

  @Override
  public void close() {
    session.listen(_ -> {});
  }
}

package io.sluice.testbed.demo;

import java.io.IOException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One of the guest's workload programs, which shows how far it is and checks its result itself. */
final class MachineCompute implements GuestWork {
  private static final Pattern TIMES =
      Pattern.compile("exec_ms=([0-9.]+).*total_ms=([0-9.]+) gpu_ms=([0-9.]+)");

  private final MachineSession session;
  private final String program;
  private final int size;
  private final Report report;

  MachineCompute(MachineSession session, String program, int size, Report report) {
    this.session = session;
    this.program = program;
    this.size = size;
    this.report = report;
  }

  @Override
  public String title() {
    return program;
  }

  @Override
  public void setUp() throws IOException, InterruptedException {
    session.await("phase: ready");
    report.step("%s in the guest: context, module, memory for %d x %d", program, size, size);
  }

  @Override
  public void submit() throws IOException, InterruptedException {
    ProgressBar bar = report.progress(program);
    String prefix = "progress: " + program + " ";
    session.listen(line -> {
      if (line.startsWith(prefix)) {
        String[] parts = line.substring(prefix.length()).split(" ", 2);
        bar.update(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
      }
    });
    session.goOn();
    session.await("phase: done");
    session.listen(_ -> {});
    bar.end();
    report.step("%s: uploaded, computed, downloaded", program);
  }

  @Override
  public void verify() throws IOException, InterruptedException {
    session.goOn();
    Matcher times = TIMES.matcher(session.await("run: " + program + " "));
    if (times.find()) {
      report.detail(
          "%s",
          String.format(
              Locale.ROOT,
              "kernels %s ms (GPU %s ms), with set-up and copies %s ms",
              times.group(1),
              times.group(3),
              times.group(2)));
    }
    String verdict = session.await(program + ": ");
    report.check(
        verdict.equals("ok"), "%s compared with the processor's result: %s", program, verdict);
  }

  @Override
  public void close() {
    session.listen(_ -> {});
  }
}

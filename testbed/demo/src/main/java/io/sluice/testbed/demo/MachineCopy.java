package io.sluice.testbed.demo;

import java.io.IOException;

/** The guest program {@code copytest}, whose two processes have a channel each. */
final class MachineCopy implements GuestWork {
  private static final String STEP = "step: ";

  private final MachineSession session;
  private final long bytes;
  private final Report report;

  MachineCopy(MachineSession session, long bytes, Report report) {
    this.session = session;
    this.bytes = bytes;
    this.report = report;
  }

  @Override
  public String title() {
    return "copies";
  }

  @Override
  public void setUp() throws IOException, InterruptedException {
    session.listen(this::show);
    session.await("phase: ready");
    report.step("two processes in the guest have set up a channel each");
  }

  @Override
  public void submit() throws IOException, InterruptedException {
    session.goOn();
    session.await("phase: done");
    report.step("both processes have uploaded, copied and verified %d MiB", bytes >> 20);
  }

  @Override
  public void verify() throws IOException, InterruptedException {
    session.goOn();
    String verdict = session.await("copytest: ");
    report.check(verdict.equals("ok"), "copytest said %s", verdict);
  }

  @Override
  public void close() {
    session.listen(_ -> {});
  }

  /** Shows the guest's own steps as they happen. */
  private void show(String line) {
    if (line.startsWith(STEP)) {
      report.detail("guest: %s", line.substring(STEP.length()));
    }
  }
}

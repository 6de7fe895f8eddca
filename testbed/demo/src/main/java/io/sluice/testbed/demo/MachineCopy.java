package io.sluice.testbed.demo;

import java.io.IOException;

/** The guest program {@code copytest}, whose two processes have a channel each. */
final class MachineCopy implements GuestWork {
  private static final String FAILED = " FAILED";

  private final MachineSession session;
  private final long bytes;
  private final Report report;

  MachineCopy(MachineSession session, long bytes, Report report) {
    this.session = session;
    this.bytes = bytes;
    this.report = report;
  }

  @Override
  public DemoPart part() {
    return DemoPart.COPY;
  }

  @Override
  public int machinePrograms() {
    return 2;
  }

  @Override
  public String done() {
    return PlainUnits.bytes(bytes) + " were copied";
  }

  @Override
  public void setUp() throws IOException, InterruptedException {
    session.listen(this::show);
    report.say("Each has a channel: a ring of commands in memory, which the GPU reads by itself.");
    report.say("One program copies to video memory and within it, the other back. They wait for");
    report.say("each other on the GPU.");
    try (WaitLine _ = report.waiting("the programs get channels and memory")) {
      session.await("phase: ready");
    }
  }

  @Override
  public void submit() throws IOException, InterruptedException {
    try (WaitLine _ = report.waiting("%s are copied, several times", PlainUnits.bytes(bytes))) {
      session.goOn();
      session.await("phase: done");
    }
  }

  @Override
  public void verify() throws IOException, InterruptedException {
    session.goOn();
    String verdict = session.await("copytest: ");
    report.check(
        verdict.equals("ok"),
        "all %s came back as they went: %s",
        PlainUnits.bytes(bytes),
        verdict);
  }

  @Override
  public void close() {
    session.listen(_ -> {});
  }

  /** Shows the step of the guest's that failed. */
  private void show(String line) {
    if (line.contains(FAILED)) {
      report.say("%s", line);
    }
  }
}

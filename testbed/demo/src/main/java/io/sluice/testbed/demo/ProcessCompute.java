package io.sluice.testbed.demo;

import io.sluice.abi.sys.Kernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.testbed.workloads.Blur;
import io.sluice.testbed.workloads.LuDecomposition;
import io.sluice.testbed.workloads.MatrixProduct;
import io.sluice.testbed.workloads.Workload;
import io.sluice.testbed.workloads.device.GuestPort;
import io.sluice.testbed.workloads.device.WorkloadRun;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A workload in a process, which waits for the GPU by interrupt. */
final class ProcessCompute implements GuestWork {
  private final Kernel kernel;
  private final Path socket;
  private final ComputeProgram kind;
  private final int size;
  private final Workload workload;
  private final Report report;
  private @Nullable Parts parts;
  private long tookNs;

  private record Parts(AttachedDevice device, GuestPort port, WorkloadRun run) {}

  ProcessCompute(Kernel kernel, Path socket, ComputeProgram kind, int size, Report report) {
    this.kernel = kernel;
    this.socket = socket;
    this.kind = kind;
    this.size = size;
    workload = workload(kind, size);
    this.report = report;
  }

  private static Workload workload(ComputeProgram kind, int size) {
    return switch (kind) {
      case MMUL -> new MatrixProduct(size);
      case LUD -> new LuDecomposition(size);
      case BLUR -> new Blur(size, size);
    };
  }

  @Override
  public DemoPart part() {
    return DemoPart.COMPUTE;
  }

  @Override
  public String done() {
    return kind.program() + " computed";
  }

  @Override
  public void setUp() {
    AttachedDevice device = AttachedDevice.attach(kernel, socket);
    GuestPort port = new GuestPort(device, true);
    parts = new Parts(device, port, new WorkloadRun(workload, port));
    report.say("%s.", kind.sentence(size));
  }

  @Override
  public void submit() {
    WorkloadRun run = set().run();
    try (WaitLine wait = report.waiting("%s computes", kind.program())) {
      run.upload();
      long uploadedNs = System.nanoTime();
      run.execute(done -> wait.progress(done, run.launches()));
      tookNs = System.nanoTime() - uploadedNs;
    }
  }

  @Override
  public void verify() {
    boolean same;
    try (WaitLine _ = report.waiting("a processor computes the same, to compare")) {
      same = set().run().verify();
    }
    report.check(
        same,
        "its result compared with a processor's: %s; the GPU took %s",
        same ? "ok" : "not the same",
        PlainUnits.seconds(tookNs));
  }

  @Override
  public void close() {
    if (parts != null) {
      Parts p = parts;
      parts = null;
      p.port().close();
      p.device().close();
    }
  }

  private Parts set() {
    if (parts == null) {
      throw new IllegalStateException("setUp comes first");
    }
    return parts;
  }
}

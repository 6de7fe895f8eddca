package io.sluice.testbed.demo;

import io.sluice.abi.sys.Kernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.testbed.workloads.Workload;
import io.sluice.testbed.workloads.device.GuestPort;
import io.sluice.testbed.workloads.device.WorkloadRun;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A workload in a process, which waits for the GPU by interrupt. */
final class ProcessCompute implements GuestWork {
  private final Kernel kernel;
  private final Path socket;
  private final Workload workload;
  private final Report report;
  private @Nullable Parts parts;

  private record Parts(AttachedDevice device, GuestPort port, WorkloadRun run) {}

  ProcessCompute(Kernel kernel, Path socket, Workload workload, Report report) {
    this.kernel = kernel;
    this.socket = socket;
    this.workload = workload;
    this.report = report;
  }

  @Override
  public String title() {
    return workload.name();
  }

  @Override
  public void setUp() {
    AttachedDevice device = AttachedDevice.attach(kernel, socket);
    GuestPort port = new GuestPort(device, true);
    parts = new Parts(device, port, new WorkloadRun(workload, port));
    report.step("%s: channel %d, memory, kernels", workload.name(), port.channel());
  }

  @Override
  public void submit() {
    WorkloadRun run = set().run();
    ProgressBar bar = report.progress(workload.name());
    long start = System.nanoTime();
    run.upload();
    long uploaded = System.nanoTime();
    run.execute(done -> bar.update(done, run.launches()));
    long executed = System.nanoTime();
    bar.end();
    report.step(
        "%s: %d launches in %.0f ms, upload %.0f ms",
        workload.name(), run.launches(), (executed - uploaded) / 1e6, (uploaded - start) / 1e6);
  }

  @Override
  public void verify() {
    report.check(set().run().verify(), "%s compared with the processor's result", workload.name());
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

package io.sluice.testbed.bench.compute;

import io.sluice.guest.AttachedDevice;
import io.sluice.testbed.bench.measure.Busy;
import io.sluice.testbed.workloads.MatrixProduct;
import io.sluice.testbed.workloads.device.GuestPort;
import io.sluice.testbed.workloads.device.WorkloadRun;

/**
 * A channel that always computes: products of matrices, one after the other, with a thread of its
 * own that sleeps while one is computed.
 */
public final class GridLoad implements Busy {
  private static final int SIZE = 256;

  private final GuestPort port;
  private final WorkloadRun run;
  private final Thread thread;
  private volatile boolean stopped;

  public GridLoad(AttachedDevice device) {
    port = new GuestPort(device, true);
    run = new WorkloadRun(new MatrixProduct(SIZE), port);
    run.upload();
    run.execute(); // compiled now
    thread = Thread.ofPlatform().daemon().name("grids").start(this::work);
  }

  private void work() {
    while (!stopped) {
      run.execute();
    }
  }

  @Override
  public boolean finish() throws InterruptedException {
    stopped = true;
    thread.join();
    return run.verify();
  }

  @Override
  public void close() {
    port.close();
  }
}

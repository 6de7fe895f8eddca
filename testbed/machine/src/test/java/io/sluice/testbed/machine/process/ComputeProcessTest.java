package io.sluice.testbed.machine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.ChannelFailedException;
import io.sluice.guest.Pushbuffer;
import io.sluice.management.ChannelStatus;
import io.sluice.management.GuestCounters;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.workloads.Backpropagation;
import io.sluice.testbed.workloads.Blur;
import io.sluice.testbed.workloads.LuDecomposition;
import io.sluice.testbed.workloads.MatrixProduct;
import io.sluice.testbed.workloads.NearestNeighbours;
import io.sluice.testbed.workloads.WordProduct;
import io.sluice.testbed.workloads.Workload;
import io.sluice.testbed.workloads.device.GuestPort;
import io.sluice.testbed.workloads.device.WorkloadRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Workloads in process guests of a real daemon process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ComputeProcessTest {
  private static final String GUEST = "guest";

  private final Kernel kernel = RealKernel.create();
  private DaemonProcess daemon;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    daemon = DaemonProcess.start(directory, List.of(GUEST));
  }

  @AfterAll
  void stop() throws Exception {
    daemon.close();
  }

  static List<Workload> small() {
    return List.of(
        new MatrixProduct(128),
        new WordProduct(37),
        new LuDecomposition(128),
        new NearestNeighbours(1000),
        new Blur(40, 23),
        new Backpropagation(1024));
  }

  @ParameterizedTest
  @MethodSource("small")
  void workload_inAProcess_givesTheReferenceWithoutAMessage(Workload workload) {
    try (AttachedDevice device = AttachedDevice.attach(kernel, daemon.socket(GUEST));
        GuestPort port = new GuestPort(device, true)) {
      WorkloadRun run = new WorkloadRun(workload, port);
      GuestCounters before = daemon.counters(GUEST);
      run.upload();
      run.execute();
      assertThat(run.verify()).as(workload.name()).isTrue();
      GuestCounters after = daemon.counters(GUEST);

      assertThat(after.messages()).isEqualTo(before.messages());
      assertThat(after.hypercalls()).isEqualTo(before.hypercalls());
      assertRanCompiled(port.channel());
    }
  }

  /** What operators see of a channel: how much of its kernels was not compiled. */
  private void assertRanCompiled(int channel) {
    ChannelStatus status =
        Objects.requireNonNull(daemon.connection().guest(GUEST).getChannels().get(channel));
    assertThat(status.instructions()).isPositive();
    assertThat(100 * status.interpreted())
        .as("%s", status)
        .isLessThanOrEqualTo(status.instructions());
  }

  @Test
  void workload_besideAChannelThatEnds_goesOn() {
    Workload workload = new LuDecomposition(64);
    try (AttachedDevice device = AttachedDevice.attach(kernel, daemon.socket(GUEST));
        GuestPort good = new GuestPort(device, false);
        GuestPort bad = new GuestPort(device, false)) {
      WorkloadRun run = new WorkloadRun(workload, good);
      run.upload();

      assertThatThrownBy(() -> bad.run(new Pushbuffer().release(new GpuVa(0x70_0000_0000L), 1)))
          .isInstanceOfSatisfying(
              ChannelFailedException.class,
              e -> assertThat(e.error()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT));

      run.execute();
      assertThat(run.verify()).isTrue();
    }
  }
}

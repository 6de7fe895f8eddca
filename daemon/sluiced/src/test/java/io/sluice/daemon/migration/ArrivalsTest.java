package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.SluicedInstance;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.testbed.checks.StandIn;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The thread that accepts other daemons: whatever it meets, it goes on. */
final class ArrivalsTest {
  private static final int FAILURES = 3;
  private static final int PATIENCE_SECONDS = 60;

  @TempDir private Path directory;

  private final AtomicInteger failures = new AtomicInteger(FAILURES);
  private final CountDownLatch admitted = new CountDownLatch(1);

  /** A kernel one of whose calls fails, some times, as on a host that has nothing left. */
  private Kernel failing(String name) {
    Kernel real = RealKernel.create();
    return StandIn.of(
        Kernel.class,
        real,
        call -> {
          if (call.is(name) && failures.getAndDecrement() > 0) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          Object result = call.pass();
          if (call.is("peerCredentials")) {
            admitted.countDown();
          }
          return result;
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"accept", "peerCredentials"})
  void errorWhileADaemonIsAccepted_laterOnesAreAdmitted(String call) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%1$s/run"
            state-dir = "%1$s/state"
            [gpu.embedded]
            """
                .formatted(directory));
    DaemonConfig config = new ConfigLoader(Map.of(), Map.of()).load(file);
    try (SluicedInstance _ =
        SluicedInstance.start(config, failing(call), MBeanServerFactory.newMBeanServer())) {
      for (int n = 0; n <= FAILURES; n++) {
        try (SocketChannel peer =
            SocketChannel.open(UnixDomainSocketAddress.of(config.migrationSocket()))) {
          assertThat(peer.isConnected()).isTrue();
        }
      }

      assertThat(admitted.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(failures).hasValueLessThanOrEqualTo(0);
    }
  }
}

package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.management.ObjectNames;
import io.sluice.testbed.checks.StandIn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A guest whose end lasts: what an operator does with others does not wait for it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LeavingGuestTest {
  private static final String SLOW = "slow-01";

  @TempDir private Path dir;
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private SluicedInstance daemon;

  @BeforeEach
  void start() throws Exception {
    Path file =
        Files.writeString(
            dir.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%1$s/run"
            state-dir = "%1$s/state"
            [gpu.embedded]
            vram = "64MiB"
            [[guest]]
            name = "web-01"
            """
                .formatted(dir));
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    MBeanServer slow =
        StandIn.of(
            MBeanServer.class,
            beans,
            call -> {
              if (call.is("unregisterMBean")
                  && call.arguments().getFirst().equals(ObjectNames.guest(SLOW))) {
                begun.countDown();
                released.await();
              }
              return call.pass();
            });
    daemon =
        SluicedInstance.start(
            new ConfigLoader(Map.of(), Map.of()).load(file), RealKernel.create(), slow);
    daemon.daemon().createGuest(SLOW, "", 0);
  }

  @AfterEach
  void close() throws Exception {
    released.countDown();
    daemon.close();
  }

  private FutureTask<Boolean> begin(AutoCloseable action) throws InterruptedException {
    FutureTask<Boolean> task =
        new FutureTask<>(() -> {
          action.close();
          return true;
        });
    Thread _ = Thread.ofPlatform().daemon().start(task);
    begun.await();
    return task;
  }

  @Test
  void destroy_thatLasts_keepsNobodyFromTheOtherGuests() throws Exception {
    FutureTask<Boolean> destroying = begin(() -> daemon.daemon().destroyGuest(SLOW, false));

    assertThat(daemon.daemon().getGuests()).containsOnlyKeys("web-01");
    daemon.daemon().createGuest("ml-02", "", 0);
    daemon.daemon().setQuota("web-01", null, 3, null, null, null);
    daemon.daemon().destroyGuest("ml-02", false);
    assertThatThrownBy(() -> daemon.daemon().createGuest(SLOW, "", 0))
        .hasMessageContainingAll("is being destroyed", "SLU-GUEST-");
    assertThatThrownBy(() -> daemon.daemon().destroyGuest(SLOW, true))
        .hasMessageContaining("there is no guest");

    released.countDown();
    assertThat(destroying.get()).isTrue();
    daemon.daemon().createGuest(SLOW, "", 0);
  }

  @Test
  void close_whileAnotherDestroys_waitsForThatEnd() throws Exception {
    FutureTask<Boolean> destroying = begin(() -> daemon.daemon().destroyGuest(SLOW, false));
    Thread closing = Thread.ofPlatform().daemon().start(daemon::close);
    while (closing.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(destroying.isDone()).isFalse();

    released.countDown();
    closing.join();
    assertThat(destroying.get()).isTrue();
  }
}

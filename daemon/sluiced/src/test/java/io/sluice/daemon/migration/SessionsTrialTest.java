package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.CarriedSession;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A question to a destination at which no session is answered for. */
final class SessionsTrialTest {
  private final Kernel kernel = RealKernel.create();

  @TempDir private Path dir;

  private static CarriedSession silent(int handle) {
    ApiSessions.Opened session =
        (ApiSessions.Opened)
            Proxy.newProxyInstance(
                ApiSessions.Opened.class.getClassLoader(),
                new Class<?>[] {ApiSessions.Opened.class},
                (self, method, arguments) ->
                    switch (method.getName()) {
                      case "tryOut" -> new CompletableFuture<Void>();
                      case "endTrial" -> CompletableFuture.completedFuture(null);
                      case "isGone" -> false;
                      case "hashCode" -> handle;
                      case "equals" -> self == arguments[0];
                      default -> throw new AssertionError(method);
                    });
    return new CarriedSession(handle, 1, ImmutableMap.of(), session);
  }

  @Test
  void obstacles_nobodyAnswers_allTogetherHaveOnePatience() {
    List<CarriedSession> sessions = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      sessions.add(silent(i));
    }
    Duration patience = Duration.ofSeconds(1);
    SessionsTrial trial =
        new SessionsTrial(kernel, dir, path -> kernel.connect(path).close(), patience);

    long begin = System.nanoTime();
    assertThat(trial.obstacles(sessions)).hasSize(sessions.size());
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(patience.multipliedBy(20));
  }
}

package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.migrate.machine.SourceMachine;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ways that do not come about. */
final class HostRouteTest {
  private final List<String> told = new ArrayList<>();

  private SourceMachine machine(String name) {
    return (SourceMachine)
        Proxy.newProxyInstance(
            HostRouteTest.class.getClassLoader(),
            new Class<?>[] {SourceMachine.class},
            (_, method, _) -> {
              told.add(name + " " + method.getName());
              return null;
            });
  }

  @Test
  void over_sessionsCannotCome_machineIsClosed() {
    assertThatThrownBy(() ->
            HostRoute.over(
                machine("machine"),
                _ -> {
                  throw new IllegalStateException("no thread");
                },
                () -> {
                  throw new AssertionError("no link is made");
                }))
        .hasMessage("no thread");
    assertThat(told).containsExactly("machine close");
  }

  @Test
  void over_noLink_machineWithSessionsIsClosed() {
    assertThatThrownBy(() ->
            HostRoute.over(
                machine("machine"),
                _ -> machine("both"),
                () -> {
                  throw new IllegalStateException("no link");
                }))
        .hasMessage("no link");
    assertThat(told).containsExactly("both close");
  }
}

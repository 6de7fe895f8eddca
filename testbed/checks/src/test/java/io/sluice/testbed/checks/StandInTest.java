package io.sluice.testbed.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

final class StandInTest {
  @Test
  void pass_isWhatTheRealThingDoes() throws Exception {
    List<String> seen = new ArrayList<>();
    Callable<?> standIn =
        StandIn.of(
            Callable.class,
            () -> "real",
            call -> {
              seen.add(call.method());
              return call.pass();
            });
    assertThat(standIn.call()).isEqualTo("real");
    assertThat(seen).containsExactly("call");
  }

  @Test
  void pass_theRealThingThrows_isThrownAsItIs() {
    Callable<?> standIn =
        StandIn.of(
            Callable.class,
            () -> {
              throw new java.io.IOException("its own");
            },
            StandIn.Call::pass);
    assertThatThrownBy(standIn::call).isInstanceOf(java.io.IOException.class).hasMessage("its own");
  }

  @Test
  void call_thatTheScriptAnswers_neverReachesTheRealThing() throws Exception {
    Callable<?> standIn =
        StandIn.of(
            Callable.class,
            () -> {
              throw new AssertionError();
            },
            call -> call.is("run", "call") ? "script's" : call.pass());
    assertThat(standIn.call()).isEqualTo("script's");
  }

  @Test
  @SuppressWarnings("unchecked")
  void passWith_givesTheRealThingOtherArguments() {
    UnaryOperator<String> standIn =
        StandIn.of(
            UnaryOperator.class,
            UnaryOperator.<String>identity(),
            call -> call.passWith(call.argument(0, String.class) + call.arguments().size()));
    assertThat(standIn.apply("a")).isEqualTo("a1");
  }
}

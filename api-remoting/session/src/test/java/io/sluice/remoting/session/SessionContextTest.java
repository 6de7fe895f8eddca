package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.remoting.turns.DeviceTurns;
import io.sluice.testbed.fakes.FakeKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Works that lead to a failure. */
final class SessionContextTest {
  private final SessionSettings settings =
      new SessionSettings(
          new FakeKernel(),
          Map.of(),
          0,
          new MemoryAccount(() -> 0),
          DeviceTurns.alone(),
          Thread::new,
          Runnable::run,
          () -> 0);
  private final SessionContext context =
      new SessionContext(
          new ObjectTable(List.of()),
          new RingNotices(MemorySegment.NULL, _ -> {}),
          new SharedMemory(new FakeKernel(), 0),
          settings,
          () -> {});

  @Test
  void finishWorks_resultsThatFail_keepNoOtherFromRunning() {
    List<String> ran = new ArrayList<>();
    context.work(() -> () -> fail("first"));
    context.work(() -> () -> fail("second"));
    context.work(() -> () -> ran.add("third"));

    assertThatThrownBy(context::finishWorks)
        .hasMessage("first")
        .hasSuppressedException(new IllegalStateException("second"));

    assertThat(ran).containsExactly("third");
    assertThat(context.hasWorks()).isFalse();
  }

  private static void fail(String message) {
    throw new IllegalStateException(message);
  }
}

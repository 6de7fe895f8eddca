package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RingAnswersTest {
  private static final int SLOT = 7;
  private static final long STATE = RingLayout.ANSWERS + SLOT * RingLayout.ANSWER_BYTES;
  private static final long CALLER = RingLayout.CALLERS + SLOT * RingLayout.CALLER_BYTES;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment memory = arena.allocate(RingLayout.ARENA, Long.BYTES);
  private final List<Long> woken = new ArrayList<>();
  private final RingAnswers answers =
      new RingAnswers(memory, word -> woken.add(word.address() - memory.address()));

  @AfterEach
  void close() {
    arena.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, RingLayout.ANSWER_COUNT + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void to_slotThatIsNot_isABreach(int slotPlusOne) {
    assertThatThrownBy(() -> answers.to(slotPlusOne)).isInstanceOf(ProtocolException.class);
  }

  @Test
  void give_callerLooks_isNotWoken() {
    answers.to(SLOT + 1).give(-5, 1, 2);
    assertThat(word(STATE)).isEqualTo(1);
    assertThat(word(STATE + 4)).isEqualTo(-5);
    assertThat(memory.get(ValueLayout.JAVA_LONG, STATE + 16)).isEqualTo(2);
    assertThat(woken).isEmpty();
  }

  @Test
  void give_callerSleeps_isWoken() {
    memory.set(ValueLayout.JAVA_INT, CALLER, 1);
    answers.to(SLOT + 1).give(0);
    assertThat(word(STATE)).isEqualTo(1);
    assertThat(woken).containsExactly(STATE);
  }

  /** An exchange by a caller that is emulated may be a load, an answer, and a store. */
  @Test
  void give_whileCallerGoesToSleep_isNotOverwritten() {
    assertThat(word(STATE)).as("not answered").isZero();
    answers.to(SLOT + 1).give(0);
    memory.set(ValueLayout.JAVA_INT, CALLER, 1);
    assertThat(word(STATE)).as("the caller, which looks once more").isEqualTo(1);
    assertThat(CALLER)
        .as("no word of any answer")
        .isGreaterThanOrEqualTo(
            RingLayout.ANSWERS + RingLayout.ANSWER_COUNT * RingLayout.ANSWER_BYTES)
        .isLessThan(RingLayout.NOTICES);
  }

  private int word(long at) {
    return memory.get(ValueLayout.JAVA_INT, at);
  }
}

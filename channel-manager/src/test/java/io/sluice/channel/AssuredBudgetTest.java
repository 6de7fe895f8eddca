package io.sluice.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class AssuredBudgetTest {
  private final AssuredBudget budget = new AssuredBudget(100, 5); // ten each, and fifty

  private static int takeAll(MemoryBudget part) {
    int taken = 0;
    while (part.take(1)) {
      taken++;
    }
    return taken;
  }

  @Test
  void take_byOneWhoTakesAll_leavesTheOthersTheirParts() {
    MemoryBudget first = budget.part();
    MemoryBudget second = budget.part();
    assertThat(takeAll(first)).isEqualTo(60);
    assertThat(first.bytes()).isEqualTo(60);
    assertThat(takeAll(second)).isEqualTo(10);
    assertThat(takeAll(budget.part())).isEqualTo(10);
  }

  @Test
  void giveBack_ofWhatWasBeyondItsPart_isForAllAgain() {
    MemoryBudget first = budget.part();
    MemoryBudget second = budget.part();
    assertThat(first.take(60)).isTrue();
    assertThat(second.take(11)).isFalse();
    first.giveBack(1);
    assertThat(second.take(11)).isTrue();
    first.giveBack(59);
    assertThat(first.bytes()).isZero();
    assertThat(takeAll(second)).isEqualTo(49);
  }

  @Test
  void take_whatNobodyMayHave_takesNothing() {
    MemoryBudget part = budget.part();
    assertThat(part.take(-1)).isFalse();
    assertThat(part.take(61)).isFalse();
    assertThat(part.take(Long.MAX_VALUE)).isFalse();
    assertThat(part.bytes()).isZero();
    assertThat(part.limitBytes()).isEqualTo(60);
  }

  @Test
  void add_beyondAll_isCountedUntilItIsGivenBack() {
    MemoryBudget part = budget.part();
    part.add(70);
    assertThat(part.take(1)).isFalse();
    part.giveBack(70);
    assertThat(takeAll(part)).isEqualTo(60);
  }

  @Test
  void parts_moreThanTheAmount_haveWhatIsThere() {
    MemoryBudget part = new AssuredBudget(3, 64).part();
    assertThat(takeAll(part)).isEqualTo(3);
  }

  @Test
  void take_ofAPartOfSomethingThatHasLess_isRefusedAndTakesNothing() {
    MemoryBudget whole = MemoryBudget.upTo(() -> 15);
    AssuredBudget within = new AssuredBudget(100, 5, whole);
    MemoryBudget first = within.part();
    MemoryBudget second = within.part();
    assertThat(takeAll(first)).isEqualTo(15);
    assertThat(second.take(1)).isFalse();
    first.giveBack(4);
    assertThat(takeAll(second)).isEqualTo(4);
    first.giveBack(11);
    second.giveBack(4);
    assertThat(whole.bytes()).isZero();
    assertThat(first.take(61)).as("beyond the rest").isFalse();
    assertThat(whole.bytes()).isZero();
  }

  @Test
  void part_thatIsLimited_takesNoMore() {
    assertThat(takeAll(budget.part(15))).isEqualTo(15);
  }
}

package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DrainPassesTest {
  private static final long T = 7_000_000_000L;
  private static final long MS = 1_000_000;

  private final Memory memory = new Memory();
  private final DrainPasses passes = new DrainPasses(memory);

  @Test
  void look_passOfBeforeIsUnderWay_beginsNone() {
    memory.passing = true;
    memory.pages = 9;
    assertThat(passes.look(0, T)).isZero();
    memory.passing = false;
    passes.note(T + 1);
    assertThat(passes.mostPages()).isZero(); // it was not of the drain
  }

  @Test
  void look_drainHasBegun_beginsOneHoweverFarTheEnd() {
    assertThat(passes.look(Long.MAX_VALUE, T)).isEqualTo(1);
    assertThat(memory.begun).isEqualTo(1);
  }

  @Test
  void look_endIsFar_beginsTheNextAfterALongRest() {
    pass(T, T + MS, 1);
    long ended = T + MS;
    assertThat(passes.look(DrainPasses.NEAR_NS + 1, ended + DrainPasses.FAR_REST_NS - 1)).isZero();
    assertThat(passes.look(DrainPasses.NEAR_NS + 1, ended + DrainPasses.FAR_REST_NS)).isEqualTo(1);
  }

  @Test
  void look_endIsNear_beginsTheNextAfterAShortRest() {
    pass(T, T + MS, 1);
    long ended = T + MS;
    assertThat(passes.look(DrainPasses.NEAR_NS, ended + DrainPasses.REST_NS - 1)).isZero();
    assertThat(passes.look(DrainPasses.NEAR_NS, ended + DrainPasses.REST_NS)).isEqualTo(1);
  }

  /** Much memory: comparing it has half of a processor at most. */
  @Test
  void look_passTookLong_restsAsLong() {
    pass(T, T + 400 * MS, 1);
    assertThat(passes.look(0, T + 800 * MS - 1)).isZero();
    assertThat(passes.look(0, T + 800 * MS)).isEqualTo(1);
  }

  @Test
  void mostPages_ofSeveralPasses_isThatOfTheLargest() {
    pass(T, T + MS, 5);
    pass(T + 300 * MS, T + 301 * MS, 8);
    pass(T + 600 * MS, T + 601 * MS, 3);
    assertThat(passes.mostPages()).isEqualTo(8);
  }

  /** The drain ends in the middle of one, which ends before the next is begun. */
  @Test
  void mostPages_passEndsAfterTheDrain_isCounted() {
    assertThat(passes.look(0, T)).isEqualTo(1);
    memory.pages = 6;
    passes.note(T + MS);
    assertThat(passes.mostPages()).isZero();
    memory.passing = false;
    passes.note(T + 2 * MS);
    memory.pages = 70; // of the next one, which is not of the drain
    passes.note(T + 3 * MS);
    assertThat(passes.mostPages()).isEqualTo(6);
  }

  private void pass(long beginNs, long endNs, long pages) {
    assertThat(passes.look(0, beginNs)).isEqualTo(1);
    memory.pages = pages;
    memory.passing = false;
    passes.note(endNs);
  }

  private static final class Memory implements DrainPasses.Passes {
    boolean passing;
    int begun;
    long pages;

    @Override
    public boolean isPassing() {
      return passing;
    }

    @Override
    public void begin() {
      passing = true;
      begun++;
    }

    @Override
    public long pages() {
      return pages;
    }
  }
}

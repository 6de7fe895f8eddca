package io.sluice.testbed.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SlowTestsTest {
  private static final long LIMIT_NS = 30_000_000_000L;

  @TempDir private Path dir;

  static class Quick {
    void test() {}

    @TakesLong("it boots a machine")
    void excused() {}
  }

  @TakesLong("each boots a machine")
  static class Excused {
    void test() {}
  }

  @Test
  void note_longerThanTheLimit_isListed() throws Exception {
    note(LIMIT_NS + 1, Quick.class, "test");

    assertThat(dir.resolve("target/slow"))
        .content()
        .startsWith("30 s, load ")
        .contains("Quick.test");
  }

  @Test
  void note_withinTheLimit_isNot() throws Exception {
    note(LIMIT_NS, Quick.class, "test");

    assertThat(dir.resolve("target/slow")).doesNotExist();
  }

  @Test
  void note_testOrClassThatSaysWhy_isNot() throws Exception {
    note(LIMIT_NS + 1, Quick.class, "excused");
    note(LIMIT_NS + 1, Excused.class, "test");

    assertThat(dir.resolve("target/slow")).doesNotExist();
  }

  private void note(long tookNs, Class<?> of, String test) throws Exception {
    new SlowTests(() -> 0, dir.resolve("target/slow").toString())
        .note(tookNs, of.getDeclaredMethod(test), of);
  }
}

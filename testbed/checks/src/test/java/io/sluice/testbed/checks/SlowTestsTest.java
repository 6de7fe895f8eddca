package io.sluice.testbed.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SlowTestsTest {
  private static final long LIMIT_NS = 30_000_000_000L;

  @TempDir private Path dir;
  private Path proc;
  private long nowNs = 7;

  static class Quick {
    void test() {}

    @TakesLong("it boots a machine")
    void excused() {}
  }

  @TakesLong("each boots a machine")
  static class Excused {
    void test() {}
  }

  @BeforeEach
  void makeProc() throws IOException {
    proc = Files.createDirectory(dir.resolve("proc"));
    Files.createDirectory(proc.resolve("pressure"));
    Files.writeString(proc.resolve("loadavg"), "3.14 2.00 1.00 1/100 42\n");
    disturb(0, 0, 0, 0);
  }

  /** How much of each there was: in microseconds, and of the host in hundredths of a second. */
  private void disturb(long processor, long disk, long memory, long host) throws IOException {
    pressure("cpu", processor);
    pressure("io", disk);
    pressure("memory", memory);
    Files.writeString(
        proc.resolve("stat"), "cpu  1 2 3 4 5 6 7 " + host + " 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
  }

  private void pressure(String resource, long us) throws IOException {
    Files.writeString(
        proc.resolve("pressure").resolve(resource),
        "some avg10=0.00 avg60=0.00 avg300=0.00 total="
            + us
            + "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=99\n");
  }

  @Test
  void end_longerThanTheLimit_isListed() throws Exception {
    run(LIMIT_NS + 1, Quick.class, "test");

    assertThat(dir.resolve("target/slow"))
        .content()
        .startsWith("30 s, 30 s undisturbed, load 3.14: ")
        .contains("Quick.test");
  }

  @Test
  void end_withinTheLimit_isNot() throws Exception {
    run(LIMIT_NS, Quick.class, "test");

    assertThat(dir.resolve("target/slow")).doesNotExist();
  }

  @Test
  void end_testOrClassThatSaysWhy_isNot() throws Exception {
    run(LIMIT_NS + 1, Quick.class, "excused");
    run(LIMIT_NS + 1, Excused.class, "test");

    assertThat(dir.resolve("target/slow")).doesNotExist();
  }

  @Test
  void end_whileOthersWaited_wasDisturbed() throws Exception {
    SlowTests tests = tests();
    SlowTests.Begun begun = tests.begin();
    disturb(10_000_000, 5_000_000, 2_000_000, 300);
    nowNs += 60_000_000_000L;
    end(tests, begun, Quick.class, "test");

    assertThat(dir.resolve("target/slow")).content().startsWith("60 s, 40 s undisturbed, ");
  }

  /** Several were waited for at once. */
  @Test
  void end_moreWaitingThanTime_wasNeverUndisturbed() throws Exception {
    SlowTests tests = tests();
    SlowTests.Begun begun = tests.begin();
    disturb(31_000_000, 31_000_000, 0, 0);
    nowNs += LIMIT_NS + 1;
    end(tests, begun, Quick.class, "test");

    assertThat(dir.resolve("target/slow")).content().startsWith("30 s, 0 s undisturbed, ");
  }

  @Test
  void end_kernelThatDoesNotSay_countsAsDisturbed() throws Exception {
    Files.delete(proc.resolve("pressure/io"));
    run(LIMIT_NS + 1, Quick.class, "test");

    assertThat(dir.resolve("target/slow")).content().startsWith("30 s, 0 s undisturbed, ");
  }

  private SlowTests tests() {
    return new SlowTests(() -> nowNs, proc, dir.resolve("target/slow").toString());
  }

  private void run(long tookNs, Class<?> of, String test) throws Exception {
    SlowTests tests = tests();
    SlowTests.Begun begun = tests.begin();
    nowNs += tookNs;
    end(tests, begun, of, test);
  }

  private static void end(SlowTests tests, SlowTests.Begun begun, Class<?> of, String test)
      throws Exception {
    tests.end(begun, of.getDeclaredMethod(test), of);
  }
}

package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of sources find what they forbid, and nothing else. */
final class SourceRulesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/** What a thing does. */\nfinal class A {",
        "/**\n * Whether it rains.\n */\npublic enum A {",
        "/** How it goes. */\n@Command(name = \"a)\", help = {\"x\", (\"y\")})\n@B final class A {",
        "/** Who is told. */\nsealed interface A permits B {",
        "  /** Whose it is. */\n  private static final record A(int b) {",
        "/** Whoever asks. */\n@interface A {",
        "/** Emits the code. */\nfinal class A {",
        "/**\n * Sends\n * a message. */\nfinal class A {",
        "/** Where it is. */\nrecord A(int b) {",
        "/** Something that is needed. */\nfinal class A {",
        "/** What is in it. */\n@NullMarked\npackage A;",
        "/**\n * What it exports. */\nmodule A {",
      })
  void commentsWithoutNoun_asksOrDoes_isFound(String source) {
    assertThat(SourceRules.commentsWithoutNoun(source)).containsExactly("A");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/** The ring of a channel. What it holds. */\nfinal class A {",
        "/** Whatever. */\nfinal class A {",
        "/** Words of a ring. */\nfinal class A {",
        "  /** Emits the code. */\n  interface A {",
        "/** What it is. */\nint a() {",
        "/** What it is. */\n@Override\npublic int classOf(String record) {",
        "/* What it is. */\nfinal class A {",
      })
  void commentsWithoutNoun_anythingElse_isNotFound(String source) {
    assertThat(SourceRules.commentsWithoutNoun(source)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Thread.sleep(PAUSE);",
        "TimeUnit.MILLISECONDS.sleep(3);",
        "LockSupport.parkNanos(ns);",
      })
  void sleeps_untilATime_isFound(String source) {
    assertThat(SourceRules.sleeps(source)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LockSupport.parkNanos(this, ns);",
        "latch.await(3, TimeUnit.SECONDS);",
        "thread.sleeps();"
      })
  void sleeps_untilItIsWoken_isNotFound(String source) {
    assertThat(SourceRules.sleeps(source)).isFalse();
  }

  @Test
  void unusedConstants_namedByNobody_isFound() {
    assertThat(
            SourceRules.unusedConstants(
                List.of(
                    constants(
                        "A", "  public static final int ONE = 1;\n  static final U32 TWO =\n"),
                    constants("B", "/** {@link A#ONE}, A.ONE. */ int a = C.ONE;"))))
        .containsExactly("A.ONE", "A.TWO");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "int a = A.ONE;",
        "int a = A\n    .ONE;",
        "import static io.sluice.A.ONE;",
        "import static io.sluice.A.*;",
      })
  void unusedConstants_namedByAnother_isNotFound(String user) {
    SourceRules.Source declaring = constants("A", "  public static final int ONE = 1;\n");
    assertThat(SourceRules.unusedConstants(List.of(declaring, constants("B", user)))).isEmpty();
  }

  @Test
  void unusedConstants_namedByItsOwnClass_isNotFound() {
    SourceRules.Source declaring =
        constants("A", "  private static final int ONE = 1;\n  int two = ONE + 1;\n");
    assertThat(SourceRules.unusedConstants(List.of(declaring))).isEmpty();
  }

  private static SourceRules.Source constants(String name, String text) {
    return SourceRules.Source.of(Path.of("m/src/main/java/io/a", name + ".java"), text, true);
  }

  @Test
  void typesWithoutUser_namedByTestsOrItselfAlone_isFound() {
    assertThat(
            SourceRules.typesWithoutUser(
                List.of(
                    constants("A", "class A { A a; }"),
                    constants("B", "class B { static void main(String[] a) {} }"),
                    constants("C", "class C { int d = D.d(); }"),
                    constants("D", "class D { /* A, C. */ }"),
                    new SourceRules.Source("ATest", "class ATest { A a; C c; }", false))))
        .containsExactly("A", "C");
  }

  @Test
  void numbersReadAsBits_onlyWhatCounts_isFound() {
    assertThat(SourceRules.numbersReadAsBits("a = RegionAccess.COUNT.bits(body);")).hasSize(1);
    assertThat(SourceRules.numbersReadAsBits("a = Header.MSG_SIZE.bits(body, 4);")).hasSize(1);
    assertThat(SourceRules.numbersReadAsBits("a = Info.NUM_IRQS.bits(body);")).hasSize(1);
    assertThat(SourceRules.numbersReadAsBits("a = Info.COUNT.get(body);")).isEmpty();
    assertThat(SourceRules.numbersReadAsBits("a = Info.FLAGS.bits(body);")).isEmpty();
  }

  @Test
  void namesTwice_twoPackages_areFound() {
    List<Path> sources =
        List.of(
            Path.of("m/src/main/java/io/a/One.java"),
            Path.of("m/src/main/java/io/a/package-info.java"),
            Path.of("n/src/main/java/io/b/One.java"),
            Path.of("n/src/main/java/io/b/Two.java"),
            Path.of("n/src/main/java/io/b/package-info.java"));
    assertThat(SourceRules.namesTwice(sources)).isEqualTo(Map.of("One", List.of("io.a", "io.b")));
  }

  @Test
  void crowded_oneFileTooMany_isFound() {
    List<Path> sources = new ArrayList<>();
    sources.add(Path.of("m/src/main/java/io/a/package-info.java"));
    for (int i = 0; i < SourceRules.MAX_FILES; i++) {
      sources.add(Path.of("m/src/main/java/io/a/A" + i + ".java"));
    }
    assertThat(SourceRules.crowded(sources)).isEmpty();
    sources.add(Path.of("m/src/main/java/io/a/More.java"));
    assertThat(SourceRules.crowded(sources)).isEqualTo(Map.of("io.a", SourceRules.MAX_FILES + 1));
  }
}

package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules find what they forbid, and nothing else: on small classes made for it. */
final class RulesTest {
  private static final String FIXTURE = "io.sluice.testbed.architecture.fixture";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "links()",
        "reinterprets(",
        "unowned()",
        "nanos()",
        "millis()",
        "clock()",
        "now()",
        "random()",
        "uuid()",
        "sleeps()",
        "thread()",
        "platform()",
        "executor()"
      })
  void nativeCodeAndComposition_violation_isFound(String method) {
    assertThat(violations("quota", nativeAndComposition()))
        .anyMatch(text -> text.contains("Breaks." + method));
  }

  @Test
  void moduleGraph_importThatIsNotGranted_isFound() {
    assertThat(violations(null, Rules.moduleGraph(FIXTURE)))
        .isNotEmpty()
        .allMatch(text -> text.contains("Breaks.importsAbi()"));
  }

  @Test
  void noCycles_cycle_isFound() {
    assertThat(violations(null, List.of(Rules.noCycles(FIXTURE))))
        .anyMatch(text -> text.contains("Cycle detected"));
  }

  @Test
  void largeCycles_fiveClasses_areFoundWithoutTheirLeaves() {
    JavaClasses classes = new ClassFileImporter().importPackages(FIXTURE);
    String ring = FIXTURE + ".ring.Ring";
    assertThat(Rules.largeCycles(classes))
        .containsExactly(
            "5 classes: "
                + String.join(" ", ring + "A", ring + "B", ring + "C", ring + "D", ring + "E"));
  }

  @Test
  void typeNames_twiceAndNothingExcusesIt_areFound() {
    List<Class<?>> types = new ArrayList<>();
    new ClassFileImporter()
        .importPackages(FIXTURE + ".names")
        .forEach(type -> types.add(type.reflect()));

    assertThat(TypeNames.twice(types).keySet()).containsExactly("Range", "Second");
  }

  @ParameterizedTest
  @ValueSource(strings = {"abi", "gpu", "daemon"})
  void nativeCodeAndComposition_whereItIsAllowed_isNotFound(String module) {
    assertThat(violations(module, nativeAndComposition())).isEmpty();
  }

  private static List<ArchRule> nativeAndComposition() {
    List<ArchRule> rules = new ArrayList<>(Rules.nativeCode(FIXTURE));
    rules.addAll(Rules.composition(FIXTURE));
    return rules;
  }

  /** Of the fixture's classes in one module, or in all. */
  private static List<String> violations(@Nullable String module, List<ArchRule> rules) {
    String where = module == null ? FIXTURE : FIXTURE + "." + module;
    JavaClasses classes = new ClassFileImporter().importPackages(where);
    List<String> found = new ArrayList<>();
    for (ArchRule rule : rules) {
      found.addAll(rule.evaluate(classes).getFailureReport().getDetails());
    }
    return found;
  }
}

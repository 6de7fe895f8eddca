package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The product keeps the rules, and so does what tests, demo and benches are made of. */
final class ArchitectureTest {
  private static final String ROOT = "io.sluice";

  @SuppressWarnings("NullAway.Init")
  private static JavaClasses classes;

  @BeforeAll
  static void read() {
    classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);
  }

  static Stream<ArchRule> rules() {
    return Stream.of(
            Rules.moduleGraph(ROOT),
            Rules.nativeCode(ROOT),
            Rules.composition(ROOT),
            List.of(Rules.noCycles(ROOT)))
        .flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void product_always_keepsTheRule(ArchRule rule) {
    rule.check(classes);
  }

  @Test
  void everything_always_hasNoLargeCycleOfClasses() {
    assertThat(Rules.largeCycles(classes)).isEmpty();
  }

  /** What tests and benches call their own is theirs. */
  @Test
  void product_always_hasEachNameOnce() {
    List<Class<?>> product = new ArrayList<>();
    for (JavaClass each : classes) {
      if (!each.getPackageName().startsWith(ROOT + ".testbed")) {
        product.add(each.reflect());
      }
    }

    assertThat(TypeNames.twice(product)).as("names that stand twice").isEmpty();
  }

  @Test
  void product_everyPackage_isOfAModule() {
    assertThat(
            classes.stream()
                .map(c -> c.getPackageName() + ".")
                .filter(name -> !name.startsWith(ROOT + ".testbed."))
                .filter(name ->
                    Rules.MODULES.keySet().stream()
                        .noneMatch(module -> name.startsWith(ROOT + "." + module + ".")))
                .distinct())
        .as("packages whose imports no rule checks")
        .isEmpty();
  }

  @Test
  void product_everyModule_wasRead() {
    for (String module : Rules.MODULES.keySet()) {
      requireRead(module);
    }
  }

  @Test
  void support_everyModule_wasRead() {
    for (String module : Rules.SUPPORT) {
      requireRead("testbed." + module);
    }
  }

  private static void requireRead(String module) {
    assertThat(classes.stream().anyMatch(c -> c.getPackageName().startsWith(ROOT + "." + module)))
        .as("classes of module " + module)
        .isTrue();
  }
}

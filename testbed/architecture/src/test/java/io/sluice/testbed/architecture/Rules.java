package io.sluice.testbed.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameStartingWith;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.core.domain.properties.HasParameterTypes.Predicates.rawParameterTypes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.ClassesShould;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The rules, each for packages below a root: the product's, or that of the fixtures by which the
 * rules themselves are tested.
 */
final class Rules {
  /**
   * Package to the packages it may import, each with those below: the modules as the table of
   * docs/architecture.md has them, of the module of sessions each package.
   */
  static final Map<String, List<String>> MODULES =
      Map.ofEntries(
          Map.entry("abi", List.of()),
          Map.entry("gpu", List.of("abi")),
          Map.entry("quota", List.of()),
          Map.entry("channel", List.of("abi", "quota")),
          Map.entry("interrupt", List.of("channel", "abi")),
          Map.entry("vdevice", List.of("abi", "channel", "interrupt")),
          Map.entry("migrate", List.of("abi", "channel", "vdevice")),
          Map.entry("guest", List.of("abi")),
          Map.entry("remoting.generator", List.of()),
          Map.entry("remoting.control", List.of("abi")),
          Map.entry("remoting.state", List.of("abi")),
          Map.entry("remoting.turns", List.of()),
          Map.entry("remoting.waking", List.of("abi")),
          Map.entry(
              "remoting.session",
              List.of("abi", "remoting.state", "remoting.turns", "remoting.waking")),
          Map.entry("remoting.relay", List.of("abi", "remoting.session", "remoting.state")),
          Map.entry("remoting.park", List.of("abi", "remoting.session", "remoting.state")),
          Map.entry(
              "remoting.opencl",
              List.of(
                  "abi", "remoting.session", "remoting.relay", "remoting.state", "remoting.turns")),
          Map.entry(
              "remoting.host",
              List.of(
                  "abi",
                  "remoting.control",
                  "remoting.session",
                  "remoting.relay",
                  "remoting.park",
                  "remoting.state",
                  "remoting.turns",
                  "remoting.opencl")),
          Map.entry("management", List.of()),
          Map.entry(
              "daemon",
              List.of(
                  "abi",
                  "gpu",
                  "quota",
                  "channel",
                  "interrupt",
                  "vdevice",
                  "migrate",
                  "remoting.control",
                  "management")),
          Map.entry("sluicectl", List.of("management")));

  /** Packages of what tests, demo and benches are made of. */
  static final List<String> SUPPORT =
      List.of("fakes", "checks", "workloads", "opencl", "machine", "attack", "demo", "bench");

  /** Where clocks, threads and randomness come from. */
  private static final List<String> COMPOSITION =
      List.of("daemon", "remoting.host", "sluicectl", "testbed");

  /** Most classes of a cycle within a package. */
  static final int MAX_CYCLE = 4;

  private Rules() {}

  /** A module imports only what the table grants it; one rule for each module. */
  static List<ArchRule> moduleGraph(String root) {
    List<ArchRule> rules = new ArrayList<>();
    MODULES.forEach((module, allowed) -> {
      List<String> forbidden =
          MODULES.keySet().stream()
              .filter(other -> !other.equals(module) && !allowed.contains(other))
              .sorted()
              .toList();
      rules.add(
          noClasses()
              .that()
              .resideInAPackage(in(root, module))
              .should()
              .dependOnClassesThat()
              .resideInAnyPackage(in(root, forbidden))
              .as(module + " imports no more than " + allowed)
              .allowEmptyShould(true));
    });
    return rules;
  }

  /** Native code is called in one module; so is memory that the collector frees. */
  static List<ArchRule> nativeCode(String root) {
    return Stream.of(
            noClasses()
                .that()
                .resideOutsideOfPackages(in(root, "abi"), in(root, "remoting.opencl"))
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Linker.class, SymbolLookup.class)
                .as("only abi and the binding of a remoted API link native code"),
            noClasses()
                .that()
                .resideOutsideOfPackage(in(root, "abi"))
                .should()
                .callMethodWhere(calls(MemorySegment.class, "reinterpret"))
                .as("only abi reinterprets memory"),
            noClasses()
                .that()
                .resideOutsideOfPackage(in(root, "abi"))
                .should()
                .callMethodWhere(calls(Arena.class, "ofAuto"))
                .as("every arena has an owner"))
        .map(rule -> rule.allowEmptyShould(true))
        .toList();
  }

  /** Time, chance and threads are handed in. */
  static List<ArchRule> composition(String root) {
    return Stream.of(
            elsewhere(root)
                .callMethodWhere(
                    anyOf(
                        calls(System.class, "nanoTime"),
                        calls(System.class, "currentTimeMillis"),
                        target(owner(type(Clock.class))).and(target(nameStartingWith("system"))),
                        calls(Instant.class, "now")
                            .and(target(rawParameterTypes(new Class<?>[0])))))
                .as("the composition root reads the clock"),
            elsewhere(root)
                .callMethodWhere(
                    anyOf(
                        calls(Math.class, "random"),
                        calls(UUID.class, "randomUUID"),
                        calls(ThreadLocalRandom.class, "current"),
                        calls(RandomGenerator.class, "of"),
                        calls(RandomGenerator.class, "getDefault")))
                .as("the composition root gives randomness"),
            elsewhere(root)
                .callConstructorWhere(
                    constructs(
                        Random.class,
                        SplittableRandom.class,
                        SecureRandom.class,
                        Thread.class,
                        Timer.class))
                .as("the composition root makes threads and generators"),
            elsewhere(root)
                .callMethodWhere(
                    anyOf(
                        calls(Thread.class, "sleep"),
                        calls(Thread.class, "ofPlatform"),
                        calls(Thread.class, "ofVirtual"),
                        calls(Thread.class, "startVirtualThread")))
                .as("the composition root makes threads, and nobody sleeps"),
            elsewhere(root)
                .dependOnClassesThat()
                .belongToAnyOf(Executors.class)
                .as("executors are handed in"))
        .map(rule -> rule.allowEmptyShould(true))
        .toList();
  }

  /** No package depends on one that depends on it. */
  static ArchRule noCycles(String root) {
    return SlicesRuleDefinition.slices()
        .assignedFrom(new PackagesOf(root))
        .should()
        .beFreeOfCycles()
        .as("packages are free of cycles");
  }

  /** Cycles of too many classes within a package, each as one text. */
  static List<String> largeCycles(JavaClasses classes) {
    return ClassCycles.of(classes).stream()
        .filter(cycle -> cycle.size() > MAX_CYCLE)
        .map(cycle -> cycle.size() + " classes: " + String.join(" ", cycle))
        .toList();
  }

  /** Each package is a slice. */
  private record PackagesOf(String root) implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
      String name = javaClass.getPackageName();
      if (!name.startsWith(root + ".")) {
        return SliceIdentifier.ignore();
      }
      return SliceIdentifier.of(name.substring(root.length() + 1));
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }

  private static ClassesShould elsewhere(String root) {
    return noClasses().that().resideOutsideOfPackages(in(root, COMPOSITION)).should();
  }

  private static String in(String root, String module) {
    return root + "." + module + "..";
  }

  private static String[] in(String root, List<String> modules) {
    return modules.stream().map(module -> in(root, module)).toArray(String[]::new);
  }

  private static DescribedPredicate<JavaCall<?>> calls(Class<?> owner, String method) {
    return target(owner(type(owner)))
        .and(target(name(method)))
        .as(owner.getSimpleName() + "." + method);
  }

  private static DescribedPredicate<JavaCall<?>> constructs(Class<?>... types) {
    DescribedPredicate<JavaCall<?>> any = target(owner(type(types[0])));
    for (Class<?> next : types) {
      any = any.or(target(owner(type(next))));
    }
    return any;
  }

  @SafeVarargs
  private static DescribedPredicate<JavaCall<?>> anyOf(DescribedPredicate<JavaCall<?>>... calls) {
    DescribedPredicate<JavaCall<?>> any = calls[0];
    for (DescribedPredicate<JavaCall<?>> next : calls) {
      any = any.or(next);
    }
    return any;
  }

  private static DescribedPredicate<JavaClass> type(Class<?> wanted) {
    return JavaClass.Predicates.equivalentTo(wanted);
  }
}

package io.sluice.gpu.sm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.isa.Opcode;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every form that the decoder knows is held against arithmetic of another kind somewhere. */
final class OracleCoverageTest {
  private static final String SUFFIX = "OracleTest.class";

  @Test
  void opcodes_allOfThem_areCoveredByAnOracle() throws Exception {
    Set<Opcode> missing = EnumSet.allOf(Opcode.class);

    for (Class<?> type : oracleTests()) {
      for (Method method : type.getDeclaredMethods()) {
        Covers covers = method.getAnnotation(Covers.class);
        missing.removeAll(covers == null ? Set.of() : Set.of(covers.value()));
      }
    }

    assertThat(missing).isEmpty();
  }

  /** Without it a test could say what it covers and never be run. */
  @Test
  void coverage_everyMethodThatClaimsIt_isATest() throws Exception {
    for (Class<?> type : oracleTests()) {
      for (Method method : type.getDeclaredMethods()) {
        if (method.isAnnotationPresent(Covers.class)) {
          assertThat(method.isAnnotationPresent(Test.class)).as("%s", method).isTrue();
        }
      }
    }
  }

  private static List<Class<?>> oracleTests() throws IOException, URISyntaxException {
    URI here = OracleCoverageTest.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    String packageName = OracleCoverageTest.class.getPackageName();
    Path directory = Path.of(here).resolve(packageName.replace('.', '/'));
    try (Stream<Path> files = Files.list(directory)) {
      List<Class<?>> types =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(SUFFIX))
              .<Class<?>>map(name -> load(packageName + "." + name.replace(".class", "")))
              .toList();
      assertThat(types).as("oracle tests").hasSizeGreaterThan(4);
      return types;
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}

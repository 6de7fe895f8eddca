package io.sluice.abi;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import java.io.IOException;
import java.lang.foreign.StructLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The guest ABI in Java against sluice_abi.h, in both directions: nothing differs, nothing lacks.
 */
final class GuestHeaderParityTest {
  private static final Pattern MACRO = Pattern.compile("(?m)^#define SLUICE_(\\w+)[ \\t]+\\S");
  private static final Pattern STRUCT = Pattern.compile("(?m)^struct (sluice_\\w+) \\{");

  @TempDir Path directory;

  private static Path header() {
    String home = System.getProperty("sluice.home", "");
    Path header = Path.of(home, "guest-driver-stubs", "include", "sluice_abi.h");
    Assumptions.assumeTrue(Files.exists(header), "-Dsluice.home does not name the checkout");
    return header;
  }

  private static TreeSet<String> all(Pattern pattern, String text) {
    TreeSet<String> found = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  @Test
  void structures_ofTheHeader_areThoseOfJava() throws IOException, InterruptedException {
    Path header = header();
    TreeMap<String, StructLayout> structures = Structs.ofPackage(GuestAbi.class);
    assertThat(structures.keySet()).isEqualTo(all(STRUCT, Files.readString(header)));

    CProgram program = new CProgram(List.of("\"" + header + "\""), List.of());
    structures.values().forEach(program::describe);
    assertThat(program.run(directory))
        .containsExactlyElementsOf(structures.values().stream().map(Structs::describe).toList());
  }

  @Test
  void constants_ofTheHeader_areThoseOfJava() throws IOException, InterruptedException {
    Path header = header();
    TreeMap<String, Long> constants = Structs.constantsOf(GuestAbi.class);
    assertThat(constants.keySet()).isEqualTo(all(MACRO, Files.readString(header)));

    CProgram program = new CProgram(List.of("\"" + header + "\""), List.of());
    List<String> expected = new ArrayList<>();
    constants.forEach((name, value) -> {
      program.value(name, "(int)SLUICE_" + name);
      expected.add(name + " " + value);
    });
    assertThat(program.run(directory)).containsExactlyElementsOf(expected);
  }
}

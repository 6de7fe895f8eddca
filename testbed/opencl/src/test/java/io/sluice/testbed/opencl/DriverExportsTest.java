package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.opencl.Commands.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The symbols that our driver has for whoever loads it: a loader of OpenCL has the same names. */
final class DriverExportsTest {
  private static final Path READELF = Path.of("/usr/bin/readelf");

  /** A row of {@code readelf --dyn-syms}: the section that has the symbol, and the name. */
  private static final Pattern SYMBOL =
      Pattern.compile("^ +\\d+: [0-9a-f]+ .* (\\w+) +([\\w.]+)(?:@+\\S+)?$");

  private static final Pattern MAPPED = Pattern.compile("(?m)^\\t\\t(\\w+);$");

  @Test
  void driver_onceBuilt_exportsWhatItsMapNamesAndNothingElse(@TempDir Path directory)
      throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    assumeTrue(Files.isExecutable(READELF), "not installed here: binutils");
    Path driver = OpenClParts.build(directory, "hold").driver();
    Result symbols =
        Commands.run(
            directory,
            Map.of(),
            List.of(READELF.toString(), "--dyn-syms", "--wide", driver.toString()));
    String map = Files.readString(Tree.driver().resolve("exports.map"));

    List<String> exported =
        symbols.output().stream()
            .map(SYMBOL::matcher)
            .filter(row -> row.matches() && !row.group(1).equals("UND"))
            .map(row -> row.group(2))
            .toList();
    assertThat(exported)
        .as(String.join("\n", symbols.output()))
        .contains("clIcdGetPlatformIDsKHR")
        .containsExactlyInAnyOrderElementsOf(
            MAPPED.matcher(map).results().map(name -> name.group(1)).toList());
  }
}

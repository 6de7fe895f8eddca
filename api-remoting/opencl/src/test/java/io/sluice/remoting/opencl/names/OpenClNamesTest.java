package io.sluice.remoting.opencl.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of OpenCL's numbers, against the header of the build host. */
final class OpenClNamesTest {
  private static final Path HEADER = Path.of("/usr/include/CL/cl.h");
  private static final int BGRA = 0x10b6;
  private static final int UNORM_INT8 = 0x10d2;

  /** The names that the header gives numbers of a pattern, by number. */
  private static SortedMap<Integer, String> header(String number, List<String> others)
      throws IOException {
    assumeTrue(Files.exists(HEADER), "not here: " + HEADER);
    Matcher line =
        Pattern.compile("(?m)^#define (CL_\\w+) +(" + number + ")$")
            .matcher(Files.readString(HEADER));
    SortedMap<Integer, String> names = new TreeMap<>();
    while (line.find()) {
      if (!others.contains(line.group(1))) {
        names.put(Integer.decode(line.group(2)), line.group(1));
      }
    }
    return names;
  }

  private static void requireAll(SortedMap<Integer, String> names, IntFunction<String> of) {
    SortedMap<Integer, String> ours = new TreeMap<>();
    names.keySet().forEach(number -> ours.put(number, of.apply(number)));
    assertThat(ours).hasSizeGreaterThan(10).isEqualTo(names);
  }

  @Test
  void statusNames_ofEachErrorOfTheHeader_isItsName() throws IOException {
    requireAll(
        header("-\\d+", List.of("CL_BUILD_NONE", "CL_BUILD_ERROR", "CL_BUILD_IN_PROGRESS")),
        StatusNames::of);
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "-20", "-29", "-73", "-1001", "-2147483648", "2147483647"})
  void statusNames_ofAnotherNumber_hasTheNumber(int status) {
    assertThat(StatusNames.of(status)).isEqualTo("status " + status);
  }

  @Test
  void imageNames_ofEachChannelOrderOfTheHeader_isItsName() throws IOException {
    requireAll(header("0x10[BC][0-9A-F]", List.of()), ImageNames::order);
  }

  @Test
  void imageNames_ofEachChannelTypeOfTheHeader_isItsName() throws IOException {
    requireAll(header("0x10[DE][0-9A-F]", List.of()), ImageNames::type);
  }

  @ParameterizedTest
  @CsvSource({
    "0x10f1, a 2D image of 7 x 6",
    "0x10f2, a 3D image of 7 x 6 x 5",
    "0x10f3, an array of 2D images of 7 x 6 x 4",
    "0x10f4, a 1D image of 7",
    "0x10f5, an array of 1D images of 7 x 4",
    "0x10f6, a 1D image of a buffer of 7",
    "0x10f0, an image of 7 x 6 x 5 x 4",
    "0x10f7, an image of 7 x 6 x 5 x 4"
  })
  void image_ofAKind_hasItsSizesAndItsFormat(String kind, String expected) {
    long[] shape = {Integer.decode(kind), 7, 6, 5, 4, 0, 0};
    assertThat(ImageNames.image(BGRA, UNORM_INT8, shape))
        .isEqualTo(expected + ", CL_BGRA, CL_UNORM_INT8");
  }

  @Test
  void image_ofAFormatThatIsNone_hasItsNumbers() {
    assertThat(ImageNames.image(1, -1, new long[] {0x10f4, 7, 0, 0, 0, 0, 0}))
        .isEqualTo("a 1D image of 7, 0x1, 0xffffffff");
  }
}

package io.sluice.testbed.opencl;

import java.util.List;
import java.util.regex.Pattern;

/** The lines of clinfo that are the same natively and in a session. */
public final class ClinfoLines {
  /**
   * Names, which are the platform's; what a session is said not to have; memory, of which PoCL says
   * how much is free.
   */
  private static final Pattern DIFFERENT =
      Pattern.compile(
          "^ *(Global memory size|Max memory allocation|Platform Name|Platform Vendor|Platform Version|Platform Extensions.*|Device Name"
              + "|Shared Virtual Memory.*|.*SVM.*|.*buffer sharing.*|Fine-grained.*"
              + "|Coarse-grained.*|Atomics|Run native kernels"
              + "|.*cl_pocl_content_size.*|.*[Cc]ommand.buffer.*|.*clGet.*|.*clCreate.*"
              + "|Out-of-order execution|Profiling|Device Extensions.*"
              + "|.*platform.*|ICD loader.*| *Name| *Vendor| *Version| *Profile) .*");

  private ClinfoLines() {}

  /** Whether a line is one of them. */
  public static boolean isCompared(String line) {
    return !DIFFERENT.matcher(line).matches();
  }

  /** Those of them that there are. */
  public static List<String> of(List<String> lines) {
    return lines.stream().filter(ClinfoLines::isCompared).toList();
  }
}

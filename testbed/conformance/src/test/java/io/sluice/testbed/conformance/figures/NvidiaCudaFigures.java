package io.sluice.testbed.conformance.figures;

import io.sluice.testbed.conformance.cuda.CudaRig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The comparison of CUDA programs natively and over the relay, by turns in one run: the median of
 * each of the program's figures, and the two beside each other.
 */
public final class NvidiaCudaFigures {
  private static final int TURNS = 5;

  private NvidiaCudaFigures() {}

  public static void main(String[] arguments) throws Exception {
    try (CudaRig rig = CudaRig.open(Files.createTempDirectory("cuda"))) {
      String programs = rig.compile("cuda_programs.cu").toString();
      compare(rig, programs, "figures");
      Path steps = rig.file("steps.py");
      if (rig.natively("python3", "-c", "import torch").status() == 0) {
        compare(rig, "python3", steps.toString());
      }
    }
  }

  private static void compare(CudaRig rig, String... command) throws Exception {
    // The first run of either has what later ones find done.
    CudaRig.Ended _ = rig.natively(command);
    CudaRig.Ended _ = rig.relayed(command);
    Map<String, List<Double>> natively = new LinkedHashMap<>();
    Map<String, List<Double>> relayed = new LinkedHashMap<>();
    for (int i = 0; i < TURNS; i++) {
      add(natively, rig.natively(command));
      add(relayed, rig.relayed(command));
    }
    natively.forEach((name, values) -> {
      double one = median(values);
      double other = median(relayed.getOrDefault(name, List.of(Double.NaN)));
      System.out.printf(
          Locale.ROOT,
          "CUDA relayed: %s: native %.2f relayed %.2f ratio %.2f%n",
          name,
          one,
          other,
          other / one);
    });
  }

  /** Lines of the form {@code NAME: NUMBER UNIT}. */
  private static void add(Map<String, List<Double>> to, CudaRig.Ended ended) {
    for (String line : ended.lines()) {
      String[] parts = line.split(": ", 2);
      if (parts.length == 2 && parts[1].matches("[0-9.]+ .*")) {
        double value = Double.parseDouble(parts[1].substring(0, parts[1].indexOf(' ')));
        to.computeIfAbsent(
                parts[0] + ", " + parts[1].substring(parts[1].indexOf(' ') + 1),
                _ -> new ArrayList<>())
            .add(value);
      }
    }
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}

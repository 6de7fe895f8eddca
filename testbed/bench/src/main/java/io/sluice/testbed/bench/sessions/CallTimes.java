package io.sluice.testbed.bench.sessions;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Medians of what testbed/opencl/figures printed in several runs, natively and in a session by
 * turns, so that both have had the same machine.
 *
 * @param runs how many of each
 * @param natively by name
 * @param remoted by name
 * @param byPeer by name; empty when no other remoting is named
 */
record CallTimes(
    int runs,
    Map<String, Double> natively,
    Map<String, Double> remoted,
    Map<String, Double> byPeer) {
  private static final String PROGRAM = "figures";

  /** Runs it. */
  static CallTimes measure(OpenClPrograms programs, String figure, int runs)
      throws IOException, InterruptedException {
    Map<String, List<Double>> natively = new LinkedHashMap<>();
    Map<String, List<Double>> remoted = new LinkedHashMap<>();
    Map<String, List<Double>> byPeer = new LinkedHashMap<>();
    for (int run = 0; run < runs; run++) {
      add(natively, programs.natively(PROGRAM, figure));
      add(remoted, programs.remoted(PROGRAM, figure));
      if (programs.hasPeer()) {
        add(byPeer, programs.byPeer(PROGRAM, figure));
      }
    }
    return new CallTimes(runs, medians(natively), medians(remoted), medians(byPeer));
  }

  private static void add(Map<String, List<Double>> to, List<String> lines) throws IOException {
    for (String line : lines) {
      String[] words = line.split(" ", -1);
      if (words.length != 3) {
        throw new IOException("no line of " + PROGRAM + ": " + line);
      }
      to.computeIfAbsent(words[0], _ -> new ArrayList<>()).add(Double.valueOf(words[1]));
    }
  }

  private static Map<String, Double> medians(Map<String, List<Double>> values) {
    Map<String, Double> medians = new LinkedHashMap<>();
    values.forEach((name, all) -> medians.put(name, median(all)));
    return medians;
  }

  /** The middle of some values, the higher of two. */
  static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  double natively(String name) {
    return value(natively, name);
  }

  double remoted(String name) {
    return value(remoted, name);
  }

  private static double value(Map<String, Double> values, String name) {
    Double value = values.get(name);
    if (value == null) {
      throw new IllegalStateException(PROGRAM + " printed no " + name);
    }
    return value;
  }
}

package io.sluice.management;

import java.util.Collection;
import java.util.Optional;

/** The name that was probably meant. */
public final class Nearest {
  private Nearest() {}

  /**
   * The candidate with the smallest edit distance; empty when none is near enough to be a slip of
   * the hand: more than a third of the name, and at least 2, would have to change.
   */
  public static Optional<String> to(String name, Collection<String> candidates) {
    String best = null;
    int bestDistance = Math.max(2, name.length() / 3) + 1;
    for (String candidate : candidates) {
      int distance = distance(name, candidate);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = candidate;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Optimal string alignment: insert, delete, replace, and swap of neighbours cost 1 each. */
  private static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      d[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      d[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int replace = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replace, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}

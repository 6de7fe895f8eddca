package io.sluice.gpu.sm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The constants whose place is in a program's instructions, and its sites. */
final class OperandPool {
  private final Map<Place, Integer> indices = new HashMap<>();
  private final List<Place> places = new ArrayList<>();
  private int sites;

  /**
   * A word of a constant bank.
   *
   * @param bank which bank
   * @param offset byte offset
   */
  record Place(int bank, int offset) {}

  /** The index of a constant. */
  int indexOf(int bank, int offset) {
    return indices.computeIfAbsent(
        new Place(bank, offset),
        place -> {
          places.add(place);
          return places.size() - 1;
        });
  }

  /** The constants, by index. */
  List<Place> places() {
    return places;
  }

  /** A number for an instruction that keeps a window. */
  int newSite() {
    return ++sites;
  }

  /** How many there are. */
  int sites() {
    return sites;
  }
}

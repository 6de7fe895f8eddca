package io.sluice.gpu.sm.jit.emit;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The constants whose place is in a program's instructions, and its sites. */
public final class OperandPool {
  /** Bytes of the heap that a constant takes, in all three tables. */
  private static final int PLACE_BYTES = 96;

  /** The same of the set of a segment's constants, but for its bits. */
  private static final int SET_BYTES = 56;

  private final Map<BankWord, Integer> indices = new HashMap<>();
  private final List<BankWord> places = new ArrayList<>();
  private final List<BitSet> bySegment = new ArrayList<>();
  private int sites;

  /**
   * @param sites how many there are in other parts of the program
   */
  public OperandPool(int sites) {
    this.sites = sites;
  }

  /**
   * A word of a constant bank.
   *
   * @param bank which bank
   * @param offset byte offset
   */
  public record BankWord(int bank, int offset) {}

  /** The constants that are asked for from now on are those of the next segment. */
  public void nextSegment() {
    bySegment.add(new BitSet());
  }

  /** The index of a constant. */
  int indexOf(int bank, int offset) {
    int index =
        indices.computeIfAbsent(
            new BankWord(bank, offset),
            place -> {
              places.add(place);
              return places.size() - 1;
            });
    bySegment.getLast().set(index);
    return index;
  }

  /** The constants of a segment, by index. */
  public BitSet placesOf(int segment) {
    return bySegment.get(segment);
  }

  /** The constants, by index. */
  public List<BankWord> places() {
    return places;
  }

  /** Bytes of the heap that it takes, rounded up. */
  public int heapBytes() {
    int sum = places.size() * PLACE_BYTES;
    for (BitSet some : bySegment) {
      sum += SET_BYTES + some.size() / Byte.SIZE;
    }
    return sum;
  }

  /** A number for an instruction that keeps a window. */
  int newSite() {
    return ++sites;
  }

  /** One more than the highest. */
  public int sites() {
    return sites;
  }
}

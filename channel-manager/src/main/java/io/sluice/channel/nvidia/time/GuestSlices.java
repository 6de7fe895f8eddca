package io.sluice.channel.nvidia.time;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The time slices that a guest's weight is worth, divided among those who have channel groups for
 * it: its open of the card, and each of its CUDA programs. Any thread.
 */
public final class GuestSlices {
  /** The part of a group of which nobody has said anything, among those of its guest. */
  public static final int USUAL_PART = 16;

  private final TimeSlices shared;
  private final Map<Object, Map<Integer, Integer>> parts = new ConcurrentHashMap<>(); // by holder
  private final AtomicLong changes = new AtomicLong();
  private volatile int weight; // 0: nobody has said

  /**
   * The basis that slices are divided by: another one when they are to be divided anew.
   *
   * @param unitNs of the card, which other guests' weights change, and how many there are
   * @param weight the guest's; 0 when nobody has said
   * @param changes of the groups it has
   */
  public record Stamp(long unitNs, int weight, long changes) {}

  GuestSlices(TimeSlices shared) {
    this.shared = shared;
  }

  /** Another weight, 1 to 1024. */
  public void weigh(int newWeight) {
    weight = newWeight;
    shared.set(this, newWeight);
  }

  /** Of the guest; 1 when nobody has said. */
  int weight() {
    return Math.max(weight, 1);
  }

  /**
   * Says what groups a holder has.
   *
   * @param byEngine the sum of their parts, by engine; empty when it has none any more
   */
  public void put(Object holder, Map<Integer, Integer> byEngine) {
    Map<Integer, Integer> before =
        byEngine.isEmpty() ? parts.remove(holder) : parts.put(holder, Map.copyOf(byEngine));
    if (!byEngine.equals(before == null ? Map.of() : before)) {
      changes.incrementAndGet();
    }
  }

  public Stamp stamp() {
    return new Stamp(shared.unitNs(), weight, changes.get());
  }

  /**
   * The slice of a group; empty while nobody has given the guest a weight.
   *
   * @param part its part of what the guest has on the engine
   */
  public OptionalLong microseconds(int engine, int part) {
    if (weight == 0) {
      return OptionalLong.empty();
    }
    int whole = 0;
    for (Map<Integer, Integer> held : parts.values()) {
      whole += held.getOrDefault(engine, 0);
    }
    return OptionalLong.of(
        TimeSlices.microseconds(shared.unitNs(), weight, part, Math.max(whole, part)));
  }
}

package io.sluice.testbed.machine.move;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When the program {@code once} in a machine said that more of its submissions were executed, by
 * this host's clock: the machine's own stands still while the machine does.
 */
public final class Progress implements Consumer<String> {
  private static final Pattern LINE = Pattern.compile("once: (\\d+)");

  private final List<Long> timesNs = new ArrayList<>(); // by this
  private long last = -1; // by this

  /** A line of the machine's console. */
  @Override
  public synchronized void accept(String line) {
    Matcher matcher = LINE.matcher(line);
    if (matcher.matches()) {
      long count = Long.parseLong(matcher.group(1));
      if (count != last) {
        last = count;
        timesNs.add(System.nanoTime());
      }
    }
  }

  /**
   * When it went on for the first time after a moment.
   *
   * @param sinceNs of {@link System#nanoTime}
   * @return empty when it has not
   */
  public synchronized OptionalLong firstAfter(long sinceNs) {
    return timesNs.stream().mapToLong(Long::longValue).filter(at -> at > sinceNs).findFirst();
  }

  /** The longest time without any, of those that end after one moment and not after another. */
  public synchronized long longestGapNs(long fromNs, long toNs) {
    long longest = 0;
    for (int i = 1; i < timesNs.size(); i++) {
      long at = timesNs.get(i);
      if (at > fromNs && at <= toNs) {
        longest = Math.max(longest, at - timesNs.get(i - 1));
      }
    }
    return longest;
  }
}

package io.sluice.daemon.runtime;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The privileges of a thread, as {@code /proc/thread-self/status} has them.
 *
 * @param held capabilities: permitted, effective, inheritable and ambient ones
 * @param inheritable capabilities
 * @param permitted capabilities
 * @param bounding capabilities that a program which is executed may get by root's rights
 * @param canGain whether a program that is executed gets those: it is root's, and nothing forbids
 *     it
 */
record HeldPrivileges(long held, long inheritable, long permitted, long bounding, boolean canGain) {
  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final String ROOT = "0";
  private static final int HEXADECIMAL = 16;

  /**
   * Reads the lines of a status.
   *
   * @throws IOException when one is missing, or not as it should be
   */
  static HeldPrivileges parse(List<String> lines) throws IOException {
    Map<String, String> values = new HashMap<>();
    for (String line : lines) {
      int end = line.indexOf(':');
      if (end > 0) {
        values.put(line.substring(0, end), line.substring(end + 1).trim());
      }
    }
    long permitted = set(values, "CapPrm");
    long inheritable = set(values, "CapInh");
    boolean isRoot = List.of(BLANKS.split(value(values, "Uid"))).contains(ROOT);
    return new HeldPrivileges(
        permitted | inheritable | set(values, "CapEff") | set(values, "CapAmb"),
        inheritable,
        permitted,
        set(values, "CapBnd"),
        isRoot && value(values, "NoNewPrivs").equals("0"));
  }

  /** Whether the thread, or a program that it executes, has more than these. */
  boolean exceed(long kept) {
    return (held & ~kept) != 0 || (canGain && (bounding & ~kept) != 0);
  }

  private static long set(Map<String, String> values, String name) throws IOException {
    try {
      return Long.parseUnsignedLong(value(values, name), HEXADECIMAL);
    } catch (NumberFormatException e) {
      throw new IOException(name + " of a thread's status is no set of capabilities", e);
    }
  }

  private static String value(Map<String, String> values, String name) throws IOException {
    String value = values.get(name);
    if (value == null) {
      throw new IOException("a thread's status has no " + name);
    }
    return value;
  }
}

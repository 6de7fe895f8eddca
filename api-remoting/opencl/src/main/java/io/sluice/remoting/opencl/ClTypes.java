package io.sluice.remoting.opencl;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sizes of OpenCL C's types that a kernel's arguments by value may have. */
final class ClTypes {
  private static final Map<String, Integer> SCALARS =
      Map.ofEntries(
          Map.entry("char", 1),
          Map.entry("uchar", 1),
          Map.entry("unsigned char", 1),
          Map.entry("signed char", 1),
          Map.entry("short", 2),
          Map.entry("ushort", 2),
          Map.entry("unsigned short", 2),
          Map.entry("half", 2),
          Map.entry("int", 4),
          Map.entry("uint", 4),
          Map.entry("unsigned int", 4),
          Map.entry("float", 4),
          Map.entry("long", 8),
          Map.entry("ulong", 8),
          Map.entry("unsigned long", 8),
          Map.entry("double", 8));

  private static final Pattern VECTOR = Pattern.compile("([a-z ]+?)(2|3|4|8|16)");

  private ClTypes() {}

  /** The size of a type by its name; 0 for one that is not OpenCL C's own. */
  static int bytes(String type) {
    Integer scalar = SCALARS.get(type);
    if (scalar != null) {
      return scalar;
    }
    Matcher vector = VECTOR.matcher(type);
    if (!vector.matches() || !SCALARS.containsKey(vector.group(1))) {
      return 0;
    }
    int width = Integer.parseInt(vector.group(2));
    return SCALARS.get(vector.group(1)) * (width == 3 ? 4 : width);
  }
}

package io.sluice.testbed.machine;

import io.sluice.testbed.opencl.Commands.Result;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The output of programs in a machine, taken from its console. */
final class PrintedInMachine {
  /** Prints what each program prints, and how it ended. */
  static final String ALL =
      """
      cd /tmp
      for name in "$@"; do
        "$name" </dev/null >/tmp/printed 2>&1
        echo "@@ $name $?"
        sed 's/^/@/' /tmp/printed
      done
      """;

  private static final String HEAD = "@@ ";

  private PrintedInMachine() {}

  /** By program: a line {@code @@ PROGRAM STATUS}, then its own with {@code @} before each. */
  static Map<String, Result> of(String console) {
    Map<String, Result> printed = new HashMap<>();
    List<String> lines = new ArrayList<>();
    for (String line : console.lines().toList()) {
      if (line.startsWith(HEAD)) {
        String[] words = line.substring(HEAD.length()).split(" ");
        lines = new ArrayList<>();
        printed.put(words[0], new Result(Integer.parseInt(words[1]), lines, ""));
      } else if (line.startsWith("@")) {
        lines.add(line.substring(1));
      }
    }
    return printed;
  }
}

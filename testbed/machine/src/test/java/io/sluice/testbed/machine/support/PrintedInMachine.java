package io.sluice.testbed.machine.support;

import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.RealProgram;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The output of programs in a machine, taken from its console. */
public final class PrintedInMachine {
  /** Prints what each program prints, and how it ended. */
  public static final String ALL =
      """
      cd /tmp
      for name in "$@"; do
        "$name" </dev/null >/tmp/printed 2>&1
        echo "@@ $name $?"
        sed 's/^/@/' /tmp/printed
      done
      """;

  /** As {@link #ALL}, of the standard output alone; {@link #script} adds the programs. */
  private static final String EACH =
      """
      cd /tmp
      run() {
        name=$1
        shift
        "$@" </dev/null >/tmp/printed
        echo "@@ $name $?"
        sed 's/^/@/' /tmp/printed
      }
      """;

  private static final String HEAD = "@@ ";

  private PrintedInMachine() {}

  /** A script that runs programs of this host's distribution, which lie in {@code /bin}. */
  public static String script(List<RealProgram> programs) {
    StringBuilder script = new StringBuilder(EACH);
    for (RealProgram program : programs) {
      List<String> command = program.command();
      script
          .append("run ")
          .append(program)
          .append(" /bin/")
          .append(program.file().getFileName())
          .append(' ')
          .append(String.join(" ", command.subList(1, command.size())))
          .append('\n');
    }
    return script.toString();
  }

  /** By program: a line {@code @@ PROGRAM STATUS}, then its own with {@code @} before each. */
  public static Map<String, Result> of(String console) {
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

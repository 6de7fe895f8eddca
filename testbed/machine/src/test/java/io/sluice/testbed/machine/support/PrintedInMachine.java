package io.sluice.testbed.machine.support;

import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.RealProgram;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

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

  private static final String IN_PLACE =
      """
      run() {
        name=$1
        compared=$2
        shift 2
        mkdir "/tmp/$name"
        cd "/tmp/$name"
        "$@" </dev/null >/tmp/printed
        echo "@@ $name $?"
        sed 's/^/@/' "${compared:-/tmp/printed}"
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

  /**
   * A script that runs such programs where they lie, each in a directory of its own, and prints the
   * file that they are compared by, if there is one.
   */
  public static String scriptInPlace(List<RealProgram> programs) {
    StringBuilder script = new StringBuilder(IN_PLACE);
    for (RealProgram program : programs) {
      script.append("run");
      Stream.concat(Stream.of(program.name(), program.compared()), program.command().stream())
          .forEach(word -> script.append(' ').append(quoted(word)));
      script.append('\n');
    }
    return script.toString();
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
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

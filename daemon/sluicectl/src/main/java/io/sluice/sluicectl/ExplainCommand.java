package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.Nearest;
import io.sluice.management.Problem;
import io.sluice.sluicectl.ErrorsPage.Line;
import io.sluice.sluicectl.Output.Fact;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluicectl explain}: needs no daemon. */
@Command(
    name = "explain",
    description = {
      "Explains an error: what its code means, why it usually comes, and what to do.",
      "Needs no daemon. All codes are in docs/errors.md."
    })
final class ExplainCommand implements Callable<Integer> {
  private final GlobalOptions global;

  @Parameters(
      paramLabel = "CODE",
      completionCandidates = Codes.class,
      description = "The code in brackets behind the error, such as SLU-GUEST-001.")
  private String code = "";

  ExplainCommand(GlobalOptions global) {
    this.global = global;
  }

  @Override
  public Integer call() {
    Map<String, Line> lines = ErrorsPage.lines();
    String wanted = code.toUpperCase(Locale.ROOT);
    Line line = lines.get(wanted);
    if (line == null) {
      throw new ProblemException(
          Problem.of(
              ErrorCode.CODE_UNKNOWN,
              "no error \"" + code + "\"",
              "",
              Nearest.to(wanted, lines.keySet())
                  .map(near -> "did you mean " + near + "?")
                  .orElse("give the code in brackets behind the error, such as SLU-GUEST-001")),
          ExitCode.NOT_FOUND);
    }
    print(global.output(), line);
    return ExitCode.OK;
  }

  private static void print(Output output, Line line) {
    if (output.format() == Format.json) {
      output.json(json -> {
        json.writeStringProperty("code", line.code());
        json.writeStringProperty("meaning", line.meaning());
        json.writeStringProperty("cause", line.cause());
        json.writeStringProperty("remedy", line.remedy());
      });
    } else {
      output.facts(
          List.of(
              new Fact("code", line.code()),
              new Fact("meaning", line.meaning()),
              new Fact("cause", line.cause()),
              new Fact("remedy", line.remedy())));
    }
  }

  /** All codes, for a shell's completion. */
  static final class Codes implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return ErrorsPage.lines().keySet().iterator();
    }
  }
}

package io.sluice.sluicectl;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** {@code sluicectl completion}. */
@Command(
    name = "completion",
    description = "Prints a completion script for bash and zsh.",
    footer = {"%nTo use it:", "  source <(sluicectl completion)"})
final class CompletionCommand implements Callable<Integer> {
  private final GlobalOptions global;

  CompletionCommand(GlobalOptions global) {
    this.global = global;
  }

  @Override
  public Integer call() {
    global.output().text(Candidates.in(AutoComplete.bash("sluicectl", global.line())) + "\n");
    return ExitCode.OK;
  }
}

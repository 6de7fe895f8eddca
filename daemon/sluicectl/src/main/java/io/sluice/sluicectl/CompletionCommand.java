package io.sluice.sluicectl;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** {@code sluicectl completion}. */
@Command(name = "completion", description = "Prints a completion script for bash and zsh.")
final class CompletionCommand implements Callable<Integer> {
  private final GlobalOptions global;

  CompletionCommand(GlobalOptions global) {
    this.global = global;
  }

  @Override
  public Integer call() {
    CommandPages.offer(global.line());
    global.output().text(Candidates.in(AutoComplete.bash("sluicectl", global.line())) + "\n");
    return ExitCode.OK;
  }
}

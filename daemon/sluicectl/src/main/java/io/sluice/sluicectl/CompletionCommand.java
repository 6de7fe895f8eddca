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
  private final SluiceCtl ctl;

  CompletionCommand(SluiceCtl ctl) {
    this.ctl = ctl;
  }

  @Override
  public Integer call() {
    ctl.output().text(AutoComplete.bash("sluicectl", ctl.line()) + "\n");
    return ExitCode.OK;
  }
}

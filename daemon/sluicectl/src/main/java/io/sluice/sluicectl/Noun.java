package io.sluice.sluicectl;

import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The subject of commands; its verbs are the methods of the subclass. */
abstract class Noun implements Runnable {
  final SluiceCtl ctl;
  private final String name;

  Noun(SluiceCtl ctl, String name) {
    this.ctl = ctl;
    this.name = name;
  }

  /** Without a verb. */
  @Override
  public final void run() {
    throw new ParameterException(subcommand(ctl.line(), name), "a command is missing");
  }

  /** The command line of a verb, for messages. */
  final CommandLine verb(String verb) {
    return subcommand(subcommand(ctl.line(), name), verb);
  }

  private static CommandLine subcommand(CommandLine line, String name) {
    return Objects.requireNonNull(line.getSubcommands().get(name), name);
  }
}

package io.sluice.sluicectl;

import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The subject of commands; its verbs are the methods of the subclass. */
abstract class Noun implements Runnable {
  final GlobalOptions global;
  private final String name;

  Noun(GlobalOptions global, String name) {
    this.global = global;
    this.name = name;
  }

  /** Without a verb. */
  @Override
  public final void run() {
    throw new ParameterException(subcommand(global.line(), name), "a command is missing");
  }

  /** The command line of a verb, for messages. */
  final CommandLine verb(String verb) {
    return subcommand(subcommand(global.line(), name), verb);
  }

  private static CommandLine subcommand(CommandLine line, String name) {
    return Objects.requireNonNull(line.getSubcommands().get(name), name);
  }
}

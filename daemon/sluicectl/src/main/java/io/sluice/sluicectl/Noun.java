package io.sluice.sluicectl;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The subject of commands; its verbs are the methods of the subclass. */
abstract class Noun implements Runnable {
  final GlobalOptions global;
  private final String name;
  private final String description;

  /**
   * @param description for the help
   */
  Noun(GlobalOptions global, String name, String description) {
    this.global = global;
    this.name = name;
    this.description = description;
  }

  /**
   * Its command line, with one verb alone: to make them all takes longer than to run one.
   *
   * @param verb with another word it has them all
   */
  final CommandLine line(String verb) {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name(name);
    spec.usageMessage().description(description).synopsisSubcommandLabel("COMMAND");
    CommandLine line = new CommandLine(spec);
    List<Method> all = CommandLine.getCommandMethods(getClass(), null);
    List<Method> named =
        all.stream()
            .filter(method -> method.getAnnotation(Command.class).name().equals(verb))
            .toList();
    for (Method method : named.isEmpty() ? all : named) {
      CommandLine each = new CommandLine(method);
      line.addSubcommand(each.getCommandName(), each);
    }
    return line;
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

package io.sluice.testbed.architecture;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual page of a program, made of what its {@code --help} says. */
final class CommandManual {
  private final Roff page;
  private final CommandSpec program;

  private CommandManual(Roff page, CommandSpec program) {
    this.page = page;
    this.program = program;
  }

  /**
   * The text of the page.
   *
   * @param section of the manual
   * @param purpose a phrase: the program's name says no more
   * @param end further sections, in roff
   */
  static String of(CommandLine line, int section, String purpose, String end) {
    CommandSpec program = line.getCommandSpec();
    Roff page = new Roff(program.name(), section, purpose);
    CommandManual manual = new CommandManual(page, program);
    page.heading("SYNOPSIS").paragraph(synopsis(program));
    page.heading("DESCRIPTION").paragraph(description(program));
    Set<String> common = new HashSet<>();
    program.options().forEach(option -> common.addAll(List.of(option.names())));
    page.heading("OPTIONS");
    manual.options(program, Set.of());
    if (!program.subcommands().isEmpty()) {
      page.heading("COMMANDS");
      manual.commands(program, common);
    }
    page.heading("EXIT STATUS");
    program.usageMessage().exitCodeList().forEach(page::term);
    return page + end;
  }

  private void commands(CommandSpec command, Set<String> common) {
    for (Map.Entry<String, CommandLine> entry : command.subcommands().entrySet()) {
      CommandSpec inner = entry.getValue().getCommandSpec();
      if (inner.usageMessage().hidden()) {
        continue;
      }
      if (inner.subcommands().isEmpty()) {
        page.subheading(usage(inner).substring(program.name().length() + 1));
        page.paragraph(description(inner));
        options(inner, common);
        page.verbatim(examples(inner));
      } else {
        commands(inner, common);
      }
    }
  }

  private void options(CommandSpec command, Set<String> without) {
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      if (!parameter.hidden()) {
        page.term(parameter.paramLabel(), text(parameter.description()));
      }
    }
    for (OptionSpec option : shown(command, without)) {
      page.term(form(option), text(option.description()));
    }
  }

  /** The options of a command that its help has, but for some. */
  static List<OptionSpec> shown(CommandSpec command, Set<String> without) {
    return command.options().stream()
        .filter(option -> !option.hidden() && !without.contains(option.longestName()))
        .toList();
  }

  /** How an option is typed: its names, and the label of its value. */
  static String form(OptionSpec option) {
    String names = String.join(", ", option.names());
    boolean flag = option.typeInfo().isBoolean() && option.arity().max() == 0;
    return flag ? names : names + "=" + option.paramLabel();
  }

  /** The lines below their heading at the end of a command's help. */
  static List<String> examples(CommandSpec command) {
    return Stream.of(command.usageMessage().footer())
        .dropWhile(line -> !line.endsWith("Examples:"))
        .skip(1)
        .takeWhile(line -> line.startsWith("  "))
        .toList();
  }

  /** What a command is called with, without the options that all have. */
  static String usage(CommandSpec command) {
    String[] own = command.usageMessage().customSynopsis();
    if (own.length > 0) {
      return text(own);
    }
    StringBuilder usage = new StringBuilder(command.qualifiedName()).append(" [OPTION]...");
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      String label = parameter.paramLabel();
      usage.append(parameter.required() ? " " + label : " [" + label + "]");
    }
    return usage.toString();
  }

  /** The line that help begins with. */
  static String synopsis(CommandSpec command) {
    return new Help(command, Help.Ansi.OFF).synopsis(0).strip().replaceAll("\\s+", " ");
  }

  private static String description(CommandSpec command) {
    return text(command.usageMessage().description());
  }

  /** A description as one line. */
  static String text(String... lines) {
    return List.of(lines).stream()
        .map(line -> line.replace("%n", " ").replace("%%", "%"))
        .collect(Collectors.joining(" "))
        .strip();
  }
}

package io.sluice.testbed.architecture;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The page docs/commands.md, made of what {@code --help} of the programs says. */
final class CommandsPage {
  static final String PAGE = "docs/commands.md";

  private static final String INTRODUCTION =
      """
      # Commands

      All that `sluicectl` and `sluiced` can be called with. Each command says the same when it is asked with `--help`, and so
      do the manual pages `sluicectl(1)` and `sluiced(8)`. Where to begin is in [getting started](getting-started.md); error
      codes are on a [page of their own](errors.md).

      A test makes this page and compares it: `./sluice test -Dtest=CommandsPageTest -Dsluice.golden=write` writes it anew.
      """;

  private final StringBuilder page = new StringBuilder(INTRODUCTION);

  private CommandsPage() {}

  /**
   * The text of the page.
   *
   * @param programs in the order of the page
   */
  static String of(CommandLine... programs) {
    CommandsPage all = new CommandsPage();
    for (CommandLine program : programs) {
      all.program(program.getCommandSpec());
    }
    return all.page.toString();
  }

  private void program(CommandSpec program) {
    heading(2, program.name());
    code(CommandManual.synopsis(program));
    paragraph(CommandManual.text(program.usageMessage().description()));
    table("option", options(program, Set.of()));
    Set<String> common =
        program.options().stream()
            .flatMap(option -> List.of(option.names()).stream())
            .collect(Collectors.toSet());
    nouns(program, common);
    Map<String, String> codes = program.usageMessage().exitCodeList();
    if (!codes.isEmpty()) {
      heading(3, "Exit codes of " + program.name());
      table("code", codes);
    }
  }

  /** A heading for each word behind the program's name; a command without verbs is its own. */
  private void nouns(CommandSpec program, Set<String> common) {
    for (CommandLine line : program.subcommands().values()) {
      CommandSpec noun = line.getCommandSpec();
      if (!noun.usageMessage().hidden()) {
        heading(3, noun.qualifiedName());
        command(noun, common);
      }
    }
  }

  private void command(CommandSpec command, Set<String> common) {
    paragraph(CommandManual.text(command.usageMessage().description()));
    if (command.subcommands().isEmpty()) {
      code(CommandManual.usage(command));
      table("argument", arguments(command, common));
      examples(CommandManual.examples(command));
      return;
    }
    for (CommandLine line : command.subcommands().values()) {
      CommandSpec verb = line.getCommandSpec();
      if (!verb.usageMessage().hidden()) {
        heading(4, verb.qualifiedName());
        command(verb, common);
      }
    }
  }

  private void examples(List<String> lines) {
    if (!lines.isEmpty()) {
      paragraph(lines.size() == 1 ? "Example:" : "Examples:");
      code(lines.stream().map(String::strip).collect(Collectors.joining("\n")));
    }
  }

  private static Map<String, String> arguments(CommandSpec command, Set<String> common) {
    Map<String, String> arguments = new LinkedHashMap<>();
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      if (!parameter.hidden()) {
        arguments.put(parameter.paramLabel(), CommandManual.text(parameter.description()));
      }
    }
    arguments.putAll(options(command, common));
    return arguments;
  }

  private static Map<String, String> options(CommandSpec command, Set<String> without) {
    Map<String, String> options = new LinkedHashMap<>();
    for (OptionSpec option : CommandManual.shown(command, without)) {
      options.put(CommandManual.form(option), CommandManual.text(option.description()));
    }
    return options;
  }

  private void heading(int level, String title) {
    page.append('\n').append("#".repeat(level)).append(' ').append(title).append('\n');
  }

  private void code(String line) {
    page.append("\n```\n").append(line).append("\n```\n");
  }

  private void paragraph(String words) {
    if (!words.isEmpty()) {
      page.append('\n').append(words(words)).append('\n');
    }
  }

  /** A table of two columns; none where there is nothing to say. */
  private void table(String first, Map<String, String> lines) {
    if (lines.isEmpty()) {
      return;
    }
    page.append("\n| ").append(first).append(" | |\n|---|---|\n");
    lines.forEach((term, meaning) ->
        page.append("| `")
            .append(term.replace("|", "\\|"))
            .append("` | ")
            .append(words(meaning))
            .append(" |\n"));
  }

  /** Words on one line, as Markdown shows them: what it would take for its own is marked. */
  private static String words(String plain) {
    return plain.replaceAll("\\s+", " ").replaceAll("[|*<]", "\\\\$0");
  }
}

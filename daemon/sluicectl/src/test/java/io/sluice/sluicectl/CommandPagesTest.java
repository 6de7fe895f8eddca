package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The pages of all commands: each has an example, which its command takes. */
final class CommandPagesTest {
  private static final Pattern CALL = Pattern.compile("sluicectl( [^()]+)");
  private static final int WIDTH = 80;

  /** All that have no further ones, such as {@code guest list}. */
  static List<String> commands() {
    return leaves(SluiceCtl.commandLine(Map.of())).map(CommandPagesTest::name).toList();
  }

  private static Stream<CommandSpec> leaves(CommandLine line) {
    return line.getSubcommands().isEmpty()
        ? Stream.of(line.getCommandSpec())
        : line.getSubcommands().values().stream().flatMap(CommandPagesTest::leaves);
  }

  private static String name(CommandSpec command) {
    return command.qualifiedName().replaceFirst("sluicectl ", "");
  }

  private static CommandLine command(CommandLine line, String command) {
    CommandLine found = line;
    for (String word : command.split(" ")) {
      found = Objects.requireNonNull(found.getSubcommands().get(word), word);
    }
    return found;
  }

  /** As a run makes them, which knows one command alone. */
  private static CommandSpec asRun(String command) {
    List<String> words = List.of(command.split(" "));
    return command(SluiceCtl.commandLine(Map.of(), words), command).getCommandSpec();
  }

  private static String page(String command) {
    CommandLine line = asRun(command).commandLine();
    line.setUsageHelpAutoWidth(false);
    line.setUsageHelpWidth(WIDTH);
    return line.getUsageMessage();
  }

  @Test
  void pages_all_areOfCommandsThatThereAre() {
    assertThat(CommandPages.PAGES.keySet()).containsExactlyInAnyOrderElementsOf(commands());
  }

  @ParameterizedTest
  @MethodSource("commands")
  void example_ofEachCommand_isOnItsPageAndParses(String command) {
    List<String> end =
        page(command).lines().dropWhile(line -> !line.equals("Examples:")).skip(1).toList();
    String example = end.getFirst();

    assertThat(example).startsWith("  ").hasSizeLessThanOrEqualTo(WIDTH);
    Matcher call = CALL.matcher(example);
    assertThat(call.find()).as(example).isTrue();
    String[] words = call.group(1).strip().split(" ");
    ParseResult parsed = SluiceCtl.commandLine(Map.of(), List.of(words)).parseArgs(words);
    while (parsed.hasSubcommand()) {
      parsed = parsed.subcommand();
    }
    assertThat(name(parsed.commandSpec())).isEqualTo(command);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void sharedOptions_ofEachCommand_areNamedInOneLineAlone(String command) {
    List<String> lines = page(command).lines().toList();

    assertThat(lines.getLast()).startsWith("Also --").endsWith(": see sluicectl --help.");
    assertThat(lines.subList(0, lines.size() - 1))
        .noneMatch(line -> line.matches(".*(--socket|--no-header|--columns=|--debug).*"));
  }

  @ParameterizedTest
  @CsvSource({
    "guest create, Also --format; --socket; --debug: see sluicectl --help.",
    "guest destroy, Also --socket; --debug: see sluicectl --help.",
    "guest list, Also --format; --columns; --no-header; --socket; --debug: see sluicectl --help.",
  })
  void sharedOptions_ofACommand_areThoseItHasAUseFor(String command, String line) {
    assertThat(page(command)).endsWith("\n" + line.replace(';', ',') + "\n");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void parser_afterItsPage_takesAllSharedOptions(String command) {
    CommandSpec own = asRun(command);
    String before = names(own);

    assertThat(own.commandLine().getUsageMessage()).isNotEmpty();

    assertThat(names(own)).isEqualTo(before);
  }

  private static String names(CommandSpec command) {
    return String.join(" ", command.optionsMap().keySet().stream().sorted().toList());
  }

  @Test
  void completion_ofACommand_offersWhatItHasAUseFor() {
    CommandLine line = SluiceCtl.commandLine(Map.of());

    CommandPages.offer(line);

    assertThat(offered(line, "guest destroy"))
        .containsExactlyInAnyOrder("--force", "--socket", "--debug", "--help");
    assertThat(offered(line, "guest list"))
        .containsExactlyInAnyOrder(
            "--format", "--columns", "--no-header", "--socket", "--debug", "--help");
    assertThat(option(line, "guest list", "--columns").completionCandidates())
        .isEqualTo(Views.GUESTS.ids(Format.table));
    assertThat(option(line, "top", "--sort").completionCandidates())
        .contains("memory", "gpu-ns")
        .doesNotContain("state");
  }

  private static List<String> offered(CommandLine line, String command) {
    return command(line, command).getCommandSpec().options().stream()
        .filter(option -> !option.hidden())
        .map(OptionSpec::longestName)
        .toList();
  }

  private static OptionSpec option(CommandLine line, String command, String name) {
    return command(line, command).getCommandSpec().findOption(name);
  }
}

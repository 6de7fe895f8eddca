package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.daemon.Sluiced;
import io.sluice.sluicectl.SluiceCtl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Every command and option of the programs is on docs/commands.md. */
final class CommandsPageTest {
  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));

  @Command(
      name = "tool",
      description = "A tool.",
      subcommands = {Noun.class, Secret.class})
  static final class Tool {
    @Option(names = "--all", description = "For all commands.")
    private boolean all;
  }

  @Command(name = "noun", description = "Things.", subcommands = Verb.class)
  static final class Noun {}

  @Command(name = "verb", description = "Does <it> a|b.")
  static final class Verb {
    @Parameters(paramLabel = "NAME", description = "Whose.")
    private String name = "";

    @Option(
        names = {"-s", "--size"},
        paramLabel = "A|B",
        description = "How much.%nOr how little.")
    private String size = "";

    @Option(names = "--all", description = "For all commands.")
    private boolean all;

    @Option(names = "--secret", hidden = true)
    private boolean secret;
  }

  @Command(name = "secret", hidden = true, description = "Not to be told.")
  static final class Secret {}

  @Test
  void page_ofThisTree_isWhatTheProgramsSay() throws IOException {
    Path page = HOME.resolve(CommandsPage.PAGE);
    String expected =
        CommandsPage.of(SluiceCtl.commandLine(Map.of()), new CommandLine(Sluiced.class));
    if (System.getProperty("sluice.golden", "").equals("write")) {
      Files.writeString(page, expected);
    }

    assertThat(Files.readString(page)).isEqualTo(expected);
  }

  @Test
  void page_ofAVerb_hasItsArgumentsAndOptionsInMarkdown() {
    assertThat(CommandsPage.of(new CommandLine(Tool.class)))
        .contains(
            """
            ### tool noun

            Things.

            #### tool noun verb

            Does \\<it> a\\|b.

            ```
            tool noun verb [OPTION]... NAME
            ```

            | argument | |
            |---|---|
            | `NAME` | Whose. |
            | `-s, --size=A\\|B` | How much. Or how little. |
            """);
  }

  @Test
  void page_ofHiddenCommandsAndOptions_doesNotTellThem() {
    assertThat(CommandsPage.of(new CommandLine(Tool.class))).doesNotContainIgnoringCase("secret");
  }
}

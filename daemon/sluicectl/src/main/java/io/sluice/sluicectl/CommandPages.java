package io.sluice.sluicectl;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ScopeType;

/**
 * The pages of {@code --help} below the program's own, and what completion offers there. They are
 * made when they are asked for: most runs need none of it.
 */
final class CommandPages {
  /** The options that any command has a use for; {@code --help} is how one came to the page. */
  private static final List<String> OF_ALL = List.of("--socket", "--debug");

  private static final List<String> OF_ANSWERS = joined(List.of("--format"), OF_ALL);
  private static final List<String> OF_ROWS =
      joined(List.of("--format", "--columns", "--no-header"), OF_ALL);

  private static final String HELP = "--help";
  private static final String COLUMNS = "--columns";

  /**
   * The page of a command without further ones.
   *
   * @param options those that it shares with others and has a use for
   * @param rows what it prints; null when that is no list
   * @param example a line to copy
   */
  record Page(List<String> options, @Nullable Listing<?> rows, String example) {}

  /** All, by the command's words. */
  static final Map<String, Page> PAGES =
      Map.ofEntries(
          answers("daemon status", "sluicectl daemon status"),
          rows("daemon check", Views.CHECKS, "sluicectl daemon check --columns subject,result"),
          rows("daemon config", Views.SETTINGS, "sluicectl daemon config --columns key,value"),
          rows("daemon reload", Views.RELOADED, "sluicectl daemon reload"),
          answers("daemon log-level", "sluicectl daemon log-level debug"),
          acts("daemon stop", "sluicectl daemon stop"),
          rows("gpu list", Views.GPUS, "sluicectl gpu list"),
          answers("gpu show", "sluicectl gpu show embedded"),
          rows("guest list", Views.GUESTS, "sluicectl guest list --columns name,state,memory"),
          answers("guest show", "sluicectl guest show web-01"),
          answers("guest create", "sluicectl guest create ml-03 --vram-limit 2GiB --weight 2"),
          answers("guest clone", "sluicectl guest clone web-01 web-02"),
          acts("guest destroy", "sluicectl guest destroy ml-03"),
          acts("guest detach", "sluicectl guest detach web-01"),
          acts("guest suspend", "sluicectl guest suspend web-01"),
          acts("guest resume", "sluicectl guest resume web-01"),
          answers(
              "guest checkpoint",
              "sluicectl guest checkpoint web-01 /var/lib/sluice/checkpoints/web-01"),
          answers(
              "guest restore", "sluicectl guest restore web-02 /var/lib/sluice/checkpoints/web-01"),
          acts("guest xml", "sluicectl guest xml web-01 --domain --memory 4GiB"),
          acts("guest run", "sluicectl guest run ml-02 -- python3 train.py"),
          rows("channel list", Views.CHANNELS, "sluicectl channel list web-01"),
          acts("channel kill", "sluicectl channel kill web-01 3"),
          rows("session list", Views.SESSIONS, "sluicectl session list web-01"),
          answers("session show", "sluicectl session show web-01 7"),
          acts("session move", "sluicectl session move web-01 7 --to kvm-b:7443"),
          acts(
              "session checkpoint",
              "sluicectl session checkpoint web-01 7 --file /var/lib/sluice/checkpoints/7"),
          acts(
              "session restore",
              "sluicectl session restore web-01 7 --file /var/lib/sluice/checkpoints/7"),
          acts("session stay", "sluicectl session stay web-01 7"),
          acts("session end", "sluicectl session end web-01 7"),
          rows(
              "session limit",
              Views.SESSION_HOSTS,
              "sluicectl session limit web-01 --sessions 8 --memory 2GiB"),
          rows("session host", Views.SESSION_HOSTS, "sluicectl session host"),
          rows("program list", Views.PROGRAMS, "sluicectl program list ml-02"),
          acts("program end", "sluicectl program end ml-02 3"),
          acts("program suspend", "sluicectl program suspend ml-02 3 --wait 60"),
          acts("program resume", "sluicectl program resume ml-02 3"),
          rows("checkpoint list", Views.CHECKPOINTS, "sluicectl checkpoint list"),
          answers(
              "checkpoint show", "sluicectl checkpoint show /var/lib/sluice/checkpoints/web-01"),
          answers("migration check", "sluicectl migration check web-01 --to kvm-b:7443"),
          answers("migration start", "sluicectl migration start web-01 --to kvm-b:7443"),
          rows("migration status", Views.MIGRATIONS, "sluicectl migration status"),
          answers("migration watch", "sluicectl migration watch web-01"),
          acts("migration abort", "sluicectl migration abort web-01"),
          acts("migration resolve", "sluicectl migration resolve web-01 --here"),
          answers("migration report", "sluicectl migration report web-01 --html report.html"),
          rows("quota show", Views.QUOTAS, "sluicectl quota show embedded"),
          rows("quota set", Views.QUOTAS, "sluicectl quota set web-01 --weight 2 --vram-min 1GiB"),
          rows("quota reset", Views.QUOTAS, "sluicectl quota reset web-01"),
          rows("irq show", Views.INTERRUPTS, "sluicectl irq show web-01"),
          rows("top", Views.TOP, "sluicectl top --sort memory --interval 5s"),
          answers("monitor", "sluicectl monitor --type guest,channel"),
          acts("diag bundle", "sluicectl diag bundle sluice.zip"),
          answers("explain", "sluicectl explain SLU-GUEST-001"),
          answers("version", "sluicectl version"),
          acts("completion", "source <(sluicectl completion)"));

  private CommandPages() {}

  private static List<String> joined(List<String> first, List<String> second) {
    List<String> all = new ArrayList<>(first);
    all.addAll(second);
    return List.copyOf(all);
  }

  /** A command that prints a list. */
  private static Map.Entry<String, Page> rows(String command, Listing<?> rows, String example) {
    return Map.entry(command, new Page(OF_ROWS, rows, example));
  }

  /** A command that prints something else than a list, in several formats. */
  private static Map.Entry<String, Page> answers(String command, String example) {
    return Map.entry(command, new Page(OF_ANSWERS, null, example));
  }

  /** A command that prints nothing, or what has one form. */
  private static Map.Entry<String, Page> acts(String command, String example) {
    return Map.entry(command, new Page(OF_ALL, null, example));
  }

  /** The page of a command, for {@link CommandLine#setHelpFactory}. */
  static Help help(CommandSpec command, ColorScheme colors) {
    complete(command);
    return new Help(command, colors);
  }

  /** Completes the pages of all commands of a command line. */
  static void addTo(CommandLine line) {
    complete(line.getCommandSpec());
    line.getSubcommands().values().forEach(CommandPages::addTo);
  }

  /** Gives completion the shared options that each command has a use for, and their values. */
  static void offer(CommandLine line) {
    CommandSpec command = line.getCommandSpec();
    Page page = page(command);
    if (page != null) {
      replaceShared(command, page, name -> !page.options().contains(name) && !name.equals(HELP));
    }
    line.getSubcommands().values().forEach(CommandPages::offer);
  }

  private static void complete(CommandSpec command) {
    if (command.parent() == null) {
      return; // the program's page has them in full
    }
    Page page = page(command);
    replaceShared(command, page, _ -> true);
    List<String> end = new ArrayList<>();
    if (page == null) {
      end.add("%nOptions of all commands: see sluicectl --help.");
    } else {
      if (page.rows() != null) {
        end.add("%nColumns:");
        end.add(String.join(", ", page.rows().ids(Format.table)));
      }
      end.add("%nExamples:");
      end.add("  " + page.example());
      end.add("%nAlso " + String.join(", ", page.options()) + ": see sluicectl --help.");
    }
    command.usageMessage().footer(end.toArray(String[]::new));
  }

  /** That of a command without further ones; null for others. */
  private static @Nullable Page page(CommandSpec command) {
    String name = command.qualifiedName();
    return command.subcommands().isEmpty()
        ? Objects.requireNonNull(PAGES.get(name.substring(name.indexOf(' ') + 1)), name)
        : null;
  }

  /** An option cannot be changed, but another one of the same value can stand for it. */
  private static void replaceShared(
      CommandSpec command, @Nullable Page page, Predicate<String> hidden) {
    for (OptionSpec option : List.copyOf(command.options())) {
      if (option.inherited()) {
        OptionSpec.Builder other =
            OptionSpec.builder(option)
                .scopeType(ScopeType.LOCAL) // further commands have it already
                .hidden(hidden.test(option.longestName()));
        if (page != null && page.rows() != null && option.longestName().equals(COLUMNS)) {
          other.completionCandidates(page.rows().ids(Format.table));
        }
        command.remove(option);
        command.addOption(other.build());
      }
    }
  }
}
